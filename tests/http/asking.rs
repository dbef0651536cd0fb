//! Confirmation over HTTP with several callers: a confirmation is valid only for the caller that was asked.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;

const TOOL: &str = "execute_delete";

fn scrap() -> Value {
    json!({"tool": "lab.scrap", "args": {"what": "it"}})
}

#[test]
fn a_confirmation_token_is_valid_only_for_its_caller() {
    let home = Home::new();
    let tokens = [home.token(lab(), "owner"), home.token(lab(), "owner")];
    let server = home.serve(lab(), &["--surface", "meta"]);
    for era in Era::ALL {
        let [ada, bob] =
            tokens.each_ref().map(|token| server.client("").in_era(era).bearing(token));
        let refused = ada.call(TOOL, &scrap()).error();
        assert_eq!(refused["code"], "CONFIRMATION_REQUIRED");
        let mut confirmed = scrap();
        confirmed["args"]["confirm"] = refused["expected"].clone();
        assert_eq!(bob.call(TOOL, &confirmed).code(), "CONFIRMATION_REQUIRED");
        assert_eq!(ada.call(TOOL, &confirmed).code(), "ok");
        assert_eq!(ada.call(TOOL, &confirmed).code(), "CONFIRMATION_REQUIRED");
    }
}

#[test]
fn a_request_state_is_valid_only_for_its_caller() {
    let home = Home::new();
    let tokens = [home.token(lab(), "owner"), home.token(lab(), "owner")];
    let server = home.serve(lab(), &["--surface", "meta"]);
    let ask = |token: &str, extra: &[(&str, Value)]| {
        let mut params = json!({"name": TOOL, "arguments": scrap()});
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        });
        for (key, value) in extra {
            params[*key] = value.clone();
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", TOOL),
        ];
        server.post("", &headers, body.to_string()).json()
    };
    let [ada, bob] = &tokens;
    let first = ask(ada, &[]);
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let second = [
        ("requestState", first["result"]["requestState"].clone()),
        ("inputResponses", json!({"toolwrit/confirm": {"action": "accept"}})),
    ];
    let stolen = ask(bob, &second);
    assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    let done = ask(ada, &second);
    assert_eq!(done["result"]["content"][0]["text"], "1", "{done}");
    let again = ask(ada, &second);
    let refused = &again["result"]["structuredContent"]["error"]["code"];
    assert_eq!(refused, "CONFIRMATION_REQUIRED", "{again}");
}

#[test]
fn a_task_is_visible_only_to_its_caller() {
    let home = Home::new();
    let tokens = [home.token(lab(), "owner"), home.token(lab(), "owner")];
    let server = home.serve(lab(), &["--surface", "meta"]);
    let ask = |token: &str, method: &str, name: &str, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities":
                {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        });
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", method),
            ("mcp-name", name),
        ];
        server.post("", &headers, body.to_string()).json()
    };
    let [ada, bob] = &tokens;
    let arguments = json!({"tool": "lab.brew", "args": {"millis": 10_000}});
    let call = json!({"name": "execute_write", "arguments": arguments});
    let begun = ask(ada, "tools/call", "execute_write", call);
    let id = begun["result"]["taskId"].as_str().unwrap_or_else(|| panic!("{begun}"));
    for method in ["tasks/get", "tasks/cancel"] {
        let stolen = ask(bob, method, id, json!({"taskId": id}));
        assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    }
    let own = ask(ada, "tasks/get", id, json!({"taskId": id}));
    assert_eq!(own["result"]["status"], "working", "{own}");
}
