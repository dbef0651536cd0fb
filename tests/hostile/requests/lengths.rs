//! Bodies with a duplicate, wrong or invalid length.

use super::{NO_WORD, NORMAL, PING, PONG, Request, Row, row};

const BROKEN_OFF: &str =
    r#"{"error":{"message":"the body is incomplete: error reading a body from connection"}}"#;
const TOO_LARGE: &str = r#"{"error":{"message":"the body is too large; the limit is 262144 bytes","hint":"Send less in one call."}}"#;

/// After each body is a request that a server with another interpretation would answer, too.
pub(super) fn lengths() -> Vec<Row> {
    const CHUNKED: &str = "transfer-encoding: chunked\r\n";
    const CHUNKS: &str = "28\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n0\r\n\r\n";
    const HIDDEN: &str = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let plain = |length: &str| -> Vec<u8> {
        Request { length, body: &format!("{PING}{HIDDEN}"), ..NORMAL }.into()
    };
    let chunked = |length: &str, body: &str| -> Vec<u8> {
        Request { length, body: &format!("{body}{HIDDEN}"), ..NORMAL }.into()
    };
    let mut rows = vec![
        row(chunked(CHUNKED, CHUNKS), 200, PONG),
        row(chunked(CHUNKED, &CHUNKS.replace("28", "28;a=b")), 200, PONG),
        // With both, the chunks are used and the connection is closed, so the length hides nothing.
        row(chunked("content-length: 4\r\ntransfer-encoding: chunked\r\n", CHUNKS), 200, PONG),
        row(chunked("transfer-encoding: chunked\r\ncontent-length: 4\r\n", CHUNKS), 200, PONG),
        row(plain("content-length: 40\r\ncontent-length: 40\r\n"), 200, PONG),
    ];
    for wrong in [
        "content-length: 40\r\ncontent-length: 0\r\n",
        "content-length: 40, 40\r\n",
        "content-length: -1\r\n",
        "content-length: +40\r\n",
        "content-length: 0x28\r\n",
        "content-length: 99999999999999999999\r\n",
        "content-length: \r\n",
        "content-length : 40\r\n",
        "transfer-encoding: identity\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, gzip\r\n",
        "transfer-encoding: \x0bchunked\r\n",
        "transfer-encoding : chunked\r\n",
    ] {
        rows.push(row(plain(wrong), 400, NO_WORD));
    }
    for wrong in ["zz\r\n", "-1\r\n", "fffffffffffffffff\r\n", "28\n"] {
        rows.push(row(chunked(CHUNKED, &CHUNKS.replace("28\r\n", wrong)), 400, BROKEN_OFF));
    }
    let extension = format!("28;{}\r\n", "a".repeat(20_000));
    rows.push(row(chunked(CHUNKED, &CHUNKS.replace("28\r\n", &extension)), 400, BROKEN_OFF));
    let older = Request { line: "POST /mcp HTTP/1.0", length: CHUNKED, body: CHUNKS, ..NORMAL };
    rows.push(row(older, 400, NO_WORD));
    let padded = |bytes: usize| format!("{PING}{}", " ".repeat(bytes - PING.len()));
    for (bytes, status, body) in [
        (256 * 1024, 200, PONG),
        (256 * 1024 + 1, 413, TOO_LARGE),
        (2 * 1024 * 1024, 413, TOO_LARGE),
    ] {
        let length = format!("content-length: {bytes}\r\n");
        let body_sent = padded(bytes);
        rows.push(row(Request { length: &length, body: &body_sent, ..NORMAL }, status, body));
    }
    let many = format!("10000\r\n{}\r\n", " ".repeat(0x10000)).repeat(5) + "0\r\n\r\n";
    rows.push(row(chunked(CHUNKED, &many), 413, TOO_LARGE));
    rows
}
