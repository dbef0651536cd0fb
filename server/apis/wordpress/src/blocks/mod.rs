//! Block markup: the text in which WordPress stores the blocks of a post.
//!
//! A [`Document`] is a text together with the places of its blocks. Edits are changes of the text, so every byte that an
//! edit does not name stays as it is.

mod attributes;
mod delimiter;
mod document;
mod edit;
mod error;
mod excerpt;
mod path;

pub use document::{Block, Document, Piece};
pub use error::BlockError;
pub use path::BlockPath;
