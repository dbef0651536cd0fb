//! Detects which of an authority's `contexts` a message belongs to, and which operations are relevant to it.

use serde_json::{Value, json};

use toolwrit_core::authority::{DeclaredContext, Operation, Sign, Tables, contains};
use toolwrit_core::policy::Policy;
use toolwrit_retrieval::contexts::{
    ContextRule, DetectedContext, InvalidRule, Previous, asks, extract_contexts,
};

use super::indexes::Indexes;

/// The reason in an answer without operations: the message belongs to no context.
pub(crate) const NO_CONTEXT: &str = "no_context_detected";

/// The contexts detected in a message, and the operations relevant to them.
#[derive(Debug)]
pub struct Detection<'a> {
    pub contexts: Vec<DetectedContext>,
    pub operations: Vec<&'a Operation>,
    /// How many operations the caller may use in all; 0 without a context.
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
        answer["reductionPercent"] = reduction_percent(original, returned).into();
        if returned == 0 {
            answer["reason"] = NO_CONTEXT.into();
        }
        answer
    }
}

/// How many percent fewer tools are returned than there are, rounded.
pub(crate) fn reduction_percent(original: usize, returned: usize) -> usize {
    let all = original.max(1);
    (100 * (original - returned.min(original)) + all / 2) / all
}

/// Compiles the rules of an authority's contexts, in manifest order.
pub(crate) fn rules(tables: &Tables) -> Vec<ContextRule> {
    tables.contexts.iter().filter_map(|context| rule(context).ok()).collect()
}

/// Compiles the rule of one context. Validation of the manifest has already refused invalid ones.
fn rule(context: &DeclaredContext) -> Result<ContextRule, InvalidRule> {
    let rule = ContextRule::new(context.name.as_str()).threshold(context.threshold)?;
    let keyword = |rule: ContextRule, sign: &Sign| rule.keyword(&sign.text, sign.weight);
    let subject = |rule: ContextRule, sign: &Sign| rule.subject(&sign.text, sign.weight);
    let pattern = |rule: ContextRule, sign: &Sign| rule.pattern(&sign.text, sign.weight);
    let rule = context.subjects.iter().try_fold(rule, subject)?;
    let rule = context.keywords.iter().try_fold(rule, keyword)?;
    context.patterns.iter().try_fold(rule, pattern)
}

/// Operations that a message may mean: the first ones of a search.
const MOST_MEANT: usize = 3;
/// The least evidence that a message means an operation.
const MEANT: f32 = 0.0;

/// Detects the contexts of a message by their rules and by what a search finds, and selects the visible operations relevant
/// to them. A context without visible operations is never detected. Without a context there are no operations.
pub(crate) fn detect<'a>(
    policy: &'a Policy,
    rules: &[ContextRule],
    indexes: &Indexes,
    message: &str,
    previous: &Previous,
) -> Detection<'a> {
    let declared = policy.tables().contexts.iter();
    let known = rules.iter().zip(declared).filter(|(_, context)| is_known(policy, context));
    let mut contexts = extract_contexts(known.map(|(rule, _)| rule), message, previous);
    if asks(message) {
        add_meant(policy, indexes, message, &mut contexts);
    }
    relevant(policy, contexts)
}

/// Adds the contexts of what a search finds first, unless one of those found before has it: those that include it, or its
/// category if none does.
fn add_meant(
    policy: &Policy,
    indexes: &Indexes,
    message: &str,
    contexts: &mut Vec<DetectedContext>,
) {
    let tables = policy.tables();
    let (found, _) = indexes.search(policy, message, |_| true);
    for found in found.iter().take(MOST_MEANT) {
        let (operation, sum) = (&tables.operations[found.operation], found.hit.evidence.sum());
        let has = |context: &DetectedContext| is_in(tables, &context.name, found.operation);
        if sum < MEANT || contexts.iter().any(has) {
            continue;
        }
        contexts.extend(contexts_of(tables, operation).into_iter().map(|name| DetectedContext {
            name: name.to_owned(),
            confidence: confidence(sum),
            matched: vec![operation.id.clone()],
        }));
    }
}

/// The confidence for a sum of evidence, in hundredths: 0 gives 0.5.
fn confidence(sum: f32) -> f64 {
    (100.0 / (1.0 + (-f64::from(sum)).exp())).round() / 100.0
}

/// Selects the visible operations of the contexts and categories that a text names in any case, separated by commas. Other
/// names are ignored, among them those of contexts without visible operations.
pub(crate) fn find_contexts<'a>(policy: &'a Policy, text: &str) -> Detection<'a> {
    let tables = policy.tables();
    let wanted: Vec<String> = text.split(',').map(|name| name.trim().to_lowercase()).collect();
    let declared = tables.contexts.iter().filter(|context| is_known(policy, context));
    let declared: Vec<&str> = declared.map(|context| context.name.as_str()).collect();
    let is_free = |name: &&str| !tables.contexts.iter().any(|context| context.name == *name);
    let visible = policy.visible().map(|(_, operation)| tables.category_of(operation));
    let mut categories: Vec<&str> = visible.map(|category| category.name.as_str()).collect();
    categories.dedup();
    let names = declared.into_iter().chain(categories.into_iter().filter(is_free));
    let mut contexts: Vec<DetectedContext> = Vec::new();
    for name in names.filter(|name| wanted.contains(&name.to_lowercase())) {
        if contexts.iter().all(|context| context.name != name) {
            contexts.push(DetectedContext {
                name: name.to_owned(),
                confidence: 1.0,
                matched: Vec::new(),
            });
        }
    }
    relevant(policy, contexts)
}

/// Returns the names of the contexts to which an operation is relevant: those that declare it, or else its category.
pub(crate) fn contexts_of<'a>(tables: &'a Tables, operation: &Operation) -> Vec<&'a str> {
    let index = tables.operations.iter().position(|other| other.id == operation.id);
    let holds = |context: &&DeclaredContext| {
        index.is_some_and(|index| contains(&context.operations, index))
    };
    let declared = tables.contexts.iter().filter(holds);
    let names: Vec<&str> = declared.map(|context| context.name.as_str()).collect();
    if names.is_empty() { vec![tables.category_of(operation).name.as_str()] } else { names }
}

/// Whether a context, or else a category, of this name has an operation.
fn is_in(tables: &Tables, name: &str, index: usize) -> bool {
    match tables.contexts.iter().find(|context| context.name == name) {
        Some(context) => contains(&context.operations, index),
        None => tables.category_of(&tables.operations[index]).name == name,
    }
}

/// Whether a context has an operation that the caller sees.
fn is_known(policy: &Policy, context: &DeclaredContext) -> bool {
    policy.visible().any(|(index, _)| contains(&context.operations, index))
}

/// Adds the visible operations that are relevant to any of the contexts.
fn relevant(policy: &Policy, contexts: Vec<DetectedContext>) -> Detection<'_> {
    let tables = policy.tables();
    let holds = |index: usize| contexts.iter().any(|context| is_in(tables, &context.name, index));
    let operations = policy.visible().filter(|(index, _)| holds(*index)).map(|(_, o)| o).collect();
    // Without a context nothing is filtered, and nothing counted.
    let visible = if contexts.is_empty() { 0 } else { policy.visible().count() };
    Detection { contexts, operations, visible }
}
