//! Finds operations: by name, by words, or by the text of a message. Every answer is filtered by the
//! caller's policy before it is ranked.

mod contexts;
mod indexes;
mod withheld;

pub(crate) use contexts::{
    Detection, NO_CONTEXT, contexts_of, detect, find_contexts, reduction_percent, rules,
};
pub(crate) use indexes::Indexes;
pub(crate) use withheld::{Withheld, find_withheld};

use toolwrit_core::authority::{Effect, Operation};

/// Returns the line that describes an operation in a listing: `vault.read(..) -> T  # Read a note. (strong)`
pub(crate) fn line(operation: &Operation, marks: &[&str]) -> String {
    let own_mark = match (operation.effect, operation.deprecated.is_some()) {
        (_, true) => Some("deprecated"),
        (Effect::Destroy, _) => Some("destroys"),
        _ => None,
    };
    let marks: Vec<&str> = marks.iter().copied().chain(own_mark).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    format!("{}  # {}{marks}", operation.signature, operation.summary)
}
