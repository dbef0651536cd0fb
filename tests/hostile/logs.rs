//! Client input can neither flood the log nor forge its lines.

use std::process::Stdio;

use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

/// A server with verbose logging.
fn serve(home: &Home, level: &str) -> Server {
    let mut command = home.command(lab(), &["serve", "--http", "127.0.0.1:0"]);
    command.env("TOOLWRIT_LOG", level).stdin(Stdio::null());
    Server::start(command)
}

#[test]
fn a_hundred_long_methods_leave_a_short_log() {
    let home = Home::new();
    let server = serve(&home, "warn,rmcp=warn");
    let method = "x".repeat(230_000);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
    for _ in 0..100 {
        assert_eq!(server.post("", &[], &body).json()["error"]["code"], -32601);
    }
    let said = server.stop();
    println!("100 methods of 230 KB: {} bytes in the log", said.len());
    assert!(said.contains("xxx") && said.len() < 200_000, "{} bytes", said.len());
}

#[test]
fn client_text_is_logged_on_one_line() {
    let home = Home::new();
    let server = serve(&home, "info,rmcp=trace");
    let named = |name: &str| {
        let params = format!(r#"{{"name":"{name}","arguments":{{}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    };
    for forged in
        [r"\nforged WARN", r"\r\nforged", r"\u001b[2Jforged", r"\u202eforged", r"\u2028forged"]
    {
        server.post("", &[], named(forged));
        server.post("", &[], format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{forged}"}}"#));
    }
    let said = server.stop();
    assert!(said.matches("forged").count() >= 10, "{said}");
    for line in said.lines() {
        assert!(!line.starts_with("forged"), "{line}");
        assert!(!line.contains(['\u{1b}', '\r', '\u{202e}', '\u{2028}']), "{line:?}");
    }
}
