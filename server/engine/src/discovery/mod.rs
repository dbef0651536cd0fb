//! Finding operations: by name, by what they are about, by what a message says. Every answer is
//! filtered by the caller's policy before it is ranked.

mod contexts;
mod lexical;
mod text;

pub(crate) use contexts::detect;
pub(crate) use lexical::Index;

use crate::authority::Operation;

/// The line that stands for an operation in a listing: `vault.read(..) -> T  # Read a note.`
pub(crate) fn line(operation: &Operation) -> String {
    let marks = match (operation.effect.as_str(), operation.deprecated.is_some()) {
        (_, true) => " (deprecated)",
        ("destroy", _) => " (destroys)",
        _ => "",
    };
    format!("{}  # {}{marks}", operation.signature, operation.summary)
}
