//! Older names translate the names, values and places of their arguments.

use std::path::Path;

use serde_json::{Value, json};

use crate::surfaces::{lab, serve};

#[test]
fn names_values_and_places_are_translated() {
    let mut client = serve(&["--surface", "flat"]);
    let older = json!({
        "word": "abc", "options": {"size": 3, "hue": "crimson"}, "across": "origin", "down": 2,
        "flag": "on", "mark": [1],
    });
    let current = json!({
        "text": "abc", "whole": 3, "colour": "red", "point": {"x": 0, "y": 2, "label": "fixed"},
        "flag": true, "anything": {"mark": [1]},
    });
    let answer = client.call("lab_forms", &older);
    assert_eq!(answer.text(), client.call("lab_shapes", &current).text());
    let hint = answer.0["content"][1]["text"].as_str().unwrap();
    assert!(hint.starts_with("`lab_forms` is now `lab.shapes`: lab.shapes("), "{hint}");
    for change in ["word -> text", "across -> /point/x", r#"colour: "crimson" -> "red""#] {
        assert!(hint.contains(change), "{change}: {hint}");
    }
    assert!(hint.ends_with(r#"/point/label = "fixed"."#), "{hint}");

    // Current names, values and objects stay as they are, and parts are added to them.
    let mixed = json!({
        "text": "abc", "whole": 3, "colour": "red", "point": {"x": 0}, "down": 2, "flag": true,
        "anything": {"mark": [1]},
    });
    assert_eq!(client.call("lab_forms", &mixed).text(), answer.text());
    let named = client.call("lab.forms", &json!({"text": "abc"}));
    let current = client.call("lab_shapes", &json!({"text": "abc", "whole": 5}));
    assert_eq!(named.text(), current.text(), "an older name may be an id");
}

#[test]
fn ambiguous_and_misplaced_arguments_are_refused() {
    let mut client = serve(&["--surface", "flat"]);
    let valid = json!({"word": "abc", "size": 3, "across": 1, "down": 2});
    assert_eq!(client.call("lab_forms", &valid).code(), "ok");
    for (name, value, path) in [
        ("text", json!("abc"), "/text"),
        ("point", json!({"x": 1}), "/point/x"),
        ("point", json!("origin"), "/point"),
        ("options", json!({"size": 4}), "/size"),
        ("hue", json!("scarlet"), "/colour"),
        ("down", json!(-1), "/point/y"),
    ] {
        let mut arguments = valid.clone();
        arguments[name] = value;
        let fault = client.call("lab_forms", &arguments).error();
        assert_eq!((&fault["code"], &fault["path"]), (&json!("VALIDATION_ERROR"), &json!(path)));
        assert_eq!(fault["operation"], "lab.shapes", "{fault}");
    }
}

#[test]
fn items_of_older_lists_become_items_of_one_list() {
    let mut client = serve(&["--surface", "flat"]);
    let older = json!({
        "moves": [{"target": "here", "note": "gone"}, {"data": {"by": "car"}, "target": "there"}],
        "drops": "[\"cup\", \"cup\"]", "verbose": true, "strict": true,
        "how": {"fast": "yes", "far": "no"}, "labels": ["a"], "marks": ["b", "c"],
    });
    let answer = client.call("lab_move_all", &older);
    let hint = answer.0["content"][1]["text"].as_str().unwrap();
    for change in
        ["moves -> steps", "drops -> steps", "verbose has no effect", "/how/fast has no effect"]
    {
        assert!(hint.contains(change), "{change}: {hint}");
    }
    let text = answer.text();
    let ids: Vec<&str> =
        text.split("id: \"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let steps = json!([
        {"id": ids[0], "op": "move", "data": {"to": "here"}},
        {"id": ids[1], "op": "move", "data": {"by": "car", "to": "there"}},
        {"id": ids[2], "op": "drop", "data": {"what": "cup"}},
        {"id": ids[3], "op": "drop", "data": {"what": "cup"}},
    ]);
    let current = client.call(
        "lab_steps",
        &json!({
            "steps": steps, "strict": true, "how": {"far": "no"}, "tags": ["a", "b", "c"],
        }),
    );
    assert_eq!(text, current.text());
    assert_eq!(client.call("lab_move_all", &older).text(), text, "the same call has the same ids");
    let different: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(different.len(), 4, "{ids:?}");

    let one = client.call("lab_move_one", &json!({"target": "here"}));
    let step = json!({"id": "only", "op": "move", "data": {"to": "here"}});
    assert_eq!(one.text(), client.call("lab_steps", &json!({"steps": [step]})).text());

    for (arguments, path) in [
        (json!({"moves": "here"}), "/moves"),
        (json!({"moves": ["here"]}), "/moves/0"),
        (json!({"moves": [{"target": 5}]}), "/steps/0/data/to"),
        (json!({"moves": [{"id": "mine", "target": "here"}]}), "/id"),
        (json!({"moves": [{"to": "here"}]}), "/steps/0/to"),
        (json!({"moves": [], "steps": {}}), "/steps"),
        (json!({"verbose": true}), "/steps"),
    ] {
        let fault = client.call("lab_move_all", &arguments).error();
        assert_eq!((&fault["code"], &fault["path"]), (&json!("VALIDATION_ERROR"), &json!(path)));
    }
}

/// The calls that the page of older names shows.
#[test]
fn an_older_call_of_the_reference_does_what_the_current_one_does() {
    let manifest = toolwrit_manifest::load(Path::new("lab/authority.yaml")).unwrap();
    let mut client = serve(&["--surface", "flat"]);
    let mut meta = serve(&["--surface", "meta", "--split", "none"]);
    let mut shown = Vec::new();
    for operation in manifest.tools() {
        for alias in &operation.aliases {
            let call = toolwrit_manifest::older_call(&manifest, operation, alias).unwrap();
            shown.push(json!({ "name": alias.name, "older": call.older, "current": call.current }));
            let older = client.call(&alias.name, &call.older.into());
            let inner = json!({"tool": operation.id, "args": call.current});
            let current = meta.call("execute", &inner);
            assert_eq!(older.code(), current.code(), "{}", alias.name);
            let makes_ids = alias.mapping.each.iter().any(|each| each.id.is_some());
            if !makes_ids && operation.id != "lab.scrap" {
                assert_eq!(older.text(), current.text(), "{}", alias.name);
            }
        }
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap());
}

#[test]
fn the_command_line_accepts_older_names_and_values() {
    let call = |arguments: &[&str]| {
        let data = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(lab());
        command.args(["call"]).args(arguments).env("TOOLWRIT_DATA_DIR", data.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let older = [
        &["lab_forms", "--word", "abc", "--size", "3"][..],
        &["--hue", "crimson", "--across", "1", "--down", "2"],
    ];
    let older = call(&older.concat());
    let point = r#"{"x": 1, "y": 2, "label": "fixed"}"#;
    let current =
        ["lab.shapes", "--text", "abc", "--whole", "3", "--colour", "red", "--point", point];
    assert_eq!(older, call(&current));
}

#[test]
fn descriptions_name_the_older_names() {
    let mut client = serve(&["--surface", "meta"]);
    let described = client.call("describe_tools", &json!({"tools": ["lab.forms"]})).ok();
    let names: &Value = &described["tools"][0]["aliases"];
    assert_eq!(*names, json!(["lab_forms", "lab.forms"]));
}
