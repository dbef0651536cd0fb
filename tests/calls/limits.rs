//! The number of calls of a session, and the timeouts of handlers: the operator's settings beat the
//! manifest.

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};
use toolwrit_tests::drivers::http::{Home, Server, message};
use toolwrit_tests::program::lab;

use super::serve;

fn assert_refused(refused: &Value, limit: &str) {
    assert_eq!(refused["code"], "LIMIT_EXCEEDED", "{refused}");
    assert_eq!(refused["message"], format!("The limit is {limit}."), "{refused}");
}

#[test]
fn calls_of_a_session_are_limited() {
    for era in Era::ALL {
        let flags = ["serve", "--surface", "meta", "--session-calls", "3"];
        let mut client = Client::connect(lab(), &flags, era);
        // Searches and refused calls count; a listing does not.
        client.tools();
        client.call("search_tools", &json!({"query": "echo"})).ok();
        assert_eq!(client.call("nothing_here", &json!({})).code(), "TOOL_NOT_FOUND");
        client.tools();
        let echo = json!({"tool": "lab.echo", "args": {"text": "hi"}});
        client.call("execute_read", &echo).ok();
        for tool in ["execute_read", "search_tools"] {
            let refused = client.call(tool, &echo).error();
            assert_refused(&refused, "3 calls per session");
            assert_eq!((&refused["retryable"], refused.get("retry_after")), (&json!(false), None));
        }
        let mut other = Client::connect(lab(), &flags, era);
        other.call("execute_read", &echo).ok();
    }
}

#[test]
fn calls_of_a_caller_without_a_session_are_limited_by_the_hour() {
    let home = Home::new();
    let (ada, ben) = (home.token(lab(), "owner"), home.token(lab(), "onlooker"));
    let server = home.serve(lab(), &["--surface", "flat", "--session-calls", "2"]);
    let call = |era, token: &str| -> CallResult {
        let client = server.client("").in_era(era).bearing(token);
        client.call("lab_echo", &json!({"text": "hi"}))
    };
    // Both protocol revisions share the hour.
    for era in Era::ALL {
        call(era, &ada).ok();
    }
    for era in Era::ALL {
        let refused = call(era, &ada).error();
        assert_refused(&refused, "2 calls per hour");
        let wait = refused["retry_after"].as_f64().unwrap();
        assert!(refused["retryable"] == true && wait > 0.0 && wait <= 3600.0, "{refused}");
    }
    call(Era::Stateless, &ben).ok();
    let bearer = format!("Bearer {ada}");
    let metrics = server.get("/metrics", &[("authorization", &bearer)]).body;
    assert!(metrics.contains("toolwrit_refused_total{limit=\"session\"} 2"), "{metrics}");
}

#[test]
fn sessions_over_http_count_their_own_calls() {
    const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":
        "2025-11-25","capabilities":{},"clientInfo":{"name":"tests","version":"1"}}}"#;
    let home = Home::new();
    let flags = ["--surface", "flat", "--sessions", "4", "--session-calls", "1"];
    let server = home.serve(lab(), &flags);
    let open = |server: &Server| {
        let began = server.post("", &[], HELLO);
        let id = began.headers["mcp-session-id"].to_str().unwrap().to_owned();
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(server.post("", &[("mcp-session-id", &id)], initialized).status, 202);
        id
    };
    for id in [open(&server), open(&server)] {
        let call = || {
            let params = json!({"name": "lab_echo", "arguments": {"text": "hi"}});
            let (body, _) = message(Era::Initialize, "tools/call", params);
            let answer = server.post("", &[("mcp-session-id", &id)], body.to_string());
            let mut events = answer.body.lines().filter_map(|line| line.strip_prefix("data:"));
            let last = events.rfind(|data| !data.trim().is_empty()).unwrap();
            CallResult(serde_json::from_str::<Value>(last).unwrap()["result"].take())
        };
        call().ok();
        assert_refused(&call().error(), "1 call per session");
    }
}

#[test]
fn the_general_timeout_applies_to_operations_without_their_own() {
    let mut client = serve(&["--timeout", "30ms"]);
    let stopped = |client: &mut Client, tool: &str, arguments: &Value| {
        let stopped = client.call(tool, arguments).error();
        assert_eq!(stopped["code"], "TIMEOUT", "{stopped}");
        stopped["message"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(stopped(&mut client, "lab_linger", &json!({})), "Stopped after 0.03 s.");
    let long = json!({"millis": 60_000});
    assert_eq!(stopped(&mut client, "lab_hasty", &long), "Stopped after 0.1 s.");
    client.close();

    let folder = tempfile::tempdir().unwrap();
    let configured = |text: &str| {
        let file = folder.path().join("config.toml");
        std::fs::write(&file, text).unwrap();
        let file = file.display().to_string();
        serve(&["--timeout", "1h", "--config", &file])
    };
    let mut client =
        configured("timeout = \"1ms\"\n[operations.\"lab.hasty\"]\ntimeout = \"20ms\"\n");
    assert_eq!(stopped(&mut client, "lab_hasty", &long), "Stopped after 0.02 s.");
    assert_eq!(client.call("lab_wait", &json!({"millis": 50})).text(), "waited");
    client.close();
    let mut client = configured("[operations.\"lab.hasty\"]\ntimeout = \"1h\"\n");
    assert_eq!(client.call("lab_hasty", &json!({"millis": 150})).text(), "waited");
}

#[test]
fn a_flag_lifts_the_limit_of_the_manifest() {
    let shop = Path::new(env!("CARGO_BIN_EXE_shop"));
    let served = |flags: &[&str]| {
        let flags = [&["serve", "--surface", "meta"], flags].concat();
        let mut client = Client::connect(shop, &flags, Era::Initialize);
        let codes = (0..301).map(|_| client.call("nothing_here", &json!({})).code());
        codes.filter(|code| code == "LIMIT_EXCEEDED").count()
    };
    assert_eq!(served(&[]), 1);
    assert_eq!(served(&["--session-calls", "-1"]), 0);
    assert_eq!(served(&["--session-calls", "299"]), 2);
}
