//! Dataview: queries over the notes of a vault, in the plugin's query language.
//!
//! ```text
//! TABLE rating, file.mtime FROM #book WHERE rating > 3 SORT rating DESC LIMIT 10
//! ```
//!
//! [`Dataview`] reads the notes once, and again after they have changed. It needs neither Obsidian nor the
//! plugin. The results agree with those of Dataview 0.5.68, except that:
//!
//! * a lambda can only be called where it is written, or be an argument of a function;
//! * regular expressions have no lookaround and no references to groups;
//! * a function that does not exist is an error, even if there are no rows;
//! * a whole note in a result is a link to it.
//!
//! `syntax` parses queries with winnow: the language has operators, literals within text, and many alternatives.
//! `notes` reads fields, links and list items and keeps them current, `evaluation` computes expressions, and
//! `execution` applies the operations of a query. Texts are compared as `localeCompare` of JavaScript does, with
//! `icu_collator`, and numbers are written with ryu-js.
//!
//! `bases/` shows views of bases, with the same values, dates and notes: `source` finds the base, `definition` reads it,
//! `check` finds names that do not exist, `evaluation` computes expressions, and `execution` filters, sorts, groups and
//! summarizes the files.

pub mod bases;
pub(crate) mod datetime;
pub(crate) mod evaluation;
mod execution;
pub(crate) mod notes;
pub(crate) mod number;
pub(crate) mod operator;
pub(crate) mod syntax;
pub(crate) mod value;
mod words;

use std::sync::Arc;

use jiff::Zoned;
use toolwrit_vault::{CancelCheck, Snapshot, Vault};

pub use datetime::Duration;
pub use execution::{
    Answer, CalendarRow, ListRow, QueryError, QueryOptions, Rows, Skipped, TaskRow,
};
pub use syntax::SyntaxError;
pub use value::{
    ExternalLink, Link, LinkTarget, Object, Record, Regexp, Rendering, TextKind, Value,
};

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

    /// How the plugin's own settings in the vault write values as text; the defaults where there are none.
    pub fn rendering(&self) -> Rendering {
        let settings = self.vault.plugin_settings("dataview").ok().flatten().unwrap_or_default();
        let defaults = Rendering::default();
        let text = |key: &str, default: String| {
            settings.get(key).and_then(|text| text.as_str()).map_or(default, str::to_owned)
        };
        Rendering {
            null: text("renderNullAs", defaults.null),
            date_format: text("defaultDateFormat", defaults.date_format),
            date_time_format: text("defaultDateTimeFormat", defaults.date_time_format),
        }
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The notes as they are in the snapshot; `None` if cancelled. `now` gives the zone of dates.
    pub(crate) fn notes(
        &self,
        snapshot: &Snapshot<'_>,
        now: &Zoned,
        cancel: CancelCheck<'_>,
    ) -> Option<Arc<notes::Notes>> {
        self.store.notes(snapshot, now, cancel)
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
        execution::run_query(query, &self.vault, &self.store, options, cancel)
    }
}
