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
    pub operations: Vec<&'a Operation>,
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
pub(crate) fn rules(tables: &Tables) -> Vec<ContextRule> {
    tables.contexts.iter().filter_map(|context| rule(context).ok()).collect()
}

/// Compiles the rule of one context. Validation of the manifest has already refused invalid ones.
fn rule(context: &DeclaredContext) -> Result<ContextRule, InvalidRule> {
    let rule = ContextRule::new(context.name.as_str()).threshold(context.threshold)?;
    let keyword = |rule: ContextRule, sign: &Sign| rule.keyword(&sign.text, sign.weight);
    let pattern = |rule: ContextRule, sign: &Sign| rule.pattern(&sign.text, sign.weight);
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
    let declared = policy.tables().contexts.iter();
    let known = rules.iter().zip(declared).filter(|(_, context)| is_known(policy, context));
    relevant(policy, extract_contexts(known.map(|(rule, _)| rule), message, previous))
}

/// Selects the visible operations of the contexts that a text names, separated by commas. Other names are
/// ignored, among them those of contexts without visible operations.
pub(crate) fn find_contexts<'a>(policy: &'a Policy, text: &str) -> Detection<'a> {
    let wanted: Vec<&str> = text.split(',').map(str::trim).collect();
    let declared = policy.tables().contexts.iter();
    let named = declared.filter(|context| wanted.contains(&context.name.as_str()));
    let contexts = named.filter(|context| is_known(policy, context)).map(|context| {
        DetectedContext { name: context.name.clone(), confidence: 1.0, matched: Vec::new() }
    });
    relevant(policy, contexts.collect())
}

/// Returns the names of the contexts to which an operation is relevant.
pub(crate) fn contexts_of<'a>(
    tables: &'a Tables,
    operation: &Operation,
) -> impl Iterator<Item = &'a str> {
    let index = tables.operations.iter().position(|other| other.id == operation.id);
    let holds = move |context: &&DeclaredContext| {
        index.is_some_and(|index| contains(&context.operations, index))
    };
    tables.contexts.iter().filter(holds).map(|context| context.name.as_str())
}

/// Whether a context has an operation that the caller sees.
fn is_known(policy: &Policy, context: &DeclaredContext) -> bool {
    policy.visible().any(|(index, _)| contains(&context.operations, index))
}

/// Adds the visible operations that are relevant to any of the contexts.
fn relevant(policy: &Policy, contexts: Vec<DetectedContext>) -> Detection<'_> {
    let declared = policy.tables().contexts.iter();
    let sets: Vec<&[u64]> = declared
        .filter(|context| contexts.iter().any(|found| found.name == context.name))
        .map(|context| context.operations.as_slice())
        .collect();
    let holds = |index: usize| sets.iter().any(|set| contains(set, index));
    let operations = policy.visible().filter(|(index, _)| holds(*index)).map(|(_, o)| o).collect();
    Detection { contexts, operations, visible: policy.visible().count() }
}
