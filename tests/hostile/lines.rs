//! Input that only standard streams can carry: endless lines, blank ones, and anything before the first
//! request.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::program::lab;

use crate::hostile::answer::Answer::{self, Accepted, Failure, Invalid, NotJson, Result};
use crate::hostile::transport::{Stdio, shown};

const MEBIBYTE: usize = 1024 * 1024;
const TOO_LONG: &str = "the message is too long: at most 16777216 bytes are read";

fn rows() -> Vec<(Vec<u8>, Answer)> {
    let too_long = || Invalid(Value::Null, TOO_LONG);
    let call = |text: &str| {
        let params = json!({"name": "lab_text", "arguments": {"bytes": text}});
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
    };
    let long = format!(
        "`bytes` must be an integer from 0 to 1000000, not the string \"{}…\".",
        "x".repeat(120)
    );
    vec![
        (b"".to_vec(), Accepted),
        (b" \t ".to_vec(), Accepted),
        (b"\r".to_vec(), Accepted),
        (b"\xEF\xBB\xBF".to_vec(), Accepted),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r".to_vec(), Result(json!({}))),
        (b"\r{\"jsonrpc\":\"2.0\",\r\"id\":1,\"method\":\"ping\"}".to_vec(), Result(json!({}))),
        (vec![0; 4096], NotJson("expected value at line 1 column 1")),
        (vec![b' '; 17 * MEBIBYTE], too_long()),
        (vec![b'['; 17 * MEBIBYTE], too_long()),
        (vec![0xff; 40 * MEBIBYTE], too_long()),
        (call(&"x".repeat(17 * MEBIBYTE)).into_bytes(), too_long()),
        (call(&"x".repeat(15 * MEBIBYTE)).into_bytes(), Failure("VALIDATION_ERROR", long.leak())),
    ]
}

#[test]
fn unusual_lines_get_the_expected_answers() {
    let mut transport = Stdio::open();
    for (sent, answer) in rows() {
        let shown = shown(&sent);
        transport.client.send_raw(&sent);
        if !answer.is_silence() {
            answer.check(&transport.client.next_message(), &shown);
        }
        transport.still_serves(&shown);
    }
}

#[test]
fn noise_before_the_first_request_is_harmless() {
    let mut client = Client::start(lab(), &["serve", "--surface", "flat"]);
    for (noise, answer) in [
        ("not json", NotJson("expected ident at line 1 column 2")),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, Accepted),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            Accepted,
        ),
        (r#"{"jsonrpc":"2.0","id":99,"result":{}}"#, Accepted),
        (r#"{"jsonrpc":"2.0","method":"$/lsp","params":{}}"#, Accepted),
        ("", Accepted),
        ("\u{feff}", Accepted),
        ("[]", Invalid(Value::Null, "batches are not part of MCP; send each message on its own")),
    ] {
        client.send_raw(noise.as_bytes());
        if !answer.is_silence() {
            answer.check(&client.next_message(), noise);
        }
    }
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    });
    let answer = client.request("initialize", hello);
    assert!(answer.get("result").is_some(), "{answer}");
    Stdio::of(client).still_serves("noise");
}

/// A client that sends many requests before it reads gets every answer, and uses bounded memory.
#[test]
fn the_server_waits_for_a_client_that_does_not_read() {
    let mut transport = Stdio::open();
    let lines = 20_000;
    for _ in 0..lines {
        transport.client.send_raw(b"{");
    }
    for _ in 0..lines {
        let answer = transport.client.next_message();
        NotJson("EOF while parsing an object at line 1 column 1").check(&answer, "{");
    }
    transport.still_serves("bad lines in a row");
}

#[test]
fn an_incomplete_last_line_is_answered() {
    let mut transport = Stdio::open();
    transport.client.send_raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth");
    let (code, rest) = transport.client.close();
    assert_eq!((code, rest.len()), (Some(0), 1), "{rest:?}");
    NotJson("EOF while parsing a string at line 1 column 29").check(&rest[0], "half a line");
}
