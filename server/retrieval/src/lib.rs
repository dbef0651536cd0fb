//! Finds tools by meaning: offline, deterministic, in microseconds.
//!
//! A [`Document`] is what is said about a tool. Its [`Analysis`], which can be made when a program is
//! built, goes into an [`Index`], and that ranks the documents for a query by three things:
//!
//! - `lexical`: the words that both have, by field and rarity (BM25F);
//! - `soft`: words of the document that mean nearly what a word of the query means;
//! - `dense`: the likeness of both texts as a whole, from static embeddings of words.
//!
//! ```
//! use toolwrit_retrieval::{Analysis, Document, Index};
//!
//! let read = Document { name: "read_note", description: "Read a note.", ..Document::default() };
//! let delete = Document { name: "delete_note", description: "Delete a note.", ..Document::default() };
//! let index = Index::build(&Analysis::of_all([read, delete]));
//! assert_eq!(index.search("remove this page")[0].document, 1);
//! assert!(index.search("weather in Lisbon").is_empty());
//! ```

pub mod contexts;
mod dense;
mod document;
mod fuse;
mod index;
mod lexical;
mod model;
mod query;
mod soft;
mod words;

pub use document::{Analysis, Document, Unreadable};
pub use index::{Hit, Index, Method, Parts, Relevance};
pub use words::{Stem, stems};

/// The longest query or message that is looked at, in bytes.
pub const LONGEST_QUERY: usize = 2048;
