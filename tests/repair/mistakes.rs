//! Each common mistake on each surface: the fields of the answer, and the corrected call.

use serde_json::{Value, json};

use crate::repair::student::repair;
use crate::repair::{Call, Face, Session};

const MEANT: &str = "the note that was meant\n";

/// Makes a wrong call, checks fields of the answer, makes the corrected call, and returns its result.
fn mistake(face: Face, call: &Call, fields: &[(&str, Value)]) -> Value {
    let mut session = Session::on(face);
    let error = session.fail(call);
    for (field, expected) in fields {
        assert_eq!(&error[field], expected, "{face:?} {call:?}: {field} of {error}");
    }
    let second = repair(call, &error);
    let answer = session.make(&second);
    assert!(!answer.is_error(), "{face:?} {call:?}: {error} led to {second:?}: {}", answer.0);
    answer.ok()
}

#[test]
fn a_wrong_operation_name() {
    for face in Face::ALL {
        for wrong in ["raed", "Read", "reed"] {
            let mut call = face.call("read", "read", &json!({"path": "Wanted"}));
            let wrong = face.operation(wrong);
            let right = match face {
                Face::Flat => "vault_read",
                Face::Dispatch | Face::Meta => "vault.read",
            };
            match face {
                Face::Flat => call.tool = wrong,
                Face::Dispatch => call.arguments["operation"] = wrong.into(),
                Face::Meta => call.arguments["tool"] = wrong.into(),
            }
            let hint = match face {
                Face::Flat => "tools/list has every tool.",
                Face::Dispatch => "List operations with discover.",
                Face::Meta => "Find operations with search_tools.",
            };
            let note = mistake(
                face,
                &call,
                &[
                    ("code", "TOOL_NOT_FOUND".into()),
                    ("did_you_mean", json!([right])),
                    ("example", json!({"path": "Inbox.md"})),
                    ("hint", hint.into()),
                    ("retryable", false.into()),
                ],
            );
            assert_eq!(note["content"], MEANT);
        }
    }
}

#[test]
fn an_operation_called_as_on_another_surface() {
    let cases = [
        (Face::Flat, "vault.read", "vault_read"),
        (Face::Dispatch, "vault.read", "vault_read"),
        (Face::Meta, "vault.read", "execute_read"),
    ];
    for (face, tool, right) in cases {
        let call = Call { tool: tool.to_owned(), arguments: json!({"path": "Wanted"}) };
        let fields = [
            ("code", "TOOL_NOT_FOUND".into()),
            ("operation", "vault.read".into()),
            ("did_you_mean", json!([right])),
        ];
        assert_eq!(mistake(face, &call, &fields)["content"], MEANT);
    }
}

#[test]
fn a_misspelt_parameter() {
    for face in Face::ALL {
        for wrong in ["pth", "Path", "file_path", "note"] {
            let call = face.call("read", "read", &json!({ wrong: "Wanted" }));
            let fields = [
                ("code", "VALIDATION_ERROR".into()),
                ("operation", "vault.read".into()),
                ("path", format!("/{wrong}").into()),
                ("expected", "path, format, lines, heading, block, max_bytes".into()),
                ("got", wrong.into()),
                ("did_you_mean", json!(["path"])),
            ];
            assert_eq!(mistake(face, &call, &fields)["content"], MEANT);
        }
        let call = face.call("read", "read", &json!({"path": "Wanted", "verbose": true}));
        let fields = [("hint", "Leave `verbose` out.".into()), ("did_you_mean", Value::Null)];
        assert_eq!(mistake(face, &call, &fields)["content"], MEANT);
    }
}

#[test]
fn a_wrong_type() {
    for face in Face::ALL {
        let call = face.call("read", "read", &json!({"path": 7}));
        let fields = [
            ("code", "VALIDATION_ERROR".into()),
            ("path", "/path".into()),
            ("expected", "string from 1 to 1024 characters".into()),
            ("got", 7.into()),
            (
                "message",
                "`path` must be a string from 1 to 1024 characters, not the number 7.".into(),
            ),
        ];
        assert_eq!(mistake(face, &call, &fields)["path"], "Inbox.md", "the example's");

        let call = face.call("read", "read", &json!({"path": "Wanted", "max_bytes": "12"}));
        let fields = [
            ("path", "/max_bytes".into()),
            ("expected", "integer from 1 to 1048576".into()),
            ("got", "12".into()),
        ];
        assert_eq!(mistake(face, &call, &fields)["content"], MEANT);

        let call = face.call("read", "read", &json!({"path": "Wanted", "max_bytes": null}));
        let fields = [
            ("path", "/max_bytes".into()),
            ("hint", "Leave `max_bytes` out instead of sending null.".into()),
        ];
        assert_eq!(mistake(face, &call, &fields)["content"], MEANT);
    }
}

#[test]
fn a_missing_parameter() {
    for face in Face::ALL {
        let call = face.call("write", "write", &json!({"path": "New"}));
        let fields = [
            ("code", "VALIDATION_ERROR".into()),
            ("operation", "vault.write".into()),
            ("path", "/content".into()),
            ("expected", "string".into()),
            ("got", Value::Null),
            ("message", "`content` is missing.".into()),
            ("example", json!({"path": "Ideas/Lantern.md", "content": "# Lantern\n"})),
        ];
        assert_eq!(mistake(face, &call, &fields)["path"], "New.md", "what was right is kept");
    }
}

#[test]
fn an_unknown_enum_value() {
    for face in Face::ALL {
        for (wrong, right) in [("jason", "json"), ("JSON", "json"), ("html", "markdown")] {
            let call = face.call("read", "read", &json!({"path": "Wanted", "format": wrong}));
            let fields = [
                ("code", "VALIDATION_ERROR".into()),
                ("path", "/format".into()),
                ("expected", "markdown|json".into()),
                ("got", wrong.into()),
                ("did_you_mean", json!([right])),
            ];
            assert_eq!(mistake(face, &call, &fields)["content"], MEANT);
        }
    }
}

#[test]
fn json_in_a_string_is_parsed() {
    for face in [Face::Dispatch, Face::Meta] {
        let mut session = Session::on(face);
        let mut call = face.call("read", "read", &json!({"path": "Wanted"}));
        let inner = if face == Face::Meta { "args" } else { "params" };
        call.arguments[inner] = r#"{"path":"Wanted"}"#.into();
        assert_eq!(session.make(&call).ok()["content"], MEANT);
        for broken in ["{\"path\":", "Wanted", "7", ""] {
            call.arguments[inner] = broken.into();
            let error = session.fail(&call);
            assert_eq!(error["path"], format!("/{inner}"), "{error}");
            assert_eq!(error["got"], broken);
        }
    }
    let mut session = Session::on(Face::Meta);
    let named = json!({"tools": r#"["vault.read"]"#});
    let described = session.client.call("describe_tools", &named).ok();
    assert_eq!(described["tools"][0]["id"], "vault.read");
}

#[test]
fn parameters_beside_the_envelope() {
    for (face, inner) in [(Face::Dispatch, "params"), (Face::Meta, "args")] {
        let mut call = face.call("read", "read", &json!({}));
        call.arguments["path"] = "Wanted".into();
        let fields = [
            ("code", "VALIDATION_ERROR".into()),
            ("operation", call.tool.clone().into()),
            ("path", "/path".into()),
            ("got", "path".into()),
            ("did_you_mean", Value::Null),
            ("hint", format!("Put the operation's own parameters inside `{inner}`.").into()),
            ("example", face.call("read", "read", &json!({"path": "Inbox.md"})).arguments),
        ];
        assert_eq!(mistake(face, &call, &fields)["content"], MEANT);

        // The same with a second parameter, and without an envelope.
        call.arguments[inner] = json!({"format": "json"});
        assert_eq!(mistake(face, &call, &[])["content"], MEANT);
        call.arguments.as_object_mut().unwrap().remove(inner);
        match face {
            // There, flat parameters are not a mistake.
            Face::Dispatch => assert_eq!(Session::on(face).make(&call).ok()["content"], MEANT),
            _ => assert_eq!(mistake(face, &call, &fields)["content"], MEANT),
        }
    }
}

/// The flat form cannot contain a parameter with the name `operation`.
#[test]
fn flat_parameters_of_an_operation_with_a_parameter_operation() {
    let flat =
        json!({"operation": "patch", "path": "Wanted", "target_type": "block", "target": "a"});
    let call = Call { tool: "vault_write".to_owned(), arguments: flat };
    let error = Session::on(Face::Dispatch).fail(&call);
    assert_eq!(error["message"], "`vault.patch` has a parameter `operation` of its own.");
    assert_eq!(error["hint"], "Put the operation's own parameters inside `params`.");
    let example = Call { tool: call.tool, arguments: error["example"].clone() };
    let answer = Session::on(Face::Dispatch).make(&example);
    assert_eq!(answer.code(), "NOT_FOUND", "the example is valid, but its heading is missing");
}

#[test]
fn an_envelope_where_there_is_none() {
    for wrong in ["params", "args"] {
        let call = Face::Flat.call("read", "read", &json!({wrong: {"path": "Wanted"}}));
        let fields = [
            ("code", "VALIDATION_ERROR".into()),
            ("path", format!("/{wrong}").into()),
            ("expected", "path, format, lines, heading, block, max_bytes".into()),
            ("did_you_mean", Value::Null),
            (
                "hint",
                format!("Move the parameters out of `{wrong}`: this tool takes them directly.")
                    .into(),
            ),
        ];
        assert_eq!(mistake(Face::Flat, &call, &fields)["content"], MEANT);
    }
}

#[test]
fn an_envelope_without_a_name() {
    for face in [Face::Dispatch, Face::Meta] {
        let mut call = face.call("read", "read", &json!({"path": "Wanted"}));
        let name = if face == Face::Meta { "tool" } else { "operation" };
        call.arguments.as_object_mut().unwrap().remove(name);
        let fields = [
            ("code", "VALIDATION_ERROR".into()),
            ("path", format!("/{name}").into()),
            ("message", format!("`{name}` is missing.").into()),
        ];
        assert_eq!(mistake(face, &call, &fields)["content"], MEANT);
    }
}

#[test]
fn a_tool_of_another_effect() {
    for face in [Face::Dispatch, Face::Meta] {
        for (operation, right, wrong, arguments) in [
            ("append", "write", "read", json!({"path": "Wanted", "content": "more"})),
            ("delete", "delete", "write", json!({"path": "Wanted"})),
            ("read", "read", "delete", json!({"path": "Wanted"})),
        ] {
            let call = face.call(wrong, operation, &arguments);
            let expected = face.call(right, operation, &arguments);
            let fields = [
                ("code", "VALIDATION_ERROR".into()),
                ("operation", format!("vault.{operation}").into()),
                ("did_you_mean", json!([expected.tool])),
            ];
            assert_eq!(mistake(face, &call, &fields)["path"], "Wanted.md");
            let error = Session::on(face).fail(&call);
            assert_eq!(repair(&call, &error), expected, "the hint spells out the whole call");
        }
    }
}

#[test]
fn a_tool_of_another_effect_with_an_alias() {
    for (face, name) in [(Face::Dispatch, "operation"), (Face::Meta, "tool")] {
        let arguments = json!({"filename": "Wanted", "content": "more"});
        let mut call = face.call("read", "append", &arguments);
        call.arguments[name] = "append_to_vault_file".into();
        assert_eq!(mistake(face, &call, &[])["path"], "Wanted.md");
    }
}
