//! Detects the contexts of a message by keywords and patterns. Stateless: callers pass the contexts of
//! earlier messages.

mod message;
mod previous;
mod rule;

use message::Message;

pub use previous::{InvalidPrevious, Previous};
pub use rule::{ContextRule, DetectedContext, InvalidRule};

/// Whether a message may ask for something: it neither greets nor states.
pub fn asks(message: &str) -> bool {
    Message::new(message).asks()
}

/// Returns the contexts of a message, the most confident first; equally confident ones in the order of the
/// rules. `previous` are the contexts of earlier messages. The result is deterministic.
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
