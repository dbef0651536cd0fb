//! Commands with `--manifest`: they need no application, and say what only a compiled server runs.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

const DESK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/loaded/desk.yaml");
const LAB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/lab/authority.yaml");

/// Runs a program that was compiled from another manifest.
fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_shop")));
    command.args(arguments).env_remove("SHOP_MANIFEST").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json_of(arguments: &[&str]) -> Value {
    let output = run(arguments);
    let shown = text(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {shown}"))
}

#[test]
fn commands_use_the_manifest_in_place_of_the_compiled_one() {
    let listed = json_of(&["list", "system", "--json", "--manifest", DESK]);
    assert_eq!(listed["operations"][0]["id"], "system.introspect");
    let found = json_of(&["--manifest", DESK, "search", "write", "an", "article", "--json"]);
    assert_eq!(found["operations"][0]["id"], "posts.create");
    let described = json_of(&["describe", "become", "--json", "--manifest", DESK]);
    assert_eq!(described["tools"][0]["id"], "system.load_role");
    let context = json_of(&["context", "publish draft-12", "--json", "--manifest", DESK]);
    assert_eq!(context["contexts"][0]["name"], "writing");
    let role = json_of(&["call", "become", "--who", "reader", "--json", "--manifest", DESK]);
    assert_eq!(role["persona"], "You read and never write.");
    let tokens = json_of(&["tokens", "--json", "--manifest", DESK]);
    assert_eq!(tokens["surfaces"][0]["surface"], "flat");
    let checked = json_of(&["check", "--json", "--manifest", DESK]);
    assert_eq!((&checked["valid"], &checked["left_out"]), (&json!(true), &json!([])));
}

#[test]
fn the_manifest_may_come_before_the_command_or_from_the_environment() {
    let listed = json_of(&["--manifest", DESK, "list", "--json"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_shop"));
    let output = command.args(["list", "--json"]).env("SHOP_MANIFEST", DESK).output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), listed);
    let flag = format!("--manifest={DESK}");
    assert_eq!(json_of(&["list", &flag, "--json"]), listed);
}

#[test]
fn a_provider_without_settings_is_named() {
    let output = run(&["call", "posts.get", "--id", "1", "--json", "--manifest", DESK]);
    let fault: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(fault["error"]["code"], "PROVIDER_UNAVAILABLE");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_needs_a_handler_is_left_out_and_named() {
    let checked = run(&["check", LAB]);
    assert_eq!(checked.status.code(), Some(3), "the lab is over its budget");
    let checked = json_of(&["check", LAB, "--json"]);
    assert!(checked["left_out"].as_array().unwrap().contains(&json!("lab.echo")), "{checked}");
    let output = run(&["call", "lab.echo", "--text", "hello", "--manifest", LAB]);
    let shown = text(&output.stderr);
    assert!(shown.contains("There is no operation `lab.echo`."), "{shown}");
    assert!(shown.contains("compiled from the manifest"), "{shown}");
    let listed = json_of(&["list", "--json", "--manifest", LAB]);
    assert_eq!(listed, json!({ "operations": [] }));
    let measured = json_of(&["tokens", "--json", "--manifest", LAB]);
    assert!(measured["surfaces"][0]["tools"].as_u64().unwrap() > 10, "all are measured");
}

#[test]
fn an_invalid_manifest_is_reported_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.yaml");
    std::fs::write(&file, "toolwrit: 1\nserver: { nam: x }\n").unwrap();
    let output = run(&["list", "--manifest", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("bad.yaml:2:11"), "{}", text(&output.stderr));
    let output = run(&["serve", "--manifest", "/nowhere/at/all.yaml"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("cannot read the manifest"));
}
