//! The first line of a request: methods, versions and paths.

use super::{NO_HOST, NO_WORD, NORMAL, PONG, Request, Row, row, with_byte};

const NO_SUCH_PATH: &str = r#"{"error":{"message":"this path does not exist","expected":["/mcp","/mcp/{surface}","/mcp/{surface}/{focus}","/healthz","/readyz","/metrics","/tools","/tools/metrics","/plugins","/docs","/browser"]}}"#;

const WRONG_METHOD: &str = r#"{"error":{"message":"this path does not support this method"}}"#;

pub(super) fn methods() -> Vec<Row> {
    let unsupported = ["GET", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "BREW", "post"];
    let line = |line: &str| -> Vec<u8> {
        Request { line, length: "content-length: 0\r\n", body: "", ..NORMAL }.into()
    };
    let mut rows: Vec<Row> = unsupported
        .map(|method| row(line(&format!("{method} /mcp HTTP/1.1")), 405, WRONG_METHOD))
        .into();
    // This is how browsers ask for permission (CORS); without an origin there is none to give.
    for asked in ["OPTIONS /mcp HTTP/1.1", "OPTIONS * HTTP/1.1"] {
        rows.push(row(line(asked), 200, ""));
    }
    for wrong in [" /mcp HTTP/1.1", "GET /mcp", "POST /mcp HTTP/1.2", "POST /mcp HTTP/9.9", "\0"] {
        rows.push(row(line(wrong), 400, NO_WORD));
    }
    let older = |host| Request { line: "POST /mcp HTTP/1.0", host, ..NORMAL };
    rows.push(row(older(NORMAL.host), 200, PONG));
    rows.push(row(older(""), 400, NO_HOST));
    rows.push(row(
        [b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", &[b'a'; 64][..]].concat(),
        400,
        "",
    ));
    // The preface of HTTP/2 closes the connection without an answer.
    rows.push(Row { sent: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), answer: None });
    rows
}

pub(super) fn paths() -> Vec<Row> {
    let to = |path: &str| -> Vec<u8> {
        Request { line: &format!("POST {path} HTTP/1.1"), ..NORMAL }.into()
    };
    let mut rows: Vec<Row> =
        ["/mcp", "/mcp/", "/mcp/flat", "/mcp/flat/", "/mcp/flat/full", "/mcp/flat?x=../.."]
            .map(|path| row(to(path), 200, PONG))
            .into();
    for nowhere in [
        "//mcp",
        "/MCP",
        "/mcp%00",
        "/%6dcp",
        "/mcp\\..",
        "/healthz/../mcp",
        "/.well-known/../mcp",
        "/.well-known/x/../../mcp",
        "/mcp/flat/../dispatch",
        "/mcp/flat/full/..",
    ] {
        rows.push(row(to(nowhere), 404, NO_SUCH_PATH));
    }
    macro_rules! no_surface {
        ($($segment:literal in $path:literal),* $(,)?) => {$(
            rows.push(row(to($path), 404, concat!(
                r#"{"error":{"message":"there is no surface `"#, $segment,
                r#"`","expected":["flat","dispatch","meta","auto"]}}"#,
            )));
        )*};
    }
    no_surface!(
        ".." in "/mcp/../healthz",
        "%2e%2e" in "/mcp/%2e%2e/healthz",
        "..%2f..%2fetc" in "/mcp/..%2f..%2fetc/passwd",
        "" in "/mcp//",
        "" in "/mcp//flat",
        "flat%00" in "/mcp/flat%00",
        "%66lat" in "/mcp/%66lat",
        "flat;x=1" in "/mcp/flat;x=1",
    );
    rows.push(row(
        to("/mcp/flat/..%5c"),
        404,
        r#"{"error":{"message":"there is no focus mode `..%5c`","expected":["full"]}}"#,
    ));
    rows.push(row(
        with_byte(Request { line: "POST /mcp/~ HTTP/1.1", ..NORMAL }, b'~', 0xff),
        400,
        "",
    ));
    rows.push(row(to(&format!("/mcp/{}", "a".repeat(70_000))), 414, NO_WORD));
    rows
}
