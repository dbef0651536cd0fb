//! Answers that are endless, slow, broken or too large.

use std::cell::Cell;
use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use toolwrit_test_servers::http::{HttpServer, response, wait_for_end, write_endlessly};
use toolwrit_web::{Form, WebError};

use crate::{fetch, never, pages, site, web, web_with};

/// Sends bytes; the client may have left.
fn send(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes);
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";

/// The time limit where a server never finishes.
const SHORT: Duration = Duration::from_millis(300);

fn too_large(error: &WebError) -> bool {
    matches!(error, WebError::TooLarge { .. })
}

#[test]
fn endless_and_huge_pages_are_refused() {
    let server = HttpServer::scripted(|request, stream| {
        let chunk = [b"4000\r\n".as_slice(), &[b'x'; 0x4000], b"\r\n"].concat();
        match &*request.target {
            "/endless" => {
                send(stream, &[HEAD, b"transfer-encoding: chunked\r\n\r\n"].concat());
                write_endlessly(stream, &chunk);
            }
            "/unframed" => {
                send(stream, &[HEAD, b"connection: close\r\n\r\n"].concat());
                write_endlessly(stream, &chunk);
            }
            "/huge" => {
                let body = vec![b'x'; 5 * 1024 * 1024 + 1];
                send(stream, &response(200, &[("content-type", "text/plain")], &body));
            }
            "/largest" => {
                let body = vec![b'x'; 5 * 1024 * 1024];
                send(stream, &response(200, &[("content-type", "text/plain")], &body));
            }
            _ => send(stream, &response(404, &[], b"")),
        }
    });
    for path in ["/endless", "/unframed", "/huge"] {
        assert!(too_large(&fetch(&server.url(path)).unwrap_err()), "{path}");
    }
    assert_eq!(fetch(&server.url("/largest")).unwrap().text.len(), 5 * 1024 * 1024);
}

#[test]
fn a_gzip_bomb_is_refused() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let zeros = vec![b'0'; 1024 * 1024];
    for _ in 0..256 {
        encoder.write_all(&zeros).unwrap();
    }
    let body = encoder.finish().unwrap();
    assert!(body.len() < 512 * 1024, "the bomb is small");
    let headers = [("content-type", "text/html"), ("content-encoding", "gzip")];
    let server = site(&[("/", &headers, &body)]);
    assert!(too_large(&fetch(&server.url("/")).unwrap_err()));
}

#[test]
fn a_server_that_never_finishes_times_out() {
    let server = HttpServer::scripted(|request, stream| {
        match &*request.target {
            "/robots.txt" => send(stream, &response(404, &[], b"")),
            "/head" => send(stream, b"HTTP/1.1 200 OK\r\ncontent-ty"),
            "/body" => send(stream, &[HEAD, b"content-length: 9\r\n\r\nx"].concat()),
            _ => {}
        }
        wait_for_end(stream);
    });
    for path in ["/silent", "/head", "/body"] {
        let error = web_with(SHORT).fetch(&server.url(path), Form::Markdown, &never).unwrap_err();
        assert_eq!(error, WebError::Timeout { host: "127.0.0.1".to_owned() }, "{path}");
    }
}

#[test]
fn a_silent_robots_txt_times_out() {
    let server = HttpServer::scripted(|_, stream| wait_for_end(stream));
    let error = web_with(SHORT).fetch(&server.url("/"), Form::Markdown, &never).unwrap_err();
    assert_eq!(error, WebError::Timeout { host: "127.0.0.1".to_owned() });
    assert!(pages(&server).is_empty());
}

#[test]
fn a_cancelled_fetch_ends_between_two_reads() {
    let server = HttpServer::scripted(|request, stream| {
        if request.target == "/robots.txt" {
            send(stream, &response(404, &[], b""));
            return;
        }
        send(stream, &[HEAD, b"content-length: 4000000\r\n\r\n"].concat());
        write_endlessly(stream, &[b'x'; 1000]);
    });
    let asked = Cell::new(0);
    let is_cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 5
    };
    let error = web().fetch(&server.url("/"), Form::Markdown, &is_cancelled).unwrap_err();
    assert_eq!(error, WebError::Cancelled);
    assert_eq!(asked.get(), 6);
}

#[test]
fn broken_answers_are_errors() {
    let server = HttpServer::scripted(|request, stream| {
        let answer: &[u8] = match &*request.target {
            "/garbage" => b"\x00\x01 not HTTP\r\n\r\n",
            "/short" => {
                b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nabc"
            }
            "/chunk" => b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n",
            "/gzip" => b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
            "/nothing" => b"",
            "/headers" => {
                send(stream, b"HTTP/1.1 200 OK\r\n");
                write_endlessly(stream, b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n");
                return;
            }
            _ => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
        };
        send(stream, answer);
    });
    for path in ["/garbage", "/short", "/chunk", "/gzip", "/nothing", "/headers"] {
        let error = fetch(&server.url(path)).unwrap_err();
        assert!(matches!(error, WebError::Unreachable { .. }), "{path}: {error:?}");
    }
}
