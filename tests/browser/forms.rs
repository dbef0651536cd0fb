//! Forms: what they show, what they refuse, and what they send.

use serde_json::json;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

use super::driven;

/// The first whole number after which a script rounds.
const ROUNDED: i64 = 1 << 53;

#[test]
fn forms_change_no_arguments_and_lose_no_input() {
    let home = Home::new();
    let server = Server::start(home.command(lab(), &["browse", "--no-open"]));
    let (_, token) = server.url.split_once("#token=").unwrap();
    let params = json!({ "name": "lab_count", "arguments": { "by": ROUNDED } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers = [
        ("authorization", &*format!("Bearer {token}")),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    assert_eq!(server.post_to("/mcp/flat", &headers, &call.to_string()).status, 200);
    driven("forms.mjs", &[&server.url]);
}
