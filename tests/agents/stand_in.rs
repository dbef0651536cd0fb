//! An MCP server that lists the tools of a file, and writes down each call of them: the arguments are the file, the name of the
//! server, and the file of the calls.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use serde_json::{Value, json};
use toolwrit_test_servers::mcp::{Session, serve_stdio};

fn main() {
    let [list, name, calls] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        panic!("usage: stand-in LIST NAME CALLS")
    };
    let list: Value = serde_json::from_slice(&fs::read(list).unwrap()).unwrap();
    let mut calls = OpenOptions::new().create(true).append(true).open(calls).unwrap();
    let mut session = Session::new("stand-in", "1.0.0");
    serve_stdio(|message, client| {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            Some("tools/list") => client.answer(id, &json!({ "tools": list["tools"] })),
            Some("tools/call") => {
                let tool = params["name"].as_str().unwrap();
                let call =
                    json!({ "called": format!("{name}.{tool}"), "with": params["arguments"] });
                calls.write_all(format!("{call}\n").as_bytes()).unwrap();
                client.answer_text(id, "Done.");
            }
            _ => session.receive(message, client),
        }
    });
}
