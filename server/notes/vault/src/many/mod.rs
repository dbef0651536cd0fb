//! Edits of a note in a change of many notes. A note that an edit does not fit is skipped, and stays as it is.

mod fate;
mod inline_tags;
mod properties;
mod tags;
mod tags_property;

use crate::document::Excess;
use crate::note::NotText;
use toolwrit_frontmatter::{EditError, InvalidFrontmatter};

pub use properties::{InvalidPropertyChange, PropertyChange};
pub use tags::{TagChange, TagEdit, TagPlace};

/// A note after an edit.
pub(crate) struct Edited {
    /// Its text with its own line endings.
    pub(crate) text: String,
    /// How many places were changed.
    pub(crate) changes: usize,
}

/// Why a note was left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    #[error("it is not text: {0}")]
    NotText(NotText),
    #[error("it is too large")]
    TooLarge,
    #[error("it is too large to be parsed: {0}")]
    TooComplex(#[from] Excess),
    /// Its properties cannot be read, or not changed alone.
    #[error(transparent)]
    Property(#[from] EditError),
    #[error("its frontmatter has no closing `---`")]
    Unclosed,
    #[error("its property `tags` is neither a list nor one tag")]
    NoTagList,
    /// What is left of the text would have another structure.
    #[error("a heading, list, link or block beside a tag would change with it; edit the text")]
    Structure,
    /// A note that was named has nothing that the change concerns.
    #[error("there is nothing to change")]
    Unchanged,
}

impl From<InvalidFrontmatter> for SkipReason {
    fn from(invalid: InvalidFrontmatter) -> Self {
        Self::Property(invalid.into())
    }
}
