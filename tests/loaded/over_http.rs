//! The official Python client learns over HTTP of an edit of the manifest. `tests/clients/install` installs it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::http::Home;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

use crate::reload::{ONE, ROOT, TWO};

#[test]
fn the_python_client_learns_of_an_edit_in_both_eras() {
    let clients = workspace().join("tests/clients/python");
    let python = clients.join(".venv/bin/python");
    let package = clients.join(".venv/bin/mcp");
    if !met(&[Need::Program(&python, (3, 11)), Need::File(&package)], "tests/clients/install") {
        return;
    }
    for version in ["2025-11-25", "2026-07-28"] {
        let home = Home::new();
        for (name, text) in [("root.yaml", ROOT), ("more.yaml", ONE), ("start.md", "# Begin\n")] {
            fs::write(home.path().join(name), text).unwrap();
        }
        let root = home.path().join("root.yaml").display().to_string();
        let flags = ["--surface", "flat", "--sessions", "8", "--manifest", &root];
        let server = home.serve(Path::new(env!("CARGO_BIN_EXE_lab")), &flags);
        let output = Command::new(&python)
            .arg(clients.join("reload.py"))
            .args([&server.url, version])
            .arg(home.path().join("more.yaml"))
            .arg(TWO)
            .output()
            .unwrap();
        assert!(output.status.success(), "{version}: {}", String::from_utf8_lossy(&output.stderr));
        let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
        let expected = json!({
            "told": true,
            "before": ["system_introspect", "system_list_roles"],
            "after": ["system_introspect", "system_list_cookbooks"],
        });
        assert_eq!(seen, expected, "{version}");
    }
}
