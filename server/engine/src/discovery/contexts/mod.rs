//! What a message is about, and what is then relevant: by an authority's `contexts`, or by rules that a
//! program makes itself. Whoever remembers what earlier messages were about says so; nothing is kept
//! here.

mod message;
mod previous;
mod rule;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::authority::{Authority, Operation, contains};
use crate::policy::Policy;
use message::Message;

pub use previous::{InvalidPrevious, Previous};
pub use rule::{ContextRule, DetectedContext, InvalidRule};

/// Why nothing is relevant to a message.
pub(crate) const NO_CONTEXT: &str = "no_context_detected";

/// The subjects found in a message, and the operations that are then relevant.
#[derive(Debug)]
pub(crate) struct Detection {
    pub(crate) contexts: Vec<DetectedContext>,
    pub(crate) operations: Vec<&'static Operation>,
    /// How many the caller may use at all.
    pub(crate) visible: usize,
}

impl Detection {
    /// The answer to whoever asked what a message needs, with the operations as they are shown there.
    pub(crate) fn answer(&self, key: &str, operations: Value) -> Value {
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

/// The contexts that a message is about, the most confident first; equally confident ones stay in the
/// order of the rules. `previous` is what earlier messages were about. The same input always gives the
/// same answer.
pub fn extract_contexts<'a>(
    rules: impl IntoIterator<Item = &'a ContextRule>,
    message: &str,
    previous: &Previous,
) -> Vec<DetectedContext> {
    let message = Message::new(message);
    let found = rules.into_iter().filter_map(|rule| rule.detect(&message, previous));
    let mut found: Vec<DetectedContext> = found.collect();
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    found
}

/// The rules of an authority's contexts, in their order.
pub(crate) fn rules(authority: &Authority) -> Vec<ContextRule> {
    authority.contexts.iter().map(ContextRule::declared).collect()
}

/// The same for operations that the policy lets a caller see. A context without any of them does not
/// exist for this caller. Nothing found means no operations.
pub(crate) fn detect(
    policy: &Arc<Policy>,
    rules: &[ContextRule],
    message: &str,
    previous: &Previous,
) -> Detection {
    let visible: Vec<(usize, &'static Operation)> = policy.visible().collect();
    let declared = policy.authority.contexts;
    let some = |set: &[u64]| visible.iter().any(|(index, _)| contains(set, *index));
    let known = rules.iter().zip(declared).filter(|(_, context)| some(context.operations));
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
