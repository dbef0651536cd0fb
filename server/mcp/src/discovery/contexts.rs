//! Detects which of an authority's `contexts` a message belongs to, and which operations are relevant to it.

use serde_json::{Value, json};

use toolwrit_core::authority::{DeclaredContext, Operation, Sign, Tables, contains};
use toolwrit_core::policy::Policy;
use toolwrit_retrieval::contexts::{
    ContextRule, DetectedContext, InvalidRule, Previous, extract_contexts,
};

/// The reason in an answer without operations: the message belongs to no context.
pub(crate) const NO_CONTEXT: &str = "no_context_detected";

/// The contexts detected in a message, and the operations relevant to them.
#[derive(Debug)]
pub struct Detection<'a> {
    pub contexts: Vec<DetectedContext>,
    pub operations: Vec<&'a Operation<'a>>,
    /// How many operations the caller may use in all.
    pub(crate) visible: usize,
}

impl Detection<'_> {
    /// Builds the JSON answer: contexts, counts, and `operations` under `key`.
    pub fn answer(&self, key: &str, operations: Value) -> Value {
        let (original, returned) = (self.visible, self.operations.len());
        let mut answer = json!({ "contexts": self.contexts });
        answer[key] = operations;
        answer["originalCount"] = original.into();
        answer["returnedCount"] = returned.into();
        answer["reductionPercent"] = (100 * (original - returned) / original.max(1)).into();
        if returned == 0 {
            answer["reason"] = NO_CONTEXT.into();
        }
        answer
    }
}

/// Compiles the rules of an authority's contexts, in manifest order.
pub(crate) fn rules(tables: &Tables<'_>) -> Vec<ContextRule> {
    tables.contexts.iter().filter_map(|context| rule(context).ok()).collect()
}

/// Compiles the rule of one context. Validation of the manifest has already refused invalid ones.
fn rule(context: &DeclaredContext<'_>) -> Result<ContextRule, InvalidRule> {
    let rule = ContextRule::new(context.name).threshold(context.threshold)?;
    let keyword = |rule: ContextRule, sign: &Sign<'_>| rule.keyword(sign.text, sign.weight);
    let pattern = |rule: ContextRule, sign: &Sign<'_>| rule.pattern(sign.text, sign.weight);
    let rule = context.keywords.iter().try_fold(rule, keyword)?;
    context.patterns.iter().try_fold(rule, pattern)
}

/// Detects the contexts of a message, and selects the visible operations relevant to them. A context without
/// visible operations is never detected. Without a context there are no operations.
pub(crate) fn detect<'a>(
    policy: &'a Policy,
    rules: &[ContextRule],
    message: &str,
    previous: &Previous,
) -> Detection<'a> {
    let visible: Vec<(usize, &Operation<'_>)> = policy.visible().collect();
    let declared = policy.tables().contexts;
    let has_visible = |set: &[u64]| visible.iter().any(|(index, _)| contains(set, *index));
    let known = rules.iter().zip(declared).filter(|(_, context)| has_visible(context.operations));
    let contexts = extract_contexts(known.map(|(rule, _)| rule), message, previous);
    let sets: Vec<&[u64]> = declared
        .iter()
        .filter(|context| contexts.iter().any(|found| found.name == context.name))
        .map(|context| context.operations)
        .collect();
    let relevant = |index: usize| sets.iter().any(|set| contains(set, index));
    Detection {
        contexts,
        operations: visible.iter().filter(|(i, _)| relevant(*i)).map(|(_, o)| *o).collect(),
        visible: visible.len(),
    }
}
