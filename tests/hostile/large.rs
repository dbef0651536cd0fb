//! Bodies that are far too large: the client can send all of them, and then gets the refusal.

use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;

use crate::hostile::transport::Http;

const LARGE: usize = 10 * 1024 * 1024;

#[test]
fn a_body_of_ten_megabytes_is_refused_with_413() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let good = format!("Bearer {token}");
    let transport = Http::open_with(home, &[("authorization", &good)]);
    let body = "x".repeat(LARGE);
    let lengths = [
        (format!("content-length: {LARGE}"), body.clone()),
        ("transfer-encoding: chunked".to_owned(), format!("{LARGE:x}\r\n{body}\r\n0\r\n\r\n")),
    ];
    for (length, body) in &lengths {
        for (credential, status) in [(good.as_str(), 413), ("Bearer twt_", 401)] {
            let mut socket = Socket::connect(&transport.server);
            socket.write(format!(
                "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 accept: application/json, text/event-stream\r\nauthorization: {credential}\r\n\
                 {length}\r\n\r\n"
            ));
            socket.write(body);
            let answer = socket.answer().unwrap();
            assert_eq!(answer.status, status, "{length}: {answer:?}");
            assert_eq!(answer.header("connection"), Some("close"), "{length}");
            assert!(socket.is_ended(), "{length}");
            transport.still_serves(length);
        }
    }
}
