//! Changes of one place in a note: a section, a block, a property.
//!
//! A place is named exactly; what is not there, or there twice, is an error that lists what is.
//! Nothing lands anywhere else. Outside the place, every byte stays as it is; the line endings of
//! what is added are those of the note.
//!
//! Blank lines at the borders of what is added belong to the engine, not to the text given:
//!
//! * Text added to a section is set off by a blank line, unless it continues a list, a quote or a
//!   table, or is the section's first text.
//! * The blank lines between a section and the next heading stay between them. At the end of the
//!   note, a single line ending stays, or none if there was none.

mod block;
mod join;
mod property;
mod section;
mod table;

use serde_json::Value;

use crate::document::Excess;
use crate::frontmatter::EditError;
use crate::note::Newline;
use crate::target::{BlockId, HeadingPath, TargetError};

/// A change of one place in a note.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// The place.
    pub target: Target,
    /// Which part of the place.
    pub scope: Scope,
    /// What happens there.
    pub action: Action,
    /// What to do if there is no such place.
    pub if_missing: IfTargetMissing,
    /// What to do if the content is there already.
    pub if_present: IfPresent,
}

/// A place in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A section, its subsections included.
    Heading(HeadingPath),
    /// A block that bears an id.
    Block(BlockId),
    /// A key of the frontmatter.
    Property(String),
}

/// Which part of a place changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// What the place holds.
    #[default]
    Content,
    /// What names it: the heading's text, the block's id.
    Marker,
    /// Both.
    MarkerAndContent,
}

/// What happens at a place.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Add at its end.
    Append(Content),
    /// Add at its start.
    Prepend(Content),
    /// Put in its place.
    Replace(Content),
    /// Remove it.
    Delete,
}

/// What is added.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Markdown, or the text of a property.
    Text(String),
    /// The value of a property, or the rows of a table: a list of lists of cells, or one row.
    Value(Value),
}

/// What a patch does if its target is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IfTargetMissing {
    /// Refuse with [`TargetError::Missing`].
    #[default]
    Fail,
    /// Create it: a heading at the end of the deepest section of its path that is there, each
    /// missing heading one level below the one above; a block at the end of the note; a property
    /// at the end of the frontmatter.
    Create,
}

/// What a patch does if its content is in the place already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IfPresent {
    /// Apply it nevertheless.
    #[default]
    Apply,
    /// Refuse with [`PatchError::AlreadyPresent`].
    Reject,
}

/// Why a note was not patched. It is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The target is not one place in the note.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Too much stands in the note, or would, for its places to be told.
    #[error("the note is too large to be taken apart: {0}")]
    TooComplex(#[from] Excess),
    /// The property cannot be changed.
    #[error(transparent)]
    Property(#[from] EditError),
    /// The content is there, and the patch asked to refuse then.
    #[error("the content is already there")]
    AlreadyPresent,
    /// The rows do not fit the table.
    #[error("row {row} does not fit the table: expected {columns} cells, found {cells}")]
    ColumnCount {
        /// The row given, from 1.
        row: usize,
        /// Its cells.
        cells: usize,
        /// The columns of the table.
        columns: usize,
    },
    /// The parts of the patch do not go together, or not with this place.
    #[error("{0}")]
    Unsupported(&'static str),
}

/// The text of a note after a patch. `newline` ends the lines that are added.
pub(crate) fn apply(text: &str, newline: Newline, patch: &Patch) -> Result<String, PatchError> {
    match &patch.target {
        Target::Heading(headings) => section::apply(text, newline, headings, patch),
        Target::Block(id) => block::apply(text, newline, id, patch),
        Target::Property(key) => property::apply(text, key, patch),
    }
}

impl Patch {
    /// Whether a missing target is to be created.
    fn creates(&self) -> bool {
        self.if_missing == IfTargetMissing::Create && self.action != Action::Delete
    }
}

impl Action {
    fn content(&self) -> Option<&Content> {
        match self {
            Self::Append(content) | Self::Prepend(content) | Self::Replace(content) => {
                Some(content)
            }
            Self::Delete => None,
        }
    }
}
