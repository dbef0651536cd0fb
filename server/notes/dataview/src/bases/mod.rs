//! Bases: the views of `.base` files over the files of a vault.
//!
//! ```yaml
//! filters: { and: ['file.hasTag("book")', 'rating >= 4'] }
//! formulas: { age: (now() - file.ctime).days }
//! views: [{ type: table, name: Best, order: [file.name, rating, formula.age], limit: 10 }]
//! ```
//!
//! [`view`] evaluates one view: filters, formulas, the names and the order of columns, sorting, grouping, the limit and
//! summaries. A base is a `.base` file, or a block of a note. Syntax and functions are those of Obsidian 1.13. Where its
//! help and its release notes are silent:
//!
//! * files are in the order of their paths, unless the view sorts or groups them;
//! * empty values are last, in both directions;
//! * comparing values of different types is `false`, and calculating with an empty value is empty;
//! * a text in brackets, such as `"[[Ann]]"`, is equal to a link to the same file;
//! * functions of text see a link as it is written, `html` and `icon` as the text, `image` as the link to it;
//! * a standard deviation is that of all values, not of a sample.
//!
//! What is wrong in one view, formula or filter leaves the others: [`View::failed`] reports it.

mod answer;
mod check;
mod definition;
mod evaluation;
mod excluded;
mod execution;
mod file;
mod names;
mod output;
mod property;
mod source;
mod statistics;
mod syntax;

pub use answer::{BaseError, Column, Failed, Group, Row, Summary, View};
pub use definition::DefinitionError;
pub use execution::{ViewOptions, view};
pub use source::split_view;
