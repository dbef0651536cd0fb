//! What a message is about, by the words and expressions that speak for a subject. Nothing is kept between
//! messages: callers pass what earlier messages were about.

mod message;
mod previous;
mod rule;

use message::Message;

pub use previous::{InvalidPrevious, Previous};
pub use rule::{ContextRule, DetectedContext, InvalidRule};

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
