//! Persistent state: the audit of calls, and idempotency keys. Tested with real processes and their files.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod audit;
mod broken;
mod keys;
mod large;
#[cfg(unix)]
mod private;
mod secrets;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client, Era};

/// The laboratory, whose handlers count their runs.
fn lab() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lab"))
}

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

/// The laboratory as a server with its data in this folder.
fn serve(data: &Path, arguments: &[&str]) -> Client {
    let data = data.to_str().unwrap();
    let arguments = [&["serve", "--data-dir", data], arguments].concat();
    Client::connect(lab(), &arguments, Era::Initialize)
}

/// The laboratory on the flat surface.
fn flat(data: &Path) -> Client {
    serve(data, &["--surface", "flat"])
}

/// Runs a command with this data folder, until it ends.
fn run(program: &Path, data: &Path, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .env("TOOLWRIT_DATA_DIR", data)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The laboratory's audit, as printed by `audit --json` with these arguments.
fn rows(data: &Path, arguments: &[&str]) -> Vec<Value> {
    audit_of(lab(), data, arguments)
}

fn audit_of(program: &Path, data: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = run(program, data, &[&["audit", "--json"], arguments].concat());
    assert!(output.status.success(), "{output:?}");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Begins a call with a key.
fn begin_keyed(client: &mut Client, tool: &str, arguments: &Value, key: &Value) -> u64 {
    let meta = json!({"toolwrit/idempotencyKey": key, "progressToken": "p"});
    client.begin("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta}))
}

/// Makes a call with a key.
fn keyed(client: &mut Client, tool: &str, arguments: &Value, key: &str) -> CallResult {
    let id = begin_keyed(client, tool, arguments, &key.into());
    client.finish_call(id)
}

/// How many times the counting handlers have run in this process.
fn count(client: &mut Client) -> Value {
    client.call("lab_count", &json!({"by": 0})).ok()["result"].take()
}

/// The laboratory's state file.
fn file(data: &Path) -> PathBuf {
    data.join("lab/state.sqlite3")
}
