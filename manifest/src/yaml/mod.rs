//! YAML text as a tree of nodes with their places.
//!
//! The tree is our own, because a serde deserialiser stops at the first error and we report all.

mod node;
mod parse;
mod plain_scalar;
mod unquoted;

pub(crate) use node::{Kind, Node, Text};
pub use parse::MAX_BYTES;
pub(crate) use parse::{parse, parse_value};
