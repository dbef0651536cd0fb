//! An operation that a role may not use looks like one that was never declared.

use serde_json::{Value, json};

use crate::policy::{Effect, Face, Manifest, serve, vault};

/// The answer to a call, without the called name.
fn anonymous(error: &Value, name: &str) -> Value {
    serde_json::from_str(&error.to_string().replace(name, "<name>")).unwrap()
}

#[test]
fn a_hidden_operation_is_answered_like_an_unknown_one() {
    let manifest = Manifest::shipped();
    for face in Face::ALL {
        let folder = vault();
        let mut client = serve(folder.path(), face, &["--role", "reader"]);
        let hidden = manifest.operations.iter().filter(|o| o.effect != Effect::Read);
        for operation in hidden {
            // Either every server has these tools, whatever the role, or none has.
            let names = [&operation.wire_name, &operation.id];
            for name in names.into_iter().chain(operation.aliases.first()) {
                // As long as the name and as different from all others, but never declared.
                let unknown: String =
                    name.chars().map(|c| if c == '_' { '_' } else { 'q' }).collect();
                let mut answer =
                    |tool: &str, arguments: &Value| client.call(tool, arguments).error();
                let real = anonymous(&answer(name, &operation.example), name);
                let fake = anonymous(&answer(&unknown, &operation.example), &unknown);
                assert_eq!(keys(&real), keys(&fake), "{face:?} {name}: {real} or {fake}");
                assert_eq!(real["message"], fake["message"], "{face:?} {name}");
                assert_eq!(real["hint"], fake["hint"], "{face:?} {name}");
                if let Face::Meta { .. } = face {
                    let door = if face == (Face::Meta { split: true }) {
                        "execute_read"
                    } else {
                        "execute"
                    };
                    let inner = |name: &str| json!({"tool": name, "args": operation.example});
                    let real = anonymous(&answer(door, &inner(name)), name);
                    let fake = anonymous(&answer(door, &inner(&unknown)), &unknown);
                    assert_eq!(keys(&real), keys(&fake), "{face:?} {name}: {real} or {fake}");
                }
            }
        }
    }
}

/// The fields of a failure, without those that only a similar name has.
fn keys(error: &Value) -> Vec<&String> {
    let by_closeness = ["did_you_mean", "signature", "example"];
    let fields = error.as_object().unwrap().keys();
    fields.filter(|key| !by_closeness.contains(&key.as_str())).collect()
}

#[test]
fn suggestions_name_only_tools_and_operations_that_can_be_used() {
    let manifest = Manifest::shipped();
    for face in Face::ALL {
        let folder = vault();
        let mut client = serve(folder.path(), face, &["--role", "reader"]);
        let tools: Vec<String> = crate::policy::listed(&mut client);
        for operation in &manifest.operations {
            for name in [format!("{}x", operation.wire_name), operation.wire_name.clone()] {
                let answer = client.call(&name, &operation.example);
                if !answer.is_error() {
                    continue;
                }
                let error = answer.error();
                if error["code"] != "TOOL_NOT_FOUND" {
                    continue;
                }
                for suggested in error["did_you_mean"].as_array().into_iter().flatten() {
                    let suggested = suggested.as_str().unwrap();
                    let usable = manifest
                        .operations
                        .iter()
                        .any(|o| o.effect == Effect::Read && o.id == suggested);
                    let listed = tools.iter().any(|tool| tool == suggested);
                    let right = if face == Face::Flat { listed } else { listed || usable };
                    assert!(right, "{face:?}: {name} suggests {suggested}");
                }
            }
        }
    }
}
