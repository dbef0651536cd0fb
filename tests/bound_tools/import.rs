//! `import mcp`: the manifest and the lock file of a server.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bound_tools::{json, library, path};

fn import(folder: &TempDir, words: &[&str]) -> Output {
    let out = folder.path().join("books.yaml");
    let mut command = Command::new(library());
    command.args(["import", "mcp", "shelf", "--json", "--out"]).arg(out).args(words);
    command.env("PATH", path()).env("SHELF_TOKEN", "secret").output().unwrap()
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

#[test]
fn an_imported_manifest_is_served_as_it_is() {
    let folder = TempDir::new().unwrap();
    let words = ["--env", "SHELF_TOKEN", "--command", "shelf", "--room", "red"];
    let imported = import(&folder, &words);
    assert_eq!(json(&imported)["operations"], 11, "{imported:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let approved = yaml(include_str!("shelf.lock.yaml"));
    assert_eq!(yaml(&read("shelf.lock.yaml"))["tools"], approved["tools"]);

    let manifest = read("books.yaml");
    assert!(manifest.contains("# review: the server says that it only reads"), "{manifest}");
    let own = yaml(&manifest);
    let provider = &own["providers"]["shelf"];
    assert_eq!(provider["mcp"]["command"], json!(["shelf", "--room", "red"]));
    assert_eq!(provider["mcp"]["environment"], json!({ "SHELF_TOKEN": "$shelf_token" }));
    assert_eq!(
        own["operations"]["shelf.lend"]["effect"], "destroy",
        "it does not say what it does"
    );

    let file = folder.path().join("books.yaml");
    let mut call = Command::new(library());
    call.args(["call", "shelf.room", "--json", "--manifest"]).arg(file);
    call.arg("--data-dir").arg(folder.path()).env("PATH", path());
    let answer = call.env("TOOLWRIT_SHELF_SHELF_TOKEN", "four").output().unwrap();
    assert_eq!(json(&answer), "--room red 4");
}

#[test]
fn nothing_is_written_over_and_a_server_that_does_not_start_is_named() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("shelf.lock.yaml"), "mine").unwrap();
    let refused = import(&folder, &["--command", "shelf"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("exists"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    let missing = import(&folder, &["--command", "no-such-program"]);
    let told = String::from_utf8_lossy(&missing.stderr);
    assert!(told.contains("the MCP server cannot be used"), "{told}");
    assert_eq!(missing.status.code(), Some(1));
}
