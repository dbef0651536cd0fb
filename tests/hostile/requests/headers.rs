//! Headers that contradict the body, each other, or HTTP.

use super::{NO_WORD, NORMAL, PONG, Request, Row, row, with, with_byte};

const NOT_TWO_TYPES: &str = r#"{"error":{"message":"the client does not accept all types that the answer may have","hint":"Send `Accept: application/json, text/event-stream`."}}"#;
const NO_JSON: &str = r#"{"error":{"message":"the body must be JSON","hint":"Send `Content-Type: application/json`."}}"#;
const NO_REVISION: &str = r#"{"error":{"message":"the header MCP-Protocol-Version names no revision that this server knows","expected":["2024-11-05","2025-03-26","2025-06-18","2025-11-25","2026-07-28"]}}"#;
const ONE_NAME: &str =
    r#"{"error":{"message":"the header toolwrit-focus must contain exactly one name"}}"#;

pub(super) fn types() -> Vec<Row> {
    let content = |content| Request { content, ..NORMAL };
    let accept = |accept| Request { accept, ..NORMAL };
    vec![
        row(content("content-type: application/json; charset=utf-8\r\n"), 200, PONG),
        row(content(""), 415, NO_JSON),
        row(content("content-type: text/plain\r\n"), 415, NO_JSON),
        row(content("content-type: application/x-www-form-urlencoded\r\n"), 415, NO_JSON),
        row(content("content-type: multipart/form-data; boundary=x\r\n"), 415, NO_JSON),
        row(content("content-type: application/jsonx\r\n"), 415, NO_JSON),
        row(content("content-type: application/json-patch+json\r\n"), 415, NO_JSON),
        // The type is wrong, so the body is not read.
        row(
            Request { content: "content-type: text/plain\r\n", body: &"{".repeat(40), ..NORMAL },
            415,
            NO_JSON,
        ),
        row(accept(""), 406, NOT_TWO_TYPES),
        row(accept("accept: */*\r\n"), 200, PONG),
        row(accept("accept: application/json, */*;q=0.8\r\n"), 200, PONG),
        row(accept("accept: text/html, */*; q=.2\r\n"), 200, PONG),
        row(accept("accept: application/json, */*;Q=0.0\r\n"), 406, NOT_TWO_TYPES),
        row(accept("accept: application/*\r\n"), 406, NOT_TWO_TYPES),
        row(accept("accept: text/html\r\n"), 406, NOT_TWO_TYPES),
        row(accept("accept: application/json\r\n"), 406, NOT_TWO_TYPES),
        row(accept("accept: text/event-stream\r\n"), 406, NOT_TWO_TYPES),
        row(accept("accept: application/json;q=0, text/event-stream;q=0\r\n"), 406, NOT_TWO_TYPES),
        row(with("content-encoding: identity\r\n"), 200, PONG),
        row(with("upgrade: h2c\r\n"), 200, PONG),
    ]
}

/// A call of the stateless revision, with its values in the head and in the body.
pub(super) fn protocol() -> Vec<Row> {
    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lab_echo","arguments":{"text":"a"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    const NEW: &str = "mcp-protocol-version: 2026-07-28\r\n";
    let length = format!("content-length: {}\r\n", CALL.len());
    let call =
        |more: &str| -> Vec<u8> { Request { length: &length, body: CALL, more, ..NORMAL }.into() };
    macro_rules! disagree {
        ($message:literal) => {
            concat!(
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":""#,
                $message,
                r#""}}"#
            )
        };
    }
    let named = |method: &str, name: &str| {
        call(&format!("{NEW}mcp-method: {method}\r\nmcp-name: {name}\r\n"))
    };
    vec![
        row(
            named("tools/call", "lab_echo"),
            200,
            r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"text\":\"a\"}"}],"structuredContent":{"text":"a"},"isError":false}}"#,
        ),
        row(
            named("tools/list", "lab_echo"),
            400,
            disagree!("Mcp-Method header `tools/list` does not match body method `tools/call`"),
        ),
        row(
            named("TOOLS/CALL", "lab_echo"),
            400,
            disagree!("Mcp-Method header `TOOLS/CALL` does not match body method `tools/call`"),
        ),
        row(
            named("tools/call", "lab_panic"),
            400,
            disagree!("Mcp-Name header `lab_panic` does not match body value `lab_echo`"),
        ),
        row(
            call(&format!("{NEW}mcp-name: lab_echo\r\n")),
            400,
            disagree!("missing required Mcp-Method header"),
        ),
        row(
            call(&format!("{NEW}mcp-method: tools/call\r\n")),
            400,
            disagree!("missing required Mcp-Name header for `tools/call`"),
        ),
        row(
            call(&format!(
                "{NEW}mcp-method: tools/call\r\nmcp-name: lab_echo\r\nmcp-name: lab_panic\r\n"
            )),
            400,
            disagree!("duplicate Mcp-Name header"),
        ),
        row(
            call(&format!(
                "{NEW}mcp-method: tools/call\r\nmcp-method: tools/list\r\nmcp-name: lab_echo\r\n"
            )),
            400,
            disagree!("duplicate Mcp-Method header"),
        ),
        row(
            call(""),
            400,
            disagree!("request _meta protocolVersion requires MCP-Protocol-Version header"),
        ),
        row(
            call("mcp-protocol-version: 2025-11-25\r\n"),
            400,
            disagree!(
                "MCP-Protocol-Version header (2025-11-25) does not match request _meta protocolVersion (2026-07-28)"
            ),
        ),
        row(with(NEW), 400, disagree!("missing required Mcp-Method header")),
        row(with("mcp-protocol-version: 1999-01-01\r\n"), 400, NO_REVISION),
        row(with("mcp-protocol-version: \r\n"), 400, NO_REVISION),
        row(with_byte(with("mcp-protocol-version: ~\r\n"), b'~', 0xff), 400, NO_REVISION),
    ]
}

pub(super) fn heads() -> Vec<Row> {
    let many = |headers: usize| {
        (0..headers).fold(String::new(), |head, at| format!("{head}x-{at}: 1\r\n"))
    };
    let long = |bytes: usize| format!("x: {}\r\n", "a".repeat(bytes));
    vec![
        row(with(&many(80)), 200, PONG),
        row(with(&many(101)), 431, NO_WORD),
        row(with(&many(10_000)), 431, NO_WORD),
        row(with(&long(48 * 1024)), 200, PONG),
        row(with(&long(256 * 1024)), 431, NO_WORD),
        row(with(&long(1024 * 1024)), 431, NO_WORD),
        row(with("nonsense\r\n"), 400, NO_WORD),
        row(with("x: a\r\n folded\r\n"), 400, NO_WORD),
        row(with("x: a\0b\r\n"), 400, NO_WORD),
        row(with("x: a\rb\r\n"), 400, NO_WORD),
        row(with(": nameless\r\n"), 400, NO_WORD),
        row(with("x y: z\r\n"), 400, NO_WORD),
        row(with("toolwrit-focus: full\r\ntoolwrit-focus: full\r\n"), 400, ONE_NAME),
        row(with("mcp-session-id: ../../etc/passwd\r\n"), 200, PONG),
    ]
}
