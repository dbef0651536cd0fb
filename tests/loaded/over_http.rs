//! The official Python client learns over HTTP of an edit of the manifest. `tests/clients/install` installs it.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::waiting;

use crate::loaded::reload::{ONE, ROOT, TWO};

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

/// The first role is renamed and gets its name back, while a client with another role calls.
#[test]
fn a_token_keeps_its_role_when_the_role_of_the_operator_comes_and_goes() {
    let with = |owner: &str, allowed: &str| {
        let reader = format!("reader: {{ allow: [{allowed}] }}");
        format!("{ROOT}roles: {{ {owner}: {{ allow: ['*'] }}, {reader} }}\n")
    };
    let home = Home::new();
    let root = home.path().join("root.yaml");
    fs::write(&root, with("owner", "system.introspect")).unwrap();
    fs::write(home.path().join("more.yaml"), ONE).unwrap();
    fs::write(home.path().join("start.md"), "# Begin\n").unwrap();
    let (lab, flag) = (Path::new(env!("CARGO_BIN_EXE_lab")), root.display().to_string());
    let made = ["token", "new", "--role", "reader", "--manifest", &flag];
    let made = home.command(lab, &made).output().unwrap();
    let token = String::from_utf8(made.stdout).unwrap();
    let server = home.serve(lab, &["--manifest", &flag]);
    let edit = |text: &str| {
        let next = home.path().join("next");
        fs::write(&next, text).unwrap();
        fs::rename(next, &root).unwrap();
    };
    let reader = server.client("/flat").bearing(token.trim());
    let until = |tool: &str| {
        waiting::until(&format!("{tool} to be the only tool"), || reader.tools() == [tool]);
    };
    until("system_introspect");
    edit(&with("admin", "system.list_roles"));
    until("system_list_roles");
    let late = reader.clone().with("toolwrit-role", "reader");
    assert_eq!(late.tools(), ["system_list_roles"]);
    edit(&with("owner", "system.introspect"));
    until("system_introspect");
    assert_eq!(late.tools(), ["system_introspect"]);
}
