//! `GET /tools` makes a listing for each request. What is kept of them is bounded.

use std::io::Write as _;

use toolwrit_tests::http::Home;
use toolwrit_tests::memory::resident;
use toolwrit_tests::program::lab;
use toolwrit_tests::socket::Socket;

/// Requests on each connection, sent without waiting for answers.
const REQUESTS: usize = 600;
const CONNECTIONS: usize = 8;
/// How much more memory the server may hold after them.
const GROWTH: u64 = 20 * 1024 * 1024;

#[test]
fn many_listings_leave_little_behind() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let flood = || {
        let (mut writes, mut reads) = Socket::connect(&server).halves();
        std::thread::scope(|scope| {
            let all = "GET /tools HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(REQUESTS);
            scope.spawn(move || writes.write_all(all.as_bytes()).unwrap());
            for _ in 0..REQUESTS {
                assert_eq!(reads.status(), 200);
            }
        });
    };
    // What counts tokens is loaded when it is first asked.
    assert_eq!(server.get("/tools", &[]).status, 200);
    assert_eq!(server.get("/tools/metrics", &[]).status, 200);
    let before = resident(server.child.id());
    std::thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(flood);
        }
    });
    let after = resident(server.child.id());
    if let (Some(before), Some(after)) = (before, after) {
        let listings = REQUESTS * CONNECTIONS;
        println!("{listings} listings: {} MiB more", after.saturating_sub(before) >> 20);
        assert!(after < before + GROWTH, "{before} bytes were {after}");
    }
}

#[test]
fn every_listing_is_counted_all_the_same() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for number in 0..200 {
        assert_eq!(server.get(&format!("/tools?query=echo&userId={number}"), &[]).status, 200);
    }
    let costs = server.get("/tools/metrics", &[]).json();
    assert_eq!(costs["filtered"]["requests"], 200, "{costs}");
}
