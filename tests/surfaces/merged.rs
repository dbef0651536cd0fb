//! Merged tools: one tool on the flat surface for several operations, which one of its parameters tells apart.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};

use crate::surfaces::{lab, serve};

const NAME: &str = "lab_shelves";

fn tool(client: &mut Client) -> Option<Value> {
    client.tools().into_iter().find(|tool| tool["name"] == NAME)
}

fn values(flags: &[&str]) -> Value {
    let mut client = serve(&[&["--surface", "flat"], flags].concat());
    let tool = tool(&mut client).unwrap();
    tool["inputSchema"]["properties"]["action"]["enum"].clone()
}

#[test]
fn the_flat_surface_lists_one_tool_in_their_place() {
    let mut client = serve(&["--surface", "flat"]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&tool(&mut client).unwrap()).unwrap());
    let tools = client.tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let at = names.iter().position(|name| *name == NAME).unwrap();
    assert_eq!(names[at - 1..=at + 1], ["lab_steps", NAME, "lab_count"]);
    for surface in ["dispatch", "meta"] {
        assert_eq!(tool(&mut serve(&["--surface", surface])), None, "{surface}");
    }
}

#[test]
fn a_call_runs_the_operation_that_it_names_on_every_surface() {
    let arguments = json!({"action": "put", "thing": "cup", "shelf": 2});
    let expected = json!({"thing": "cup", "shelf": 2});
    for surface in ["flat", "dispatch", "meta"] {
        let mut client = serve(&["--surface", surface]);
        assert_eq!(client.call(NAME, &arguments).ok(), expected, "{surface}");
        let found = client.call(NAME, &json!({"action": "find", "thing": "cup"})).ok();
        assert_eq!(found, json!({"thing": "cup", "shelf": "None"}), "{surface}");
    }
    let mut meta = serve(&["--surface", "meta", "--split", "none"]);
    let inner = json!({"tool": NAME, "args": arguments});
    assert_eq!(meta.call("execute", &inner).ok(), expected);
    let mut split = serve(&["--surface", "meta"]);
    let fault = split.call("execute_read", &inner).error();
    assert_eq!(fault["did_you_mean"], json!(["execute_write"]), "{fault}");
    assert_eq!(split.call("execute_write", &inner).ok(), expected);
    let described = split.call("describe_tools", &json!({"tools": [NAME]})).ok();
    let ids: Vec<&Value> =
        described["tools"].as_array().unwrap().iter().map(|tool| &tool["id"]).collect();
    assert_eq!(ids, ["lab.shelve", "lab.shelved", "lab.unshelve"]);
}

#[test]
fn each_operation_keeps_its_own_rules() {
    let flags = ["serve", "--surface", "flat"];
    let mut client = Client::connect_for(User::Absent, lab(), &flags, Era::Initialize);
    let call = |client: &mut Client, arguments: Value| client.call(NAME, &arguments).error();
    let fault = call(&mut client, json!({"action": "clear", "thing": "cup"}));
    assert_eq!(fault["code"], "CONFIRMATION_REQUIRED");
    let fault = call(&mut client, json!({"action": "put", "thing": "cup"}));
    assert_eq!((&fault["path"], &fault["operation"]), (&json!("/shelf"), &json!("lab.shelve")));
    let fault = call(&mut client, json!({"action": "find", "thing": "cup", "label": "mine"}));
    assert_eq!((&fault["path"], &fault["code"]), (&json!("/label"), &json!("VALIDATION_ERROR")));
    for (action, got) in
        [(json!("fin"), json!("fin")), (json!(3), json!(3)), (json!(null), json!(null))]
    {
        let fault = call(&mut client, json!({"action": action, "thing": "cup"}));
        assert_eq!(fault["code"], "VALIDATION_ERROR");
        assert_eq!(
            (&fault["path"], &fault["expected"]),
            (&json!("/action"), &json!("put|find|clear"))
        );
        assert_eq!(fault["got"], got);
    }
    let fault = call(&mut client, json!({"thing": "cup"}));
    assert_eq!((&fault["path"], &fault["operation"]), (&json!("/action"), &json!(NAME)));
    assert_eq!(fault["signature"], "lab_shelves(action: put|find|clear, ..)");
}

#[test]
fn the_policy_decides_about_each_operation() {
    assert_eq!(values(&[]), json!(["put", "find", "clear"]));
    assert_eq!(values(&["--read-only"]), json!(["find"]));
    assert_eq!(values(&["--role", "onlooker"]), json!(["find"]));
    assert_eq!(values(&["--exclude", "lab.shelve"]), json!(["find", "clear"]));

    let put = json!({"action": "put", "thing": "cup", "shelf": 2});
    let mut read_only = serve(&["--surface", "flat", "--read-only"]);
    let listed = tool(&mut read_only).unwrap();
    assert_eq!(listed["annotations"]["readOnlyHint"], true);
    assert_eq!(listed["inputSchema"]["properties"].get("label"), None);
    assert_eq!(read_only.call(NAME, &put).error()["code"], "WRITES_DISABLED");
    let mut onlooker = serve(&["--surface", "flat", "--role", "onlooker"]);
    let fault = onlooker.call(NAME, &put).error();
    assert_eq!((&fault["code"], &fault["expected"]), (&json!("VALIDATION_ERROR"), &json!("find")));

    let hidden = ["--exclude", "lab.shelve,lab.shelved,lab.unshelve"];
    let mut none = serve(&[&["--surface", "flat"], &hidden[..]].concat());
    assert_eq!(tool(&mut none), None);
    assert_eq!(none.call(NAME, &put).error()["code"], "TOOL_NOT_FOUND");
}

#[test]
fn an_older_name_of_a_merged_operation_can_be_called_and_listed() {
    let mut client = serve(&["--surface", "flat", "--legacy"]);
    let answer = client.call("lab_put_away", &json!({"thing": "cup", "shelf": 2}));
    assert_eq!(answer.ok(), json!({"thing": "cup", "shelf": 2}));
    let tools = client.tools();
    let older = tools.iter().find(|tool| tool["name"] == "lab_put_away").unwrap();
    let description = older["description"].as_str().unwrap();
    assert!(
        description.starts_with("Deprecated: use lab_shelves with action put."),
        "{description}"
    );
    let fault = client.call("lab_shelve", &json!({})).error();
    assert_eq!(fault["did_you_mean"], json!([NAME]));
    assert!(fault["hint"].as_str().unwrap().contains(r#""action":"put""#), "{fault}");
}

#[test]
fn removed_names_say_what_to_use_instead() {
    for surface in ["flat", "dispatch", "meta"] {
        let mut client = serve(&["--surface", surface]);
        let fault = client.call("lab_repair", &json!({})).error();
        assert_eq!(fault["code"], "TOOL_NOT_FOUND");
        assert_eq!(fault["hint"], "Build it again with lab.steps.");
        assert_eq!(fault["did_you_mean"], json!(["lab.steps"]));
        let fault = client.call("lab_sell", &json!({})).error();
        assert_eq!(fault["hint"], "Nothing is for sale.");
    }
    let mut onlooker = serve(&["--surface", "flat", "--role", "onlooker"]);
    let fault = onlooker.call("lab_repair", &json!({})).error();
    assert!(!fault.to_string().contains("lab.steps"), "it would reveal a hidden name: {fault}");
}

#[test]
fn the_command_line_calls_and_describes_them() {
    let run = |arguments: &[&str]| {
        let data = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(lab());
        command.args(arguments).env("TOOLWRIT_DATA_DIR", data.path());
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let found = "{\"thing\":\"cup\",\"shelf\":\"Some(2)\"}\n";
    let flags = ["call", NAME, "--action", "find", "--thing", "cup", "--shelf", "2", "--json"];
    let (code, output, _) = run(&flags);
    let output: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((code, output), (0, serde_json::from_str(found).unwrap()));
    let whole = r#"{"action": "find", "thing": "cup", "shelf": 2}"#;
    assert_eq!(run(&["call", NAME, "--json", "--args", whole]).0, 0);
    let (code, _, error) = run(&["call", NAME]);
    assert_eq!(code, 2);
    assert!(error.contains("--action <ACTION>"), "{error}");
    let (code, _, error) = run(&["call", NAME, "--action", "sell"]);
    assert_eq!(code, 2);
    assert!(error.contains("put, find, clear"), "{error}");
    let (code, _, error) = run(&["call", NAME, "--args", "{\"action\": put}"]);
    assert_eq!(code, 2);
    assert!(error.contains("--args must be a JSON object"), "{error}");
    let (code, output, _) = run(&["call", NAME, "--help"]);
    assert_eq!(code, 0);
    assert!(output.contains("Manage shelves."), "{output}");
    let (code, output, _) = run(&["call", "lab_repair", "--json"]);
    assert_eq!(code, 1);
    assert!(output.contains("Build it again with lab.steps."), "{output}");
    let (code, output, _) = run(&["describe", NAME]);
    assert_eq!(code, 0);
    assert!(output.contains("lab.shelve(") && output.contains("lab.unshelve("), "{output}");
}
