//! Ambiguous arguments: a duplicate key, and a parameter together with its older name. Every parser refuses
//! both.

use std::process::Stdio;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;

/// A call with these arguments as text, and more parameters after them.
fn call(tool: &str, arguments: &str, more: &str) -> String {
    let params = format!(r#"{{"name":"{tool}","arguments":{arguments}{more}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{params}}}"#)
}

fn refused(result: &Value, pointer: &str) {
    let error = CallResult(result.clone()).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("VALIDATION_ERROR"), &json!(pointer)));
    assert_eq!(error["expected"], "each key once", "{error}");
}

/// Sends a line and waits for its answer.
fn answer(client: &mut Client, line: &str) -> Value {
    client.send_raw(line.as_bytes());
    loop {
        let message = client.next_message();
        if message["id"] == 77 {
            return message;
        }
    }
}

const ECHO: &str = r#"{"text":"a","text":"b"}"#;
const PROGRESS: &str = r#","_meta":{"progressToken":"p"}"#;

#[test]
fn a_duplicate_key_is_refused_on_every_surface() {
    for (surface, tool, arguments, pointer) in [
        ("flat", "lab_echo", ECHO, "/text"),
        ("flat", "lab_shapes", r#"{"map":{"a":1,"a":2}}"#, "/map/a"),
        (
            "dispatch",
            "lab",
            r#"{"operation":"echo","params":{"text":"a","text":"b"}}"#,
            "/params/text",
        ),
        (
            "meta",
            "execute_read",
            r#"{"tool":"lab.echo","args":{"text":"a","text":"b"}}"#,
            "/args/text",
        ),
        ("meta", "execute_read", r#"{"tool":"lab.echo","tool":"lab.panic","args":{}}"#, "/tool"),
        ("meta", "search_tools", r#"{"query":"a","query":"b"}"#, "/query"),
        // Also in an object that is sent as text.
        (
            "meta",
            "execute_read",
            r#"{"tool":"lab.echo","args":"{\"text\":\"a\",\"text\":\"b\"}"}"#,
            "/args/text",
        ),
    ] {
        let mut client = Client::connect(lab(), &["serve", "--surface", surface], Era::Initialize);
        for more in ["", PROGRESS] {
            let came = answer(&mut client, &call(tool, arguments, more));
            refused(&came["result"], pointer);
        }
    }
}

#[test]
fn a_duplicate_key_is_refused_by_every_parser() {
    let home = Home::new();
    let server = home.serve(lab(), &["--sessions", "4"]);
    let plain = server.post("/flat", &[], call("lab_echo", ECHO, ""));
    refused(&plain.result(), "/text");
    let streamed = server.post("/flat", &[], call("lab_echo", ECHO, PROGRESS));
    let told = streamed.body.lines().filter_map(|line| line.strip_prefix("data:"));
    let told: Vec<Value> = told.filter_map(|data| serde_json::from_str(data).ok()).collect();
    let told = told.last().cloned().unwrap_or_else(|| streamed.json());
    refused(&told["result"], "/text");

    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }});
    let begun = server.post("/flat", &[], hello.to_string());
    let session = begun.headers["mcp-session-id"].to_str().unwrap().to_owned();
    let headers = [("mcp-session-id", &*session), ("mcp-protocol-version", "2025-11-25")];
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(server.post("/flat", &headers, initialized).status, 202);
    let called = server.post("/flat", &headers, call("lab_echo", ECHO, ""));
    let told = called.body.lines().filter_map(|line| line.strip_prefix("data:"));
    let told: Vec<Value> = told.filter_map(|data| serde_json::from_str(data).ok()).collect();
    let told = told.last().cloned().unwrap_or_else(|| called.json());
    refused(&told["result"], "/text");
}

#[test]
fn a_prompt_refuses_duplicate_arguments() {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    let mut client = Client::connect(program, &["serve"], Era::Initialize);
    let get = r#"{"jsonrpc":"2.0","id":77,"method":"prompts/get","params":{"name":"test_prompt_with_arguments","arguments":{"arg1":"a","arg1":"b","arg2":"c"}}}"#;
    let came = answer(&mut client, get);
    assert_eq!(came["error"]["code"], -32602, "{came}");
    assert_eq!(came["error"]["data"]["error"]["path"], "/arg1", "{came}");
    let once = get.replacen(r#""arg1":"a","#, "", 1);
    assert!(answer(&mut client, &once).get("result").is_some());
}

#[test]
fn the_command_line_refuses_duplicate_arguments() {
    let run = |arguments: &str| {
        let home = Home::new();
        let mut command = home.command(lab(), &["call", "lab.echo", "--args", arguments]);
        command.stdin(Stdio::null()).output().unwrap()
    };
    let refused = run(ECHO);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(String::from_utf8(refused.stderr).unwrap().contains("`text` occurs twice"));
    assert!(run(r#"{"text":"b"}"#).status.success());
}

#[test]
fn a_parameter_together_with_its_older_name_is_refused() {
    let mut client = Client::connect(lab(), &["serve", "--surface", "flat"], Era::Initialize);
    let account = json!({"user": "ada", "token": "t"});
    for (tool, pointer, mut both) in [
        (
            "lab_sign_up",
            "/password",
            json!({"passphrase": "one", "password": "two", "account": account}),
        ),
        (
            "lab_sign_up",
            "/password",
            json!({"password": "two", "passphrase": "one", "account": account}),
        ),
        ("lab_collide", "/json", json!({"text": "one", "json": "two"})),
    ] {
        let error = client.call(tool, &both).error();
        assert_eq!((&error["code"], &error["path"]), (&json!("VALIDATION_ERROR"), &json!(pointer)));
        assert!(error["signature"].is_string() && error["hint"].is_string(), "{error}");
        // Each of them is valid alone.
        let older = if tool == "lab_collide" { "text" } else { "passphrase" };
        both.as_object_mut().unwrap().remove(older);
        assert_ne!(client.call(tool, &both).code(), "VALIDATION_ERROR");
    }
}
