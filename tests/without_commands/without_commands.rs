//! A program without the feature `commands`, and a manifest whose operations are commands.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::process::{Command, Output};

use serde_json::{Value, json};

const MANIFEST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../commands/repository.yaml");

/// Runs a program that was compiled from another manifest.
fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_without-commands"));
    command.args(arguments).args(["--manifest", MANIFEST]);
    command.env_remove("TOOLWRIT_MANIFEST").output().unwrap()
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
fn commands_that_this_program_cannot_run_are_named() {
    let message =
        "are commands, which this program does not run: it is built without the feature `commands`";
    let checked = json_of(&["check", "--json"]);
    assert_eq!(checked["valid"], json!(true));
    let problem = checked["problems"][0]["message"].as_str().unwrap();
    assert!(problem.ends_with(message), "{problem}");
    let output = run(&["check"]);
    assert!(text(&output.stderr).trim_end().ends_with(message), "{output:?}");
}

#[test]
fn a_server_without_commands_refuses_those_of_a_manifest() {
    let fault = json_of(&["call", "commits.get", "--json"]);
    assert_eq!(fault["error"]["code"], "PROVIDER_UNAVAILABLE");
    let shown = fault.to_string();
    assert!(shown.contains("this server is built without commands"), "{shown}");
    assert!(shown.contains("the feature `commands` of the crate toolwrit"), "{shown}");
}
