//! Restrictions only ever take away.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::{Face, Manifest, listed, serve, vault};

/// A step that an operator may take to restrict a server further.
#[derive(Debug, Clone)]
enum Step {
    ReadOnly,
    Exclude(String),
    Tools(String),
    Role(&'static str),
    Focus(&'static str),
}

/// Flags after some steps. A later role or focus mode is narrower than an earlier one.
#[derive(Debug, Clone, Default)]
struct Flags {
    read_only: bool,
    exclude: Vec<String>,
    tools: Option<String>,
    role: Option<&'static str>,
    focus: Option<&'static str>,
}

impl Flags {
    /// Takes a step, unless it would not narrow: roles and focus modes are not all comparable, and
    /// a second `--tools` adds to the first.
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
    // Each case starts a handful of servers.
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
