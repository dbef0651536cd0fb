//! `GET /tools` builds a listing for each request and does not keep it. Only servers over HTTP load the
//! vocabulary that counts tokens.

use std::io::Write as _;

use serde_json::json;
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::memory::resident;
use toolwrit_tests::program::lab;

/// Requests on each connection, sent without waiting for the answers.
const REQUESTS: usize = 600;
const CONNECTIONS: usize = 8;
/// The memory that the server may gain.
const GROWTH: u64 = 20 * 1024 * 1024;

#[test]
fn many_listings_use_little_memory() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let flood = || {
        let (mut writes, mut reads) = Socket::connect(&server).halves();
        std::thread::scope(|scope| {
            let all =
                "GET /tools?category=lab HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(REQUESTS);
            scope.spawn(move || writes.write_all(all.as_bytes()).unwrap());
            for _ in 0..REQUESTS {
                assert_eq!(reads.status(), 200);
            }
        });
    };
    // The first listing loads the vocabulary.
    assert_eq!(server.get("/tools?category=lab", &[]).status, 200);
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
fn every_listing_is_counted() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for number in 0..200 {
        assert_eq!(server.get(&format!("/tools?query=echo&userId={number}"), &[]).status, 200);
    }
    let costs = server.get("/tools/metrics", &[]).json();
    assert_eq!(costs["filtered"]["requests"], 200, "{costs}");
}

#[test]
fn standard_streams_load_no_vocabulary() {
    for era in Era::ALL {
        let mut client = Client::connect(lab(), &["serve"], era);
        client.call("lab_echo", &json!({}));
        let before = resident(client.pid());
        assert!(!client.tools().is_empty());
        let after = resident(client.pid());
        if let (Some(before), Some(after)) = (before, after) {
            assert!(after < before + GROWTH, "{before} bytes were {after}");
        }
    }
}
