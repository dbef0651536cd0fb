//! Settings that allow hosts and origins, and invalid flags.

use std::net::TcpListener;

use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// The status of a ping with these header lines.
fn ping(socket: &mut Socket, headers: &str) -> u16 {
    socket.write(format!(
        "POST /mcp HTTP/1.1\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{PING}",
        PING.len()
    ));
    socket.status()
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
fn invalid_flags_are_usage_errors() {
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
    // The flag beats the environment: standard input is empty, so the program ends successfully.
    let mut stdio = home.command(lab(), &["serve", "--stdio"]);
    let output = stdio.env("LAB_HTTP", "127.0.0.1:0").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = home.command(lab(), &["serve", "--http", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8(output.stderr).unwrap().contains(&address));
}
