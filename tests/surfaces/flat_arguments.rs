//! A tool of the dispatch surface takes parameters in `params`, or flat beside `operation`.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;

use crate::surfaces::serve;

/// The same call, nested and flat.
fn both(client: &mut Client, tool: &str, operation: &str, parameters: &Value) -> [Value; 2] {
    let mut flat = parameters.clone();
    flat["operation"] = operation.into();
    let nested = json!({"operation": operation, "params": parameters});
    [nested, flat].map(|arguments| client.call(tool, &arguments).0)
}

#[test]
fn both_forms_get_the_same_answers() {
    let mut client = serve(&["--surface", "dispatch"]);
    for (tool, operation, parameters) in [
        ("lab_read", "echo", json!({"text": "hi"})),
        ("lab_read", "lab.echo", json!({"text": "hi"})),
        ("lab_read", "echo", json!({"txt": "hi"})),
        ("lab_read", "echo", json!({"text": 5})),
        ("lab_read", "echo", json!({})),
        ("lab_read", "ehco", json!({"text": "hi"})),
        ("lab_read", "shapes", json!({"text": "abc", "whole": 3, "point": "{\"x\":1,\"y\":2}"})),
        ("lab_read", "lab_forms", json!({"word": "abc", "size": 3, "across": 1, "down": 2})),
        ("lab_read", "lab_forms", json!({"word": "abc", "text": "abc", "size": 3})),
        ("lab_write", "measure", json!({})),
        ("lab_read", "lab.nothing", json!({"text": "hi"})),
    ] {
        let [nested, flat] = both(&mut client, tool, operation, &parameters);
        assert_eq!(nested, flat, "{operation} {parameters}");
    }
    let wrong = json!({"operation": "touch", "millis": 0});
    let fault = client.call("lab_read", &wrong).error();
    let hint = fault["hint"].as_str().unwrap();
    assert_eq!(hint, r#"Call `lab_write` with {"operation":"touch","params":{"millis":0}}."#);
}

#[test]
fn both_forms_are_the_same_call_for_keys_and_audit() {
    let data = tempfile::tempdir().unwrap();
    let data = data.path().to_str().unwrap();
    let mut client = serve(&["--surface", "dispatch", "--data-dir", data]);
    let mut keyed = |arguments: Value| {
        let meta = json!({"toolwrit/idempotencyKey": "k"});
        let params = json!({"name": "lab_write", "arguments": arguments, "_meta": meta});
        let id = client.begin("tools/call", params);
        client.finish_call(id)
    };
    let first = keyed(json!({"operation": "count", "params": {"by": 2}}));
    let again = keyed(json!({"operation": "count", "by": 2}));
    assert_eq!((first.text(), again.text()), ("2", "2"), "it ran once");
    assert_eq!(
        keyed(json!({"operation": "count", "by": 3})).code(),
        "VALIDATION_ERROR",
        "another call"
    );
    client.close();

    let command = ["audit", "--json", "--data-dir", data];
    let output = std::process::Command::new(crate::surfaces::lab()).args(command).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let recorded = |row: &Value| ["operation", "tool", "arguments"].map(|key| row[key].clone());
    assert_eq!(recorded(&rows[0]), recorded(&rows[1]), "{rows:?}");
}

#[test]
fn the_members_of_flat_options_are_parameters() {
    let mut client = serve(&["--surface", "dispatch"]);
    let mut call = |arguments: Value| client.call("lab_read", &arguments);
    let flat = call(json!({"operation": "shapes", "text": "abc", "options": {"whole": 3}}));
    let nested = call(json!({"operation": "shapes", "params": {"text": "abc", "whole": 3}}));
    assert_eq!(flat.text(), nested.text());
    let text = json!({"operation": "shapes", "text": "abc", "options": "{\"whole\":3}"});
    assert_eq!(call(text).text(), nested.text());

    let twice = json!({"operation": "echo", "text": "a", "options": {"text": "b"}});
    let fault = call(twice).error();
    assert_eq!((&fault["code"], &fault["path"]), (&json!("VALIDATION_ERROR"), &json!("/text")));
    assert_eq!(fault["message"], "`text` occurs twice, once in `options`.");
    let other = call(json!({"operation": "echo", "text": "a", "options": 5})).error();
    assert_eq!(other["path"], "/options", "{other}");
    // Nothing of a hidden operation is revealed.
    let mut onlooker = serve(&["--surface", "dispatch", "--split", "none", "--role", "onlooker"]);
    for name in ["count", "cnout"] {
        let twice = json!({"operation": name, "by": 1, "options": {"by": 2}});
        assert_eq!(onlooker.call("lab", &twice).code(), "TOOL_NOT_FOUND", "{name}");
    }
    // In `params` it is an unknown parameter, as everywhere else.
    let nested = json!({"operation": "echo", "params": {"text": "a", "options": {}}});
    assert_eq!(call(nested).error()["path"], "/options");
}
