//! JSON as text: its size, places in it, and keys that are unique.

pub(crate) mod pointer;
pub mod size;
pub mod unique;
