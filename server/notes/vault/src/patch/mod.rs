//! Changes of one place in a note: a section, a block or a property.
//!
//! A place must be named exactly. A missing or ambiguous name is an error that lists the existing
//! ones. Every byte outside the place stays as it is. Added lines get the line endings of the note.
//!
//! The engine, not the given text, decides on the blank lines around added text:
//!
//! * A blank line separates text added to a section, unless it continues a list, a quote or a
//!   table, or is the section's first text.
//! * The blank lines between a section and the next heading stay between them. At the end of the
//!   note, replaced text keeps the blank lines after it, and a single line ending follows added text,
//!   or none if there was none.

mod block;
mod item;
mod join;
mod property;
mod section;
mod table;

use serde_json::Value;

use crate::document::Excess;
use crate::note::Newline;
use crate::target::{BlockId, HeadingPath, TargetError};
use toolwrit_frontmatter::EditError;

/// A change of one place in a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// The place.
    pub target: PatchTarget,
    /// Which part of the place.
    pub scope: PatchScope,
    /// What to do there.
    pub action: Action,
    /// What to do if the place does not exist.
    pub if_missing: IfTargetMissing,
    /// What to do if the content is already there.
    pub if_present: IfPresent,
}

/// A place in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchTarget {
    /// A section with its subsections.
    Heading(HeadingPath),
    Block(BlockId),
    /// A key of the frontmatter.
    Property(String),
}

/// Which part of a place changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PatchScope {
    /// The content of the place.
    #[default]
    Content,
    /// The name of the place: the heading's text, the block's id.
    Marker,
    /// Both.
    MarkerAndContent,
}

/// What to do at a place.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Add at its end.
    Append(PatchContent),
    /// Add at its start.
    Prepend(PatchContent),
    Replace(PatchContent),
    /// Remove it.
    Delete,
}

/// What is added.
#[derive(Debug, Clone, PartialEq)]
pub enum PatchContent {
    /// Markdown, or the text of a property. In the place of a list, a mapping or the rows of a
    /// table, it may also be such a value as JSON.
    Text(String),
    /// The value of a property, or the rows of a table: a list of lists of cells, or one row.
    Value(Value),
}

/// What a patch does if its target does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IfTargetMissing {
    /// Refuse with [`TargetError::Missing`].
    #[default]
    Fail,
    /// Create it: a heading at the end of the deepest existing section of its path, each missing
    /// heading one level below its parent; a block at the end of the note; a property at the end of
    /// the frontmatter.
    Create,
}

/// What a patch does if its content is already in the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IfPresent {
    /// Apply it anyway.
    #[default]
    Apply,
    /// Refuse with [`PatchError::AlreadyPresent`].
    Reject,
}

/// Why a note was not patched. The note is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The target is missing or ambiguous.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The note is, or would become, too large to be parsed.
    #[error("the note is too large to be parsed: {0}")]
    TooComplex(#[from] Excess),
    /// The property cannot be changed.
    #[error(transparent)]
    Property(#[from] EditError),
    /// The content is already there, and the patch asks to refuse in that case.
    #[error("the content is already there")]
    AlreadyPresent,
    /// The rows do not fit the table.
    #[error("row {row} does not fit the table: expected {columns} cells, found {cells}")]
    ColumnCount {
        /// The number of the row in the patch, from 1.
        row: usize,
        /// How many cells it has.
        cells: usize,
        /// How many columns the table has.
        columns: usize,
    },
    /// The parts of the patch do not fit each other or this place.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The rule by which a task is changed refuses it, with a reason.
    #[error("{0}")]
    Refused(String),
}

/// The text of a note after a patch. Added lines end with `newline`.
pub(crate) fn apply(text: &str, newline: Newline, patch: &Patch) -> Result<String, PatchError> {
    match &patch.target {
        PatchTarget::Heading(headings) => section::apply(text, newline, headings, patch),
        PatchTarget::Block(id) => block::apply(text, newline, id, patch),
        PatchTarget::Property(key) => property::apply(text, key, patch),
    }
}

impl Patch {
    /// Whether a missing target is to be created.
    fn may_create(&self) -> bool {
        self.if_missing == IfTargetMissing::Create && self.action != Action::Delete
    }
}

impl Action {
    fn content(&self) -> Option<&PatchContent> {
        match self {
            Self::Append(content) | Self::Prepend(content) | Self::Replace(content) => {
                Some(content)
            }
            Self::Delete => None,
        }
    }
}
