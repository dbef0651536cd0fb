//! Answers of HTTP servers that are broken or mean harm, for [`HttpServer::scripted`](crate::http::HttpServer::scripted).

use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;

use crate::http::{wait_for_end, write_endlessly};

/// Writes an answer, whole or not. The connection ends after it.
pub type Script = Arc<dyn Fn(&mut TcpStream) + Send + Sync>;

/// The begin of a head.
const HEAD: &str = "HTTP/1.1 200 OK\r\n";
/// The whole head of an answer in chunks.
const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
/// A part of a whole answer.
const PART: &str = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"id\":";

/// Writes bytes.
pub fn raw(bytes: impl Into<Vec<u8>>) -> Script {
    let bytes = bytes.into();
    Arc::new(move |stream| drop(stream.write_all(&bytes)))
}

/// Writes a head, and then the same text until the client leaves.
pub fn endless(head: &'static str, piece: &str) -> Script {
    // Many at once, so that a limit is reached soon.
    let pieces = piece.repeat(500).into_bytes();
    Arc::new(move |stream| {
        let _ = stream.write_all(head.as_bytes());
        write_endlessly(stream, &pieces);
    })
}

/// Writes a text, and then nothing until the client leaves.
pub fn stuck(text: &'static str) -> Script {
    Arc::new(move |stream| {
        let _ = stream.write_all(text.as_bytes());
        wait_for_end(stream);
    })
}

/// Answers that are not HTTP, or end too early, each with what it is.
pub fn broken_answers() -> Vec<(&'static str, Script)> {
    let with = |begin: &str, rest: &str| raw(format!("{begin}{rest}"));
    vec![
        ("nothing", raw("")),
        ("not HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n")),
        ("HTTP/0.9", raw("{\"id\":1}")),
        ("another version", raw("HTTP/9.9 200 OK\r\n\r\n{\"id\":1}")),
        ("no number as status", raw("HTTP/1.1 OK 200\r\n\r\n")),
        ("half a head", raw(HEAD)),
        ("half a body", raw(PART)),
        ("half a chunk", with(CHUNKED, "ff\r\n{\"id\":")),
        ("no number as chunk size", with(CHUNKED, "zz\r\n{}\r\n0\r\n\r\n")),
        ("a huge chunk size", with(CHUNKED, "ffffffffffffffff\r\n{}")),
        ("two lengths", with(HEAD, "content-length: 8\r\ncontent-length: 9\r\n\r\n{\"id\":1}")),
        ("a negative length", with(HEAD, "content-length: -8\r\n\r\n{\"id\":1}")),
        ("a NUL in a header", with(HEAD, "x: a\0b\r\ncontent-length: 8\r\n\r\n{\"id\":1}")),
        ("endless headers", endless(HEAD, "x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n")),
        ("a header without end", endless("HTTP/1.1 200 OK\r\nx: ", "yyyyyyyyyyyyyyyyyyyyyyyyyyyy")),
    ]
}

/// Answers that are too large for anybody, each with what it is.
pub fn huge_answers() -> Vec<(&'static str, Script)> {
    let chunk = format!("40\r\n{}\r\n", " ".repeat(0x40));
    vec![
        ("an endless body in chunks", endless(CHUNKED, &chunk)),
        ("an endless body", endless("HTTP/1.1 200 OK\r\n\r\n", "                ")),
        ("a large refusal", endless("HTTP/1.1 403 No\r\n\r\n", "                ")),
    ]
}

/// Answers that do not end, each with what it is.
pub fn unending_answers() -> Vec<(&'static str, Script)> {
    vec![
        ("no answer", stuck("")),
        ("a head without end", stuck(HEAD)),
        ("a body without end", stuck(PART)),
        ("a refusal without end", stuck("HTTP/1.1 500 Oh\r\ncontent-length: 9\r\n\r\n")),
        ("only provisional answers", endless("", "HTTP/1.1 103 Early Hints\r\n\r\n")),
    ]
}
