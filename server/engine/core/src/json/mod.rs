//! JSON: its size, its schemas, pointers into it, keys that are unique, and texts that this program writes itself.

pub(crate) mod pointer;
pub mod schema;
pub mod size;
pub mod unique;
pub mod written;
