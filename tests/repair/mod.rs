//! Calls with common mistakes, on every surface: the answer alone is enough to correct the call.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod mistakes;
mod snapshots;
mod student;

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::vaults;

/// A surface, with tools split by effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Face {
    Flat,
    Dispatch,
    Meta,
}

impl Face {
    const ALL: [Face; 3] = [Face::Flat, Face::Dispatch, Face::Meta];

    fn name(self) -> &'static str {
        match self {
            Face::Flat => "flat",
            Face::Dispatch => "dispatch",
            Face::Meta => "meta",
        }
    }

    /// The call of a vault operation through this surface's tool for it.
    fn call(self, effect: &str, operation: &str, arguments: &Value) -> Call {
        let (tool, arguments) = match self {
            Face::Flat => (format!("vault_{operation}"), arguments.clone()),
            Face::Dispatch => {
                (format!("vault_{effect}"), json!({"operation": operation, "params": arguments}))
            }
            Face::Meta => {
                let id = format!("vault.{operation}");
                (format!("execute_{effect}"), json!({"tool": id, "args": arguments}))
            }
        };
        Call { tool, arguments }
    }

    /// The name of an operation in this surface's notation.
    fn operation(self, operation: &str) -> String {
        match self {
            Face::Flat => format!("vault_{operation}"),
            Face::Dispatch => operation.to_owned(),
            Face::Meta => format!("vault.{operation}"),
        }
    }
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
struct Call {
    tool: String,
    arguments: Value,
}

/// A vault with the notes of the calls, and a client on one surface.
struct Session {
    _folder: TempDir,
    client: Client,
}

impl Session {
    fn on(face: Face) -> Self {
        let folder = vaults::empty();
        fs::write(folder.path().join("Inbox.md"), "lantern\n").unwrap();
        fs::write(folder.path().join("Wanted.md"), "the note that was meant\n").unwrap();
        let client = Client::vault(folder.path(), &["--surface", face.name()]);
        Self { _folder: folder, client }
    }

    fn make(&mut self, call: &Call) -> CallResult {
        self.client.call(&call.tool, &call.arguments)
    }

    /// Makes a call that must fail with the same failure as text and structure, and returns it.
    fn fail(&mut self, call: &Call) -> Value {
        let answer = self.make(call);
        assert!(answer.is_error(), "{call:?} is right: {}", answer.0);
        assert_eq!(answer.0["structuredContent"], answer.json(), "text and structure differ");
        assert_eq!(answer.0["content"].as_array().unwrap().len(), 1, "{}", answer.0);
        answer.error()
    }
}
