//! Calls of operations that the caller may not use, through every tool, under every name and over both
//! transports: they get the exact answer and change nothing.

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

/// The restriction of the caller.
#[derive(Debug, Clone, Copy)]
struct Limit {
    flags: &'static [&'static str],
    /// The code for `vault.delete` under each of its names.
    code: &'static str,
    /// Whether the operation exists for this caller.
    known: bool,
}

const LIMITS: [Limit; 3] = [
    Limit { flags: &["--role", "reader"], code: "TOOL_NOT_FOUND", known: false },
    Limit { flags: &["--read-only"], code: "WRITES_DISABLED", known: true },
    Limit { flags: &["--focus", "read-only"], code: "FOCUS_RESTRICTED", known: true },
];

/// A surface, a tool and its arguments.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    let note = || json!({"path": "Inbox.md"});
    let inner = |name: &str| json!({"operation": name, "params": note()});
    let outer = |name: &str| json!({"tool": name, "args": note()});
    let wide = |name: &str| json!({"tool": name, "args": note(), "role": "owner", "focus": "full"});
    let mut calls = vec![
        ("flat", "vault_delete", note()),
        ("flat", "delete_vault_file", note()),
        ("dispatch", "vault_delete", inner("delete")),
        ("dispatch", "vault_read", inner("delete")),
        ("dispatch", "vault_read", inner("vault.delete")),
        ("dispatch", "vault_read", inner("delete_vault_file")),
        ("dispatch", "delete_vault_file", note()),
    ];
    calls.push(("dispatch", "vault_delete", note()));
    calls.push(("meta", "vault_delete", note()));
    calls.push(("meta", "delete_vault_file", note()));
    for surface in ["flat", "dispatch", "meta"] {
        calls.push((surface, "vault", inner("delete")));
        calls.push((surface, "execute", outer("vault.delete")));
    }
    for name in ["vault.delete", "vault_delete", "delete_vault_file"] {
        calls.push(("meta", "execute_delete", outer(name)));
        calls.push(("meta", "execute_read", outer(name)));
        calls.push(("meta", "execute_read", wide(name)));
    }
    calls
}

/// Names of the operation that are not tools of the surface for any caller.
const NO_TOOLS: [(&str, &str); 3] =
    [("flat", "vault.delete"), ("dispatch", "vault.delete"), ("meta", "vault.delete")];

/// One of the transports, to one surface.
enum Transport<'a> {
    Stdio(Box<Client>),
    Http(&'a Server, &'static str),
}

impl Transport<'_> {
    fn request(&mut self, method: &str, params: Value) -> Value {
        match self {
            Self::Stdio(client) => client.request(method, params),
            Self::Http(server, surface) => {
                server.client(&format!("/{surface}")).request(method, params).json()
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> CallResult {
        let params = json!({"name": tool, "arguments": arguments});
        CallResult(self.request("tools/call", params)["result"].take())
    }
}

fn vault() -> TempDir {
    let vault = vaults::empty();
    std::fs::write(vault.path().join("Inbox.md"), "lantern\n").unwrap();
    vault
}

/// Runs a check over both transports under each restriction, and then checks the vault.
fn for_each_restriction(check: impl Fn(Limit, &'static str, &mut Transport)) {
    for limit in LIMITS {
        let vault = vault();
        let before = vaults::contents(vault.path());
        let folder = vault.path().to_str().unwrap();
        let home = Home::new();
        let server = home.serve(toolwrit(), &[&["--vault", folder], limit.flags].concat());
        for surface in ["flat", "dispatch", "meta"] {
            let flags = [&["--surface", surface], limit.flags].concat();
            let client = Client::vault(vault.path(), &flags);
            check(limit, surface, &mut Transport::Stdio(Box::new(client)));
            check(limit, surface, &mut Transport::Http(&server, surface));
        }
        assert_eq!(vaults::contents(vault.path()), before, "{limit:?}");
    }
}

#[test]
fn hidden_operations_cannot_be_run_through_any_tool() {
    for_each_restriction(|limit, surface, transport| {
        for (_, tool) in NO_TOOLS.iter().filter(|(on, _)| *on == surface) {
            let result = transport.call(tool, &json!({"path": "Inbox.md"}));
            assert_eq!(result.code(), "TOOL_NOT_FOUND", "{limit:?} {surface} {tool}");
        }
        for (_, tool, arguments) in calls().iter().filter(|(on, ..)| *on == surface) {
            let result = transport.call(tool, arguments);
            assert_eq!(result.code(), limit.code, "{limit:?} {surface} {tool} {arguments}");
            let read = match surface {
                "flat" => transport.call("vault_read", &json!({"path": "Inbox"})),
                "dispatch" => {
                    let read = json!({"operation": "read", "params": {"path": "Inbox"}});
                    transport.call("vault_read", &read)
                }
                _ => {
                    let read = json!({"tool": "vault.read", "args": {"path": "Inbox"}});
                    transport.call("execute_read", &read)
                }
            };
            assert_eq!(read.ok()["content"], "lantern\n", "after {tool} {arguments}");
        }
    });
}

#[test]
fn hidden_operations_are_shown_by_no_tool() {
    for_each_restriction(|limit, surface, transport| {
        let mut seen = vec![
            transport.request("tools/list", json!({})),
            transport.request("resources/list", json!({})),
            transport.request("resources/templates/list", json!({})),
            transport.request("prompts/list", json!({})),
        ];
        match surface {
            "dispatch" => {
                for detail in ["names", "signatures", "schemas"] {
                    seen.push(transport.call("discover", &json!({ "detail": detail })).ok());
                }
            }
            "meta" => {
                for query in ["vault.delete", "delete_vault_file", "delete a note"] {
                    let found =
                        transport.call("search_tools", &json!({"query": query, "limit": 100}));
                    seen.push(found.ok()["results"].take());
                }
                let message = json!({"message": "delete the note Inbox"});
                seen.push(transport.call("context", &message).ok()["tools"].take());
                let described = json!({"tools": ["vault.delete", "delete_vault_file"]});
                let described = transport.call("describe_tools", &described).ok();
                for card in described["tools"].as_array().into_iter().flatten() {
                    assert!(limit.known && card.get("unavailable").is_some(), "{limit:?}: {card}");
                }
                for error in described["errors"].as_array().into_iter().flatten() {
                    assert_eq!(error["code"], "TOOL_NOT_FOUND", "{limit:?}: {error}");
                }
            }
            _ => {}
        }
        for answer in seen {
            let text = answer.to_string();
            for name in ["vault.delete", "vault_delete\"", "\"delete\"", "delete_vault_file"] {
                assert!(!text.contains(name), "{limit:?} {surface} shows {name}: {text}");
            }
        }
    });
}

#[test]
fn file_uris_are_not_resources() {
    for_each_restriction(|limit, surface, transport| {
        for address in ["file:///etc/passwd", "vault://../../etc/passwd", "vault.delete", ""] {
            let answer = transport.request("resources/read", json!({ "uri": address }));
            assert!(answer["error"]["code"].is_i64(), "{limit:?} {surface} {address}: {answer}");
        }
    });
}
