//! The host of a request, and the page that it comes from.

use super::{NO_HOST, NORMAL, PONG, Request, Row, row, with, with_byte};

const NO_PAGE: &str = r#"{"error":{"message":"this origin is not allowed","hint":"The operator can allow the origin with --allowed-origin."}}"#;

pub(super) fn hosts() -> Vec<Row> {
    let at =
        |host: &str| -> Vec<u8> { Request { host: &format!("host: {host}\r\n"), ..NORMAL }.into() };
    let mut rows: Vec<Row> =
        ["localhost", "LOCALHOST:1234", "127.0.0.1", "127.0.0.1:80", "[::1]", "[::1]:8080"]
            .map(|host| row(at(host), 200, PONG))
            .into();
    for host in [
        "",
        ":80",
        "localhost:99999",
        "localhost:x",
        "localhost evil.example",
        "localhost@evil.example",
        "localhost/evil",
        "localhost#evil",
        "localhost?evil",
        "[::1",
        "a:b:c",
    ] {
        rows.push(row(at(host), 400, NO_HOST));
    }
    rows.push(row(Request { host: "", ..NORMAL }, 400, NO_HOST));
    rows.push(row(with("host: localhost\r\n"), 400, NO_HOST));
    rows.push(row(with("host: evil.example\r\n"), 400, NO_HOST));
    rows.push(row(with_byte(Request { host: "host: ~\r\n", ..NORMAL }, b'~', 0xff), 400, NO_HOST));
    macro_rules! elsewhere {
        ($($host:literal),* $(,)?) => {$(
            rows.push(row(at($host), 403, concat!(
                r#"{"error":{"message":"the host `"#, $host,
                r#"` is not allowed","hint":"The operator can allow the name with --allowed-host."}}"#,
            )));
        )*};
    }
    elsewhere!(
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "localhost.",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0.0.0.0"
    );
    let absolute = |address: &'static str| Request { line: address, ..NORMAL };
    rows.push(row(absolute("POST http://localhost/mcp HTTP/1.1"), 200, PONG));
    rows.push(row(
        absolute("POST http://evil.example/mcp HTTP/1.1"),
        403,
        r#"{"error":{"message":"the host `evil.example` is not allowed","hint":"The operator can allow the name with --allowed-host."}}"#,
    ));
    rows.push(row(
        absolute("POST http://localhost@evil.example/mcp HTTP/1.1"),
        400,
        r#"{"error":{"message":"the host in the request line is malformed"}}"#,
    ));
    // Headers that a proxy would add are ignored.
    rows.push(row(with("x-forwarded-host: evil.example\r\nforwarded: host=evil\r\n"), 200, PONG));
    rows
}

pub(super) fn origins() -> Vec<Row> {
    let from = |origin: &str| -> Vec<u8> { with(&format!("origin: {origin}\r\n")).into() };
    let ours = ["http://localhost", "https://localhost", "http://localhost:80", "http://LOCALHOST"];
    let mut rows: Vec<Row> = ours.map(|origin| row(from(origin), 200, PONG)).into();
    for origin in [
        "",
        "http://localhost:3000",
        "https://127.0.0.1",
        "http://[::1]:3",
        "null",
        "localhost",
        "file://",
        "http://evil.example",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://evil.example#localhost",
        "http://localhost:x",
        "chrome-extension://abcdef",
    ] {
        rows.push(row(from(origin), 403, NO_PAGE));
    }
    let two = "origin: http://localhost\r\norigin: http://evil.example\r\n";
    rows.push(row(with(two), 403, NO_PAGE));
    rows.push(row(with_byte(with("origin: ~\r\n"), b'~', 0xff), 403, NO_PAGE));
    rows
}
