//! The result of a view.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use toolwrit_vault::{VaultError, VaultPath};

use super::definition::DefinitionError;
use crate::value::Value;

/// The result of a view. In its values, a duration is a text in words.
#[derive(Debug, Clone)]
pub struct View {
    pub name: String,
    /// How Obsidian shows it, such as `table` or `cards`. Plugins add types.
    pub kind: String,
    /// What else the base says about the view, such as the property with the image of a card.
    pub settings: Map<String, Json>,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// The requested rows, in order.
    pub rows: Vec<Row>,
    /// How many rows it has in all, after its limit.
    pub total: usize,
    /// Its groups, in order, if it has groups.
    pub groups: Vec<Group>,
    /// The summaries of all rows.
    pub summaries: Vec<Summary>,
    /// What could not be evaluated, or was left out.
    pub failed: Vec<Failed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The property as in expressions, such as `note.status` or `formula.age`.
    pub property: String,
    /// What it is called.
    pub name: Arc<str>,
}

/// A row: a file.
#[derive(Debug, Clone)]
pub struct Row {
    /// The file.
    pub path: VaultPath,
    /// The value that the rows are grouped by, if they are.
    pub group: Option<Value>,
    /// A value for each column; null where it could not be evaluated.
    pub values: Vec<Value>,
}

/// The rows with one value of the property that a view groups by.
#[derive(Debug, Clone)]
pub struct Group {
    /// The value; null for files without one.
    pub key: Value,
    /// How many rows of the view are in it.
    pub rows: usize,
    /// The summaries of these rows.
    pub summaries: Vec<Summary>,
}

/// What a view says about all values of a property.
#[derive(Debug, Clone)]
pub struct Summary {
    pub property: String,
    /// The name of the summary, such as `Average`.
    pub name: String,
    /// Its value; null if it could not be evaluated.
    pub value: Value,
}

/// What could not be evaluated for some files, or was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The property, `filters`, or a key of the base. Files are left out for which the filters fail.
    pub place: String,
    /// For how many files; 0 for what was left out of the base.
    pub files: usize,
    /// Why, for the first of them.
    pub reason: String,
}

/// Why a view has no result.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// The text is not a base.
    #[error("the base is invalid at {0}")]
    Invalid(#[from] DefinitionError),
    /// The base has no view, or none of this name.
    #[error("the base has no view{}", .name.as_ref().map(|name| format!(" named `{name}`")).unwrap_or_default())]
    NoView {
        /// The name that was asked for.
        name: Option<String>,
        /// The names of its views.
        views: Vec<String>,
    },
    /// The note has no base block, or fewer than this.
    #[error("the note has {}, so there is no block {number}", count_blocks(*.blocks))]
    NoBlock {
        /// The number of the block that was asked for, from 1.
        number: usize,
        /// How many it has.
        blocks: usize,
    },
    /// The file that `this` means cannot be read.
    #[error("the origin cannot be read: {0}")]
    Origin(Box<VaultError>),
    /// The file is too large.
    #[error("the base has more than {0} bytes")]
    Size(usize),
    /// It took longer than it may.
    #[error("the view took longer than {} ms; narrow it with filters", .0.as_millis())]
    Time(Duration),
    /// The vault could not be read, or the caller cancelled.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

fn count_blocks(blocks: usize) -> String {
    match blocks {
        0 => "no block of the language `base`".to_owned(),
        1 => "1 block of the language `base`".to_owned(),
        more => format!("{more} blocks of the language `base`"),
    }
}
