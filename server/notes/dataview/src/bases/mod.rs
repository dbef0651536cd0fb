//! Bases: the views of `.base` files over the files of a vault.
//!
//! ```yaml
//! filters: { and: ['file.hasTag("book")', 'rating >= 4'] }
//! formulas: { age: (now() - file.ctime) / 86400000 }
//! views: [{ type: table, name: Best, order: [file.name, rating, formula.age], limit: 10 }]
//! ```
//!
//! [`view`] evaluates one view: filters, formulas, the names and the order of columns, sorting, grouping and the
//! limit. Syntax and functions are those of Obsidian's help pages "Bases syntax" and "Functions". Where these are
//! silent:
//!
//! * files are in the order of their paths, unless the view sorts or groups them;
//! * empty values are last, in both directions;
//! * comparing values of different types is `false`, and calculating with an empty value is empty;
//! * `html`, `image` and `icon` are what they would show: the text, the link, the name.
//!
//! A view of another type than `table` has the rows of a table. Summaries are not evaluated.

mod check;
mod definition;
mod evaluation;
mod execution;
mod file;
mod property;
mod syntax;

pub use definition::DefinitionError;
pub use execution::{BaseError, Column, Failed, Row, View, ViewOptions, view};
