//! What does not reach a handler: strange hosts and origins, bodies without bounds, wrong flags.

use std::net::TcpListener;

use crate::program::{Home, lab};
use crate::socket::Socket;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// The status of a ping with these header lines.
fn ping(socket: &mut Socket, headers: &str) -> u16 {
    socket.write(&format!(
        "POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{PING}",
        PING.len()
    ));
    socket.status()
}

#[test]
fn only_this_server_by_its_names_and_its_pages() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for (headers, status) in [
        ("host: localhost\r\n", 200),
        ("host: LOCALHOST:1234\r\n", 200),
        ("host: 127.0.0.1\r\n", 200),
        ("host: [::1]:8080\r\n", 200),
        ("host: evil.example\r\n", 403),
        ("host: localhost.evil.example\r\n", 403),
        ("host: 127.0.0.1.nip.io\r\n", 403),
        ("host: localhost@evil.example\r\n", 400),
        ("host: localhost\r\nhost: evil.example\r\n", 400),
        ("host: \r\n", 400),
        ("", 400),
        ("host: localhost\r\norigin: http://localhost:3000\r\n", 200),
        ("host: localhost\r\norigin: https://127.0.0.1\r\n", 200),
        ("host: localhost\r\norigin: http://evil.example\r\n", 403),
        ("host: localhost\r\norigin: http://localhost.evil.example\r\n", 403),
        ("host: localhost\r\norigin: null\r\n", 403),
        ("host: localhost\r\norigin: \r\n", 403),
    ] {
        // A fresh connection each: a refused request may end its own.
        assert_eq!(ping(&mut Socket::connect(&server), headers), status, "{headers:?}");
    }
    let mut absolute = Socket::connect(&server);
    absolute.write("GET http://evil.example/healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(absolute.status(), 403);
}

#[test]
fn the_operator_allows_further_hosts_and_origins() {
    let home = Home::new();
    let server = home.serve(
        lab(),
        &[
            "--allowed-host",
            "vault.example",
            "--allowed-host",
            "other.example:8443",
            "--allowed-origin",
            "https://app.example",
        ],
    );
    for (headers, status) in [
        ("host: vault.example\r\n", 200),
        ("host: vault.example:9\r\n", 200),
        ("host: other.example:8443\r\n", 200),
        ("host: other.example\r\n", 403),
        ("host: localhost\r\norigin: https://app.example\r\n", 200),
        ("host: localhost\r\norigin: https://app.example:443\r\n", 200),
        ("host: localhost\r\norigin: http://app.example\r\n", 403),
        ("host: localhost\r\norigin: https://app.example:444\r\n", 403),
    ] {
        assert_eq!(ping(&mut Socket::connect(&server), headers), status, "{headers:?}");
    }
}

#[test]
fn bodies_are_bounded() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let padded = |bytes: usize| format!("{PING}{}", " ".repeat(bytes - PING.len()));
    assert_eq!(server.post("", &[], padded(256 * 1024)).status, 200);
    for bytes in [256 * 1024 + 1, 2 * 1024 * 1024] {
        let answer = server.post("", &[], padded(bytes));
        assert_eq!(answer.status, 413, "{answer:?}");
        assert!(answer.error()["message"].as_str().unwrap().contains("262144"));
    }
    let mut chunked = Socket::connect(&server);
    chunked.write("POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n");
    let chunk = format!("{:x}\r\n{}\r\n", 64 * 1024, " ".repeat(64 * 1024));
    for _ in 0..5 {
        chunked.write(&chunk);
    }
    chunked.write("0\r\n\r\n");
    assert_eq!(chunked.status(), 413);
    assert_eq!(server.get("/healthz", &[]).status, 200);
}

#[test]
fn flags_that_make_no_sense_are_usage_errors() {
    let home = Home::new();
    for flags in [
        &["--http", "nonsense"][..],
        &["--http", "127.0.0.1"],
        &["--http", "127.0.0.1:0", "--stdio"],
        &["--http", "127.0.0.1:0", "--allowed-host", "http://x"],
        &["--http", "127.0.0.1:0", "--allowed-origin", "x.example"],
    ] {
        let output = home.command(lab(), &[&["serve"], flags].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {output:?}");
    }
    // The flag beats the environment: standard input is empty, so this ends well.
    let mut stdio = home.command(lab(), &["serve", "--stdio"]);
    let output = stdio.env("TOOLWRIT_HTTP", "127.0.0.1:0").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = home.command(lab(), &["serve", "--http", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains(&address));
}
