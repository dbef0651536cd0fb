//! Restrictions never allow more.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::policy::{Effect, Face, Manifest, Operation, listed, serve, vault};

/// A step by which an operator restricts a server further.
#[derive(Debug, Clone)]
enum Step {
    ReadOnly,
    Exclude(String),
    Tools(String),
    Role(&'static str),
    Focus(&'static str),
}

/// The flags after some steps. A later role or focus mode is narrower than an earlier one.
#[derive(Debug, Clone, Default)]
struct Flags {
    read_only: bool,
    exclude: Vec<String>,
    tools: Option<String>,
    role: Option<&'static str>,
    focus: Option<&'static str>,
}

impl Flags {
    /// Takes a step if it narrows: not all roles and focus modes are comparable, and a second `--tools`
    /// adds to the first.
    fn take(&mut self, step: &Step) {
        match step {
            Step::ReadOnly => self.read_only = true,
            Step::Exclude(selector) => self.exclude.push(selector.clone()),
            Step::Tools(selector) => drop(self.tools.get_or_insert_with(|| selector.clone())),
            Step::Role(role) => match self.role {
                Some("reader") => {}
                _ => self.role = Some(role),
            },
            Step::Focus(focus) => drop(self.focus.get_or_insert(focus)),
        }
    }

    fn visible(&self) -> BTreeSet<String> {
        let exclude = self.exclude.join(",");
        let mut flags = Vec::new();
        flags.extend(self.read_only.then_some("--read-only"));
        if !exclude.is_empty() {
            flags.extend(["--exclude", &exclude]);
        }
        flags.extend(self.tools.iter().flat_map(|tools| ["--tools", tools]));
        flags.extend(self.role.iter().flat_map(|role| ["--role", role]));
        flags.extend(self.focus.iter().flat_map(|focus| ["--focus", focus]));
        let folder = vault();
        let mut client = serve(folder.path(), Face::Flat, &flags);
        listed(&mut client).into_iter().collect()
    }
}

/// Selectors of more than one operation.
const SETS: [&str; 6] =
    ["effect:read", "effect:write", "effect:destroy", "tag:tidy", "tag:bulk", "vault"];

fn selector() -> impl Strategy<Value = String> {
    let ids: Vec<String> =
        Manifest::shipped().operations.into_iter().map(|operation| operation.id).collect();
    prop_oneof![
        3 => prop::sample::select(ids),
        1 => prop::sample::select(SETS.as_slice()).prop_map(str::to_owned),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::ReadOnly),
        3 => selector().prop_map(Step::Exclude),
        1 => selector().prop_map(Step::Tools),
        1 => prop::sample::select(["editor", "reader"].as_slice()).prop_map(Step::Role),
        1 => prop::sample::select(["content-editing", "read-only"].as_slice()).prop_map(Step::Focus),
    ]
}

proptest! {
    // Each case starts several servers.
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_narrower_server_shows_nothing_new(steps in prop::collection::vec(step(), 1..6)) {
        let mut flags = Flags::default();
        let mut wider = flags.visible();
        for step in &steps {
            flags.take(step);
            let narrower = flags.visible();
            prop_assert!(narrower.is_subset(&wider), "{step:?} in {flags:?}: {narrower:?}");
            wider = narrower;
        }
    }
}

/// Calls an operation through `execute` with a focus mode and a role chosen by the caller.
fn execute(
    client: &mut toolwrit_tests::drivers::client::Client,
    operation: &Operation,
    focus: Option<&str>,
    role: Option<&str>,
) -> Value {
    let mut arguments = json!({"tool": operation.id, "args": operation.example});
    let named = [("focus", focus), ("role", role)].into_iter();
    for (key, name) in named.filter_map(|(key, name)| name.map(|name| (key, name))) {
        arguments[key] = name.into();
    }
    let answer = client.call("execute", &arguments);
    if answer.is_error() { answer.error()["code"].clone() } else { Value::Null }
}

#[test]
fn an_execute_call_narrows_itself_and_never_widens() {
    let manifest = Manifest::shipped();
    for operation in manifest.operations.iter().filter(|o| o.effect != Effect::Read) {
        let folder = vault();
        let mut owner = serve(folder.path(), Face::Meta { split: false }, &[]);
        let code = execute(&mut owner, operation, None, Some("reader"));
        assert_eq!(code, "TOOL_NOT_FOUND", "{} as reader", operation.id);
        let code = execute(&mut owner, operation, Some("read-only"), None);
        assert_eq!(code, "FOCUS_RESTRICTED", "{} in read-only", operation.id);
        let code = execute(&mut owner, operation, Some("full"), Some("reader"));
        assert_eq!(code, "TOOL_NOT_FOUND", "{} as reader in full", operation.id);

        let mut reader = serve(folder.path(), Face::Meta { split: false }, &["--role", "reader"]);
        let code = execute(&mut reader, operation, Some("full"), Some("owner"));
        assert_eq!(code, "TOOL_NOT_FOUND", "{} by a reader as owner", operation.id);

        let flags = ["--focus", "read-only"];
        let mut focused = serve(folder.path(), Face::Meta { split: false }, &flags);
        let code = execute(&mut focused, operation, Some("full"), None);
        assert_eq!(code, "FOCUS_RESTRICTED", "{} back in full", operation.id);
    }
}

#[test]
fn an_unknown_focus_mode_or_role_is_named_with_the_right_ones() {
    let folder = vault();
    let mut client = serve(folder.path(), Face::Meta { split: false }, &[]);
    for (key, wrong, right) in [("focus", "read_only", "read-only"), ("role", "raeder", "reader")] {
        let arguments = json!({"tool": "vault.list", "args": {}, key: wrong});
        let error = client.call("execute", &arguments).error();
        assert_eq!(error["code"], "VALIDATION_ERROR");
        assert_eq!(error["path"], format!("/{key}"));
        assert_eq!(error["did_you_mean"], json!([right]));
    }
}
