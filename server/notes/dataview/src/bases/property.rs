//! The properties that columns and sort keys name.

use std::fmt;

use super::names::is_same_in_any_case;
use crate::value::Name;

/// A property of a file or a note, or a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Property {
    File(Name),
    Note(Name),
    Formula(Name),
    /// One that does not exist, and why.
    Unknown {
        text: Name,
        reason: Name,
    },
}

impl Property {
    /// Whether both name the same property. Only the names of properties of notes may differ in case.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Note(a), Self::Note(b)) => is_same_in_any_case(a, b),
            (a, b) => a == b,
        }
    }
}

/// Writes the property as an expression names it.
impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(name) => write!(f, "file.{name}"),
            Self::Note(name) => write!(f, "note.{name}"),
            Self::Formula(name) => write!(f, "formula.{name}"),
            Self::Unknown { text, .. } => f.write_str(text),
        }
    }
}
