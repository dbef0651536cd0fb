//! The words that manifests, the engine and its connections to other software share. Each has one name and one meaning, and
//! this crate depends on nothing that would keep another one from using it.
#![warn(missing_docs)]

mod builtin;
mod code;
mod effect;
pub mod headers;
mod offered;
#[cfg(feature = "schema")]
mod schema;
mod task;
mod verb_class;

pub use builtin::Builtin;
pub use code::{BuiltInCode, Code, DeclaredCode};
pub use effect::Effect;
pub use offered::{OfferedArgument, OfferedPrompt, OfferedResource};
pub use task::{Begins, Task, TaskSupport};
pub use verb_class::VerbClass;
