//! Joins the root file and all included files.

use std::collections::HashMap;

use super::document::{
    RawBudget, RawCategory, RawContext, RawCookbook, RawError, RawFocus, RawGap, RawIncluded,
    RawLimits, RawMergedTool, RawOperation, RawPrompt, RawProvider, RawRemovedTool, RawResource,
    RawRole, RawRoot, RawServer,
};
use super::lock_file::LockFile;
use super::read::{Entries, Entry};
use super::unions::RawShape;
use crate::diagnostics::{Problem, Report, Source};
use crate::yaml::Text;

/// What all files of a load declare together. Names are unique in each list.
#[derive(Debug, Default)]
pub(crate) struct RawManifest {
    pub(crate) server: RawServer,
    pub(crate) limits: RawLimits,
    pub(crate) budget: RawBudget,
    pub(crate) focus: Vec<Entry<RawFocus>>,
    pub(crate) roles: Vec<Entry<RawRole>>,
    pub(crate) verbs: Vec<Entry<Vec<Text>>>,
    pub(crate) gaps: Vec<RawGap>,
    pub(crate) types: Vec<Entry<RawShape>>,
    pub(crate) categories: Vec<Entry<RawCategory>>,
    pub(crate) contexts: Vec<Entry<RawContext>>,
    pub(crate) providers: Vec<Entry<RawProvider>>,
    pub(crate) errors: Vec<Entry<RawError>>,
    pub(crate) operations: Vec<Entry<RawOperation>>,
    pub(crate) tools: Vec<Entry<RawMergedTool>>,
    pub(crate) removed: Vec<Entry<RawRemovedTool>>,
    pub(crate) resources: Vec<Entry<RawResource>>,
    pub(crate) prompts: Vec<Entry<RawPrompt>>,
    pub(crate) cookbooks: Vec<Entry<RawCookbook>>,
    /// The file and the text of each cookbook.
    pub(crate) guides: Vec<Source>,
    /// The lock file of each provider.
    pub(crate) locks: Vec<Option<LockFile>>,
}

impl RawManifest {
    /// Joins the parts, the root file's own first.
    pub(crate) fn new(root: RawRoot, included: Vec<RawIncluded>, report: &mut Report) -> Self {
        let mut manifest = Self {
            server: root.server.unwrap_or_default(),
            limits: root.limits.unwrap_or_default(),
            budget: root.budget.unwrap_or_default(),
            focus: root.focus.unwrap_or_default().0,
            roles: root.roles.unwrap_or_default().0,
            verbs: root.verbs.unwrap_or_default().0,
            gaps: root.gaps.unwrap_or_default(),
            ..Self::default()
        };
        let root_part = RawIncluded {
            toolwrit: root.toolwrit,
            types: root.types,
            categories: root.categories,
            contexts: root.contexts,
            providers: root.providers,
            errors: root.errors,
            operations: root.operations,
            tools: root.tools,
            removed: root.removed,
            resources: root.resources,
            prompts: root.prompts,
            cookbooks: root.cookbooks,
        };
        let mut parts = vec![root_part];
        parts.extend(included);
        macro_rules! join {
            ($($list:ident, $what:literal;)*) => {$(
                let lists = parts.iter_mut().filter_map(|part| part.$list.take());
                manifest.$list = unique(lists, $what, report);
            )*};
        }
        join! {
            types, "type";
            categories, "category";
            contexts, "context";
            providers, "provider";
            errors, "error";
            operations, "operation";
            tools, "tool";
            removed, "removed tool";
            resources, "resource";
            prompts, "prompt";
            cookbooks, "cookbook";
        }
        manifest
    }
}

/// All entries in order; the second of two equal names is reported and left out.
fn unique<T>(
    lists: impl Iterator<Item = Entries<T>>,
    what: &str,
    report: &mut Report,
) -> Vec<Entry<T>> {
    let mut first = HashMap::new();
    let mut kept = Vec::new();
    for entry in lists.flat_map(|list| list.0) {
        if let Some(place) = first.get(&entry.key.value) {
            let message = format!("the {what} `{}` is declared twice", entry.key.value);
            report.push(Problem::error(entry.key.place, message).note("first declared at", *place));
        } else {
            first.insert(entry.key.value.clone(), entry.key.place);
            kept.push(entry);
        }
    }
    kept
}
