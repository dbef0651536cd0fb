//! The example, used by an MCP client and on the command line.

use std::path::Path;
#[cfg(feature = "cli")]
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};

const PROGRAM: &str = env!("CARGO_BIN_EXE_minimal");

/// The server; `MINIMAL_PROGRAM` names one that was built with fewer features than a build of the whole workspace has.
fn serve() -> Client {
    let program = std::env::var_os("MINIMAL_PROGRAM").unwrap_or_else(|| PROGRAM.into());
    Client::connect(Path::new(&program), &["serve"], Era::Initialize)
}

#[test]
fn a_client_sees_each_operation_as_a_tool() {
    let tools = serve().tools();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["sea_throw", "sea_watch"]);
    assert_eq!(tools[0]["inputSchema"]["required"], json!(["message"]));
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], false);
    assert_eq!(tools[1]["annotations"]["readOnlyHint"], true);
}

#[test]
fn thrown_bottles_are_listed() {
    let mut client = serve();
    let letter = client.call("sea_throw", &json!({"message": "Wish you were here"})).ok();
    assert_eq!(letter["wind"], "west");
    let warning = client.call("sea_throw", &json!({"message": "Mind the rocks", "wind": "north"}));
    let warning = warning.ok();

    let all = client.call("sea_watch", &json!({}));
    assert_eq!(all.0["structuredContent"], json!({"result": [letter, warning]}));
    let from_north = client.call("sea_watch", &json!({"wind": "north"}));
    assert_eq!(from_north.ok()["result"], json!([warning]));
}

#[test]
fn a_misspelt_parameter_gets_a_suggestion() {
    let error = serve().call("sea_throw", &json!({"mesage": "Ahoy"})).error();
    assert_eq!(error["code"], "VALIDATION_ERROR");
    assert_eq!(error["did_you_mean"], json!(["message"]));
}

#[cfg(feature = "cli")]
#[test]
fn the_command_line_calls_an_operation() {
    let arguments = ["call", "sea.throw", "--message", "Ahoy", "--wind", "east", "--json"];
    let output = Command::new(PROGRAM)
        .args(arguments)
        .env("TOOLWRIT_DATA_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let bottle: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&bottle["message"], &bottle["wind"]), (&json!("Ahoy"), &json!("east")));
}

#[test]
fn the_example_is_short() {
    let lines = include_str!("../authority.yaml").lines().count()
        + include_str!("../src/main.rs").lines().count();
    assert!(lines < 60, "{lines} lines of YAML and Rust");
}
