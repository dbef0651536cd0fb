//! What a message is about, by the manifest's `contexts`.

use std::sync::Arc;

use super::text::stems;
use crate::authority::{ContextRule, Operation, contains};
use crate::policy::Policy;

/// The subjects found in a message, and the operations that are then relevant.
#[derive(Debug)]
pub(crate) struct Detection {
    pub(crate) contexts: Vec<&'static str>,
    pub(crate) operations: Vec<&'static Operation>,
    /// How many the caller may use at all.
    pub(crate) visible: usize,
}

/// Looks for every context's keywords and patterns. Nothing found means no operations.
pub(crate) fn detect(policy: &Arc<Policy>, message: &str) -> Detection {
    let words = stems(message);
    let found: Vec<&'static ContextRule> =
        policy.authority.contexts.iter().filter(|rule| speaks_of(rule, message, &words)).collect();
    let relevant = |index: usize| found.iter().any(|rule| contains(rule.operations, index));
    let visible: Vec<_> = policy.visible().collect();
    Detection {
        contexts: found.iter().map(|rule| rule.name).collect(),
        operations: visible.iter().filter(|(i, _)| relevant(*i)).map(|(_, o)| *o).collect(),
        visible: visible.len(),
    }
}

fn speaks_of(rule: &ContextRule, message: &str, words: &[String]) -> bool {
    // A keyword of several words counts when all of them are there.
    let said = |keyword: &&str| {
        let parts = stems(keyword);
        !parts.is_empty() && parts.iter().all(|part| words.contains(part))
    };
    rule.keywords.iter().any(said) || rule.patterns.iter().any(|p| p.is_match(message))
}
