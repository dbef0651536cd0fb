//! The words that manifests, the engine and its connections to other software share. Each has one name and one meaning, and
//! this crate depends on nothing that would keep another one from using it.

mod builtin;
mod effect;
#[cfg(feature = "schema")]
mod schema;
mod task;

pub use builtin::Builtin;
pub use effect::Effect;
pub use task::{Begins, Task, TaskSupport};
