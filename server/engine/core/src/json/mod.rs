//! JSON: its size, pointers into it, keys that are unique, and texts that this program writes itself.

pub(crate) mod pointer;
pub mod size;
pub mod unique;
pub mod written;
