//! Invalid messages: the same bytes as a line and as a body, with the same answer.

use serde_json::{Value, json};

use crate::hostile::answer::Answer::{
    self, Accepted, BadParams, Failure, Ignored, Invalid, NoMethod, NotJson, NotText, Result,
};
use crate::hostile::transport::{Http, Stdio, json_or_null, shown};

struct Row {
    sent: Vec<u8>,
    answer: Answer,
}

fn row(sent: impl Into<Vec<u8>>, answer: Answer) -> Row {
    Row { sent: sent.into(), answer }
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
const SHAPE: &str = "not a JSON-RPC message: expected `method`, `id` as an integer or a string, and \
                     `params` as an object, each once";
const VERSION: &str = "not a JSON-RPC message: `jsonrpc` must be \"2.0\"";
const BATCH: &str = "batches are not part of MCP; send each message on its own";
const CALL: &str = "the parameters of `tools/call` do not have the right shape";
const STRAY: &str = "stateless server does not accept JSON-RPC responses";
const NO_MESSAGE: &str = "the body is not an MCP message";

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

/// A call of the echo with these arguments.
fn echo(arguments: &str) -> String {
    request("tools/call", &format!(r#"{{"name":"lab_echo","arguments":{arguments}}}"#))
}

fn ping(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

fn nested(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

fn pong() -> Answer {
    Result(json!({}))
}

fn echoed(text: &str) -> Answer {
    Result(json!({
        "content": [{"type": "text", "text": json!({ "text": text }).to_string()}],
        "structuredContent": {"text": text},
        "isError": false,
    }))
}

fn invalid(why: &'static str) -> Answer {
    Invalid(Value::Null, why)
}

fn first(why: &'static str) -> Answer {
    Invalid(1.into(), why)
}

fn malformed() -> Vec<Row> {
    vec![
        row("{", NotJson("EOF while parsing an object at line 1 column 1")),
        row("hello", NotJson("expected value at line 1 column 1")),
        row(&PING[..39], NotJson("EOF while parsing an object at line 1 column 39")),
        row(PING.replace('}', ",}"), NotJson("trailing comma at line 1 column 41")),
        row(format!("{PING} ping"), NotJson("trailing characters at line 1 column 42")),
        row(format!("{PING}{PING}"), NotJson("trailing characters at line 1 column 41")),
        row(r#"{"jsonrpc":"2.0","x":1},"#, NotJson("trailing characters at line 1 column 24")),
        row(format!("{PING}\0"), NotJson("trailing characters at line 1 column 41")),
        row(PING.replace('"', "'"), NotJson("key must be a string at line 1 column 2")),
        row(PING.replace(":1,", ":1,/**/"), NotJson("key must be a string at line 1 column 25")),
        row(echo(r#"{"text":NaN}"#), NotJson("expected value at line 1 column 95")),
        row(echo(r#"{"text":Infinity}"#), NotJson("expected value at line 1 column 95")),
        row(echo(r#"{"text":True}"#), NotJson("expected value at line 1 column 95")),
        row(echo(r#"{"text":.5}"#), NotJson("expected value at line 1 column 95")),
        row(echo(r#"{"text":01}"#), NotJson("invalid number at line 1 column 96")),
        row(echo(r#"{"text":0x10}"#), NotJson("expected `,` or `}` at line 1 column 96")),
        row(echo(r#"{"text":1e400}"#), NotJson("number out of range at line 1 column 99")),
        row(echo(r#"{"text":-1e400}"#), NotJson("number out of range at line 1 column 100")),
        row(ping("1e400"), NotJson("number out of range at line 1 column 27")),
    ]
}

fn deep() -> Vec<Row> {
    let list = |levels| echo(&format!(r#"{{"text":{}}}"#, nested(levels)));
    vec![
        row("[".repeat(5_000), NotJson("recursion limit exceeded at line 1 column 128")),
        row(nested(5_000), NotJson("recursion limit exceeded at line 1 column 128")),
        row(r#"{"a":"#.repeat(5_000), NotJson("recursion limit exceeded at line 1 column 636")),
        row(
            request("tools/call", &nested(200)),
            NotJson("recursion limit exceeded at line 1 column 182"),
        ),
        row(list(200), NotJson("recursion limit exceeded at line 1 column 219")),
        row(list(100_000), NotJson("recursion limit exceeded at line 1 column 219")),
        row(list(120), Failure("VALIDATION_ERROR", "`text` must be a string, not a list of 1.")),
    ]
}

fn duplicates() -> Vec<Row> {
    vec![
        row(PING.replace(":1,", r#":1,"id":2,"#), Invalid(2.into(), SHAPE)),
        row(PING.replace(":1,", r#":1,"method":"tools/list","#), first(SHAPE)),
        row(PING.replace(":1,", r#":1,"jsonrpc":"2.0","#), first(SHAPE)),
        row(
            echo(r#"{"text":"a"}"#).replace(":1,", r#":1,"params":{"name":"lab_panic"},"#),
            first(SHAPE),
        ),
        row(
            request("tools/call", r#"{"name":"lab_echo","name":"lab_panic","arguments":{}}"#),
            BadParams(CALL),
        ),
        row(
            request("tools/call", r#"{"name":"lab_echo","arguments":{},"arguments":{}}"#),
            BadParams(CALL),
        ),
        // Parsers differ in which of the values they use.
        row(
            echo(r#"{"text":"a","text":"b"}"#),
            Failure("VALIDATION_ERROR", "`text` occurs twice."),
        ),
        row(
            echo(r#"{"text":{"deep":[{"a":1,"a":2}]}}"#),
            Failure("VALIDATION_ERROR", "`a` occurs twice."),
        ),
    ]
}

fn encodings() -> Vec<Row> {
    let wide = |bytes: fn(u16) -> [u8; 2]| PING.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let marked = |mark: &[u8], text: &[u8]| [mark, text].concat();
    let method =
        |bytes: &[u8]| [br#"{"jsonrpc":"2.0","id":1,"method":""#, bytes, br#""}"#].concat();
    let not_utf8 = || NotText("the line is not UTF-8 from byte 34 on");
    vec![
        row(method(b"\xff"), not_utf8()),
        row(method(b"ping\xc3"), NotText("the line is not UTF-8 from byte 38 on")),
        // An overlong slash, and half of a surrogate pair.
        row(method(b"\xc0\xaf"), not_utf8()),
        row(method(b"\xed\xa0\x80"), not_utf8()),
        row(
            marked(b"\xff\xfe", &wide(u16::to_le_bytes)),
            NotText("the line is not UTF-8 from byte 0 on"),
        ),
        row(
            marked(b"\xfe\xff", &wide(u16::to_be_bytes)),
            NotText("the line is not UTF-8 from byte 0 on"),
        ),
        row(wide(u16::to_be_bytes), NotJson("expected value at line 1 column 1")),
        row(format!("\u{feff}{PING}"), pong()),
        row(format!("\u{feff}\u{feff}{PING}"), NotJson("expected value at line 1 column 1")),
        row(
            echo(r#"{"text":"\ud800"}"#),
            NotJson("unexpected end of hex escape at line 1 column 102"),
        ),
        row(
            echo(r#"{"text":"\udc00\ud800"}"#),
            NotJson("lone leading surrogate in hex escape at line 1 column 101"),
        ),
        row(echo(r#"{"text":"\x41"}"#), NotJson("invalid escape at line 1 column 97")),
        row(
            echo("{\"text\":\"a\tb\"}"),
            NotJson(
                "control character (\\u0000-\\u001F) found while parsing a string at line 1 column 97",
            ),
        ),
        row(echo(r#"{"text":"\u0000"}"#), echoed("\0")),
        row(echo(r#"{"text":"\u202e\u200b"}"#), echoed("\u{202e}\u{200b}")),
    ]
}

fn shapes() -> Vec<Row> {
    let version = |version: &str| PING.replace(r#""2.0""#, version);
    vec![
        row("[]", invalid(BATCH)),
        row(format!("[{PING}]"), invalid(BATCH)),
        row(format!("[{PING},{PING}]"), invalid(BATCH)),
        row("42", invalid(VERSION)),
        row("null", invalid(VERSION)),
        row(r#""ping""#, invalid(VERSION)),
        row("{}", invalid(VERSION)),
        row(r#"{"id":1,"method":"ping"}"#, first(VERSION)),
        row(version(r#""1.0""#), first(VERSION)),
        row(version(r#""2.0 ""#), first(VERSION)),
        row(version("2.0"), first(VERSION)),
        row(version("null"), first(VERSION)),
        row(PING.replace("jsonrpc", "JSONRPC"), first(VERSION)),
        row(r#"{"jsonrpc":"2.0","id":1}"#, first(SHAPE)),
        row(PING.replace(r#""ping""#, "17"), first(SHAPE)),
        row(PING.replace(r#""ping""#, "null"), first(SHAPE)),
        row(
            echo(r#"{"text":"a"}"#).replace(r#""tools/call""#, r#"{"tools/call":null}"#),
            first(SHAPE),
        ),
    ]
}

fn ids() -> Vec<Row> {
    let wrong = ["null", "{}", "[1]", "true", "1.5", "9223372036854775808", "18446744073709551616"];
    let mut rows: Vec<Row> = wrong.iter().map(|id| row(ping(id), invalid(SHAPE))).collect();
    rows.push(row(PING.replace(r#""ping""#, "17").replace(":1,", ":{},"), invalid(SHAPE)));
    rows
}

fn methods() -> Vec<Row> {
    let named = |name: &str| PING.replace("ping", name);
    vec![
        row(named(""), NoMethod("")),
        row(named("no/such"), NoMethod("no/such")),
        row(named("TOOLS/CALL"), NoMethod("TOOLS/CALL")),
        row(named("tools/call "), NoMethod("tools/call ")),
        row(named("../../etc/passwd"), NoMethod("../../etc/passwd")),
        row(named("__proto__"), NoMethod("__proto__")),
        row(named("sampling/createMessage"), NoMethod("sampling/createMessage")),
        row(named("notifications/cancelled"), NoMethod("notifications/cancelled")),
    ]
}

fn parameters() -> Vec<Row> {
    let call = |params: &str| request("tools/call", params);
    let nameless = "the parameters of `tools/call` do not have the right shape; missing: `name`";
    macro_rules! initialize {
        ($missing:literal) => {
            BadParams(concat!(
                "the parameters of `initialize` do not have the right shape; missing: ",
                $missing
            ))
        };
    }
    let mut rows = vec![
        row(PING.replace("ping", "tools/call"), BadParams(nameless)),
        row(call("null"), BadParams(nameless)),
        row(call("{}"), BadParams(nameless)),
        row(call("[]"), first(SHAPE)),
        row(call(r#""lab_echo""#), first(SHAPE)),
        row(call(r#"{"name":"lab_echo","_meta":5}"#), first(SHAPE)),
        row(request("tools/list", "[]"), first(SHAPE)),
        row(
            request("tools/list", r#"{"cursor":"zz"}"#),
            BadParams("the list has a single page; send no cursor"),
        ),
        row(
            PING.replace("ping", "initialize"),
            initialize!("`protocolVersion`, `capabilities`, `clientInfo`"),
        ),
        row(
            request("initialize", r#"{"protocolVersion":7}"#),
            initialize!("`capabilities`, `clientInfo`"),
        ),
        row(
            call(r#"{"name":"","arguments":{}}"#),
            Failure("TOOL_NOT_FOUND", "There is no operation ``."),
        ),
        row(
            call(r#"{"name":"../lab_echo","arguments":{}}"#),
            Failure("TOOL_NOT_FOUND", "There is no operation `../lab_echo`."),
        ),
        row(echo("{}"), Failure("VALIDATION_ERROR", "`text` is missing.")),
        row(
            echo(r#"{"text":null}"#),
            Failure("VALIDATION_ERROR", "`text` must be a string, not null."),
        ),
        row(
            echo(r#"{"text":"a","__proto__":{}}"#),
            Failure("VALIDATION_ERROR", "There is no parameter `__proto__`."),
        ),
        row(
            echo(&format!(r#"{{"text":[{}1]}}"#, "1,".repeat(49_999))),
            Failure("VALIDATION_ERROR", "`text` must be a string, not a list of 50000."),
        ),
    ];
    for arguments in ["[]", "7", r#""{}""#] {
        rows.push(row(echo(arguments), BadParams(CALL)));
    }
    for name in ["7", "null", "[]", "{}"] {
        rows.push(row(call(&format!(r#"{{"name":{name},"arguments":{{}}}}"#)), BadParams(CALL)));
    }
    rows
}

/// Messages that get no answer.
fn unasked() -> Vec<Row> {
    let notification = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
    };
    vec![
        row(notification("no/such", "{}"), Accepted),
        row(notification("notifications/unheard-of", "{}"), Accepted),
        row(notification("notifications/cancelled", r#"{"requestId":12345}"#), Accepted),
        row(notification("notifications/cancelled", r#"{"requestId":{}}"#), Accepted),
        // A call without an id is never made.
        row(
            notification("tools/call", r#"{"name":"lab_panic","arguments":{"secret":"x"}}"#),
            Accepted,
        ),
        row(notification("notifications/initialized", "7"), Ignored(NO_MESSAGE)),
        row(r#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#, Ignored(NO_MESSAGE)),
        row(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, Ignored(STRAY)),
        row(r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}"#, Ignored(STRAY)),
        row(
            r#"{"jsonrpc":"2.0","id":99,"result":{},"error":{"code":1,"message":"x"}}"#,
            Invalid(99.into(), SHAPE),
        ),
        row(r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, first(SHAPE)),
    ]
}

fn rows() -> Vec<Row> {
    let tables =
        [malformed, deep, duplicates, encodings, shapes, ids, methods, parameters, unasked];
    tables.iter().flat_map(|table| table()).collect()
}

#[test]
fn every_line_gets_the_expected_answer() {
    let mut transport = Stdio::open();
    for Row { sent, answer } in rows() {
        let shown = shown(&sent);
        transport.client.send_raw(&sent);
        if !answer.is_silence() {
            answer.check(&transport.client.next_message(), &shown);
        }
        transport.still_serves(&shown);
    }
}

#[test]
fn every_body_gets_the_expected_answer() {
    let transport = Http::open();
    for Row { sent, answer } in rows() {
        let shown = shown(&sent);
        let came = transport.server.post("", &[], &sent);
        assert_eq!(came.status, answer.status(), "{shown}: {came:?}");
        answer.check(&json_or_null(&came.body), &shown);
        transport.still_serves(&shown);
    }
}
