//! Tasks as the plugin Tasks reads and writes them: statuses, dates and other fields at the end of a line, and tasks that recur.

mod change;
mod fields;
mod recurrence;
mod search;
mod settings;

pub use change::{Completion, NewStatus};
pub use fields::{Field, FieldKind, TaskFormat, TaskText};
pub use search::TaskQuery;
pub use settings::{StatusKind, TaskSettings};
