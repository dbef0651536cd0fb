//! Dataview: queries over the notes of a vault, in the plugin's query language.
//!
//! ```text
//! TABLE rating, file.mtime FROM #book WHERE rating > 3 SORT rating DESC LIMIT 10
//! ```
//!
//! [`Dataview`] reads the notes once, and again after they have changed. It needs neither Obsidian nor the
//! plugin. The results agree with those of Dataview 0.5.68, except that:
//!
//! * a lambda can only be an argument of a function;
//! * regular expressions have no lookaround and no references to groups;
//! * a function that does not exist is an error, even if there are no rows;
//! * a whole note in a result is a link to it.

mod evaluation;
mod execution;
mod moment;
mod notes;
mod number;
mod syntax;
mod value;
mod words;

use toolwrit_vault::{CancelCheck, Vault};

pub use execution::{
    Answer, CalendarRow, ListRow, QueryError, QueryOptions, Rows, Skipped, TaskRow,
};
pub use moment::Duration;
pub use syntax::SyntaxError;
pub use value::{ExternalLink, Link, LinkTarget, Object, Record, Rendering, Value};

/// The notes of a vault as Dataview sees them.
#[derive(Debug)]
pub struct Dataview {
    vault: Vault,
    store: notes::Store,
}

impl Dataview {
    /// For a vault. Nothing is read yet.
    pub fn new(vault: Vault) -> Self {
        Self { vault, store: notes::Store::default() }
    }

    /// Runs a query.
    ///
    /// # Errors
    /// [`QueryError`].
    pub fn query(
        &self,
        query: &str,
        options: &QueryOptions,
        cancel: CancelCheck<'_>,
    ) -> Result<Answer, QueryError> {
        execution::run(query, &self.vault, &self.store, options, cancel)
    }
}
