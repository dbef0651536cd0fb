//! The bodies of requests.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const MANIFEST: &str = r#"toolwrit: 1
server: { name: keeping }
categories: { notes: { summary: Keep notes., keywords: [note] } }
providers:
  api: { title: API, summary: Keeps notes., http: { base: "http://127.0.0.1:9" } }
operations:
  notes.put:
    summary: Put a note.
    effect: write
    dry_run: true
    params: { doc: { type: json, description: Any JSON., example: {} } }
    http: { post: /notes, json: { doc: $doc } }
"#;

#[test]
fn the_keys_of_free_json_keep_their_order() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("keeping.yaml"), MANIFEST).unwrap();
    fs::write(path("config.toml"), "[providers.api]\nnetworks = [\"127.0.0.0/8\"]\n").unwrap();
    let doc = r#"{"name":"Ada","id":7,"born":{"year":1815,"month":12}}"#;
    let mut command = Command::new(env!("CARGO_BIN_EXE_shop"));
    command.arg("--manifest").arg(path("keeping.yaml")).arg("--config").arg(path("config.toml"));
    command.args(["call", "notes.put", "--doc", doc, "--dry-run", "--json"]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let order = ["name", "id", "born", "year", "month"].map(|key| shown.find(key));
    assert!(order.is_sorted() && order[0].is_some(), "{shown}");
}
