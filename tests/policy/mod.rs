//! The policy through every tool, compared with the tests' own interpretation of the manifest.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod indistinct;
mod manifest;
mod matrix;
mod narrowing;
mod read_only;
mod selection;

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::files::put;
use toolwrit_tests::vaults;

use manifest::{Effect, Manifest, Operation};

/// A surface and split, as chosen by flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Face {
    Flat,
    Dispatch { split: bool },
    Meta { split: bool },
}

impl Face {
    const ALL: [Face; 5] = [
        Face::Flat,
        Face::Dispatch { split: true },
        Face::Dispatch { split: false },
        Face::Meta { split: true },
        Face::Meta { split: false },
    ];

    fn flags(self) -> Vec<&'static str> {
        let split = |split| if split { "effect" } else { "none" };
        match self {
            Face::Flat => vec!["--surface", "flat"],
            Face::Dispatch { split: on } => vec!["--surface", "dispatch", "--split", split(on)],
            Face::Meta { split: on } => vec!["--surface", "meta", "--split", split(on)],
        }
    }

    /// The tool that runs an operation on this surface.
    fn tool_for(self, operation: &Operation) -> String {
        let effect = operation.effect.tool_suffix();
        match self {
            Face::Flat => {
                let merged = operation.merged.as_ref().map(|merged| merged.tool.clone());
                merged.unwrap_or_else(|| operation.wire_name.clone())
            }
            Face::Dispatch { .. } if operation.is_direct => operation.wire_name.clone(),
            Face::Dispatch { split: true } => format!("{}_{effect}", operation.category_tool),
            Face::Dispatch { split: false } => operation.category_tool.clone(),
            Face::Meta { split: true } => format!("execute_{effect}"),
            Face::Meta { split: false } => "execute".to_owned(),
        }
    }

    /// The arguments with which that tool runs the operation under this name.
    fn envelope(self, operation: &Operation, name: &str) -> Value {
        let arguments = operation.arguments(name);
        match self {
            Face::Flat => {
                // The tool knows the operation only by its current arguments.
                let mut arguments = operation.example.clone();
                if let Some(merged) = &operation.merged {
                    arguments[&merged.by] = merged.value.clone().into();
                }
                arguments
            }
            Face::Dispatch { .. } if operation.is_direct => arguments.clone(),
            Face::Dispatch { .. } => json!({"operation": name, "params": arguments}),
            Face::Meta { .. } => json!({"tool": name, "args": arguments}),
        }
    }
}

/// A vault for which the examples of the manifest are valid.
fn vault() -> TempDir {
    let folder = vaults::empty();
    let write = |path: &str, text: &str| {
        put(&folder.path().join(path), text);
    };
    write("Inbox.md", "---\ntitle: Inbox\n---\nlantern\n");
    write("Drafts/One.md", "first\n");
    write("Daily/2026-11-21.md", "rain\n");
    write("Open.md", "# Today\n");
    write(".obsidian/workspace.json", r#"{"lastOpenFiles": ["Open.md"]}"#);
    folder
}

/// The shipped server on a vault, with these flags. It may reach addresses of this machine.
fn serve(vault: &Path, face: Face, flags: &[&str]) -> Client {
    let web = ["--web-allow", "127.0.0.1"];
    Client::vault(vault, &[face.flags().as_slice(), &web, flags].concat())
}

/// The names of the tools that a server lists.
fn listed(client: &mut Client) -> Vec<String> {
    client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}
