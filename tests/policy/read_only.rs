//! A read-only server changes nothing, whatever is sent to whichever tool.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwrit_tests::vaults;

use crate::policy::manifest::Verdict;
use crate::policy::{Effect, Face, Manifest, Operation, serve, vault};

/// The three ways to make a server read-only.
const LIMITS: [&[&str]; 3] = [&["--read-only"], &["--role", "reader"], &["--focus", "read-only"]];

/// Names under which a caller might reach an operation.
fn spellings(operation: &Operation) -> Vec<String> {
    let mut names = vec![
        operation.id.clone(),
        operation.wire_name.clone(),
        operation.name.clone(),
        operation.id.to_uppercase(),
        format!(" {}", operation.id),
        operation.id.replace('.', "/"),
        format!("{}\0", operation.id),
        format!("{}.{}", operation.category, operation.id),
    ];
    names.extend(operation.aliases.clone());
    names
}

/// Every tool name of any surface, whether it is listed here or not.
fn tool_names(manifest: &Manifest) -> BTreeSet<String> {
    let own = ["execute", "discover", "search_tools", "describe_tools", "call"];
    let mut names = BTreeSet::from(own.map(str::to_owned));
    names.extend(Effect::ALL.map(|effect| format!("execute_{}", effect.tool_suffix())));
    for operation in &manifest.operations {
        names.extend(Face::ALL.map(|face| face.tool_for(operation)));
    }
    names
}

/// Notations of an operation's name and arguments for any of the tools.
fn envelopes(name: &str, arguments: &Value) -> Vec<Value> {
    let text = arguments.to_string();
    vec![
        json!({"tool": name, "args": arguments}),
        json!({"tool": name, "args": text}),
        json!({"tool": name, "args": arguments, "role": "owner", "focus": "full"}),
        json!({"operation": name, "params": arguments}),
        json!({"operation": name, "params": text}),
        json!({"operation": name, "tool": name, "args": arguments, "params": arguments}),
        json!({"tool": "execute", "args": {"tool": name, "args": arguments}}),
        json!({"tool": [name], "args": arguments}),
    ]
}

/// Every attempt: tool and arguments. Each tool of any surface with each notation, and each name as a tool
/// and through the tools of this surface.
fn attempts(manifest: &Manifest, face: Face) -> Vec<(String, Value)> {
    let mut attempts = Vec::new();
    for operation in manifest.operations.iter().filter(|o| o.effect != Effect::Read) {
        let mut plain = vec![operation.example.clone()];
        for extra in [json!({"dry_run": false}), json!({"role": "owner"}), json!({"writes": true})]
        {
            let mut arguments = operation.example.clone();
            arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            plain.push(arguments);
        }
        for envelope in envelopes(&operation.id, &operation.example) {
            attempts.extend(tool_names(manifest).into_iter().map(|door| (door, envelope.clone())));
        }
        // A flat tool is its operation, so it may succeed with the arguments of another.
        let shared = manifest.operations.iter().filter(|_| face != Face::Flat);
        let own: BTreeSet<String> = shared.map(|operation| face.tool_for(operation)).collect();
        for name in spellings(operation) {
            attempts.extend(plain.iter().map(|arguments| (name.clone(), arguments.clone())));
            let envelope = face.envelope(operation, &name);
            attempts.extend(own.iter().map(|door| (door.clone(), envelope.clone())));
        }
    }
    attempts
}

fn nothing_changes(face: Face) {
    let manifest = Manifest::shipped();
    let attempts = attempts(&manifest, face);
    assert!(attempts.len() > 1000, "{}", attempts.len());
    for flags in LIMITS {
        let folder = vault();
        let before = vaults::contents(folder.path());
        let mut client = serve(folder.path(), face, flags);
        for batch in attempts.chunks(200) {
            let ids: Vec<u64> =
                batch.iter().map(|(tool, arguments)| client.begin_call(tool, arguments)).collect();
            for ((tool, arguments), id) in batch.iter().zip(ids) {
                let answer = client.finish_call(id);
                assert!(answer.is_error(), "{face:?} {flags:?}: {tool} {arguments} was done");
                assert_ne!(answer.code(), "INTERNAL", "{face:?} {flags:?}: {tool} {arguments}");
            }
        }
        client.close();
        assert_eq!(vaults::contents(folder.path()), before, "{face:?} {flags:?}");
    }
}

#[test]
fn flat_writes_nothing() {
    nothing_changes(Face::Flat);
}

#[test]
fn dispatch_writes_nothing() {
    nothing_changes(Face::Dispatch { split: true });
    nothing_changes(Face::Dispatch { split: false });
}

#[test]
fn meta_writes_nothing() {
    nothing_changes(Face::Meta { split: true });
    nothing_changes(Face::Meta { split: false });
}

/// The same attempts change the vault if they are allowed, so the test can fail.
#[test]
fn the_same_calls_write_without_read_only() {
    let manifest = Manifest::shipped();
    for face in Face::ALL {
        let folder = vault();
        let before = vaults::contents(folder.path());
        let mut client = serve(folder.path(), face, &[]);
        for operation in manifest.operations.iter().filter(|o| o.effect != Effect::Read) {
            let envelope = face.envelope(operation, &operation.id);
            client.call(&face.tool_for(operation), &envelope);
        }
        client.close();
        assert_ne!(vaults::contents(folder.path()), before, "{face:?}");
    }
}

/// On a server that may write, too, an operation runs only through its own tool.
#[test]
fn a_tool_runs_no_operation_of_another_effect() {
    let manifest = Manifest::shipped();
    for face in [Face::Dispatch { split: true }, Face::Meta { split: true }] {
        let folder = vault();
        let before = vaults::contents(folder.path());
        let mut client = serve(folder.path(), face, &[]);
        // An operation whose provider is missing is refused for that reason by every tool.
        let there = |operation: &&Operation| {
            manifest.verdict("full", "owner", true, operation) == Verdict::Visible
        };
        let split =
            |operation: &&Operation| matches!(face, Face::Meta { .. }) || !operation.is_direct;
        for operation in manifest.operations.iter().filter(there).filter(split) {
            let own = face.tool_for(operation);
            // There is no tool for an effect that no operation of the category has.
            let has = |effect: &Effect| {
                let meta = matches!(face, Face::Meta { .. });
                let mut all = manifest.operations.iter();
                all.any(|o| (meta || o.category == operation.category) && o.effect == *effect)
            };
            let others = Effect::ALL.into_iter().filter(has).map(|effect| match face {
                Face::Meta { .. } => format!("execute_{}", effect.tool_suffix()),
                _ => format!("{}_{}", operation.category_tool, effect.tool_suffix()),
            });
            for door in others.filter(|door| *door != own) {
                let names = operation.aliases.iter().chain([&operation.id, &operation.wire_name]);
                for name in names {
                    let error = client.call(&door, &face.envelope(operation, name)).error();
                    assert_eq!(error["code"], "VALIDATION_ERROR", "{door} {name}");
                    assert_eq!(error["operation"], operation.id.as_str(), "{door} {name}");
                    assert_eq!(error["did_you_mean"], json!([own]), "{door} {name}");
                }
            }
        }
        client.close();
        assert_eq!(vaults::contents(folder.path()), before, "{face:?}");
    }
}
