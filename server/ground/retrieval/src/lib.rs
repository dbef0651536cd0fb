//! Finds tools by meaning: offline, deterministic, in microseconds.
//!
//! A [`ToolDocument`] is the description of a tool. Its [`Analysis`], which can be computed at build time, goes
//! into a [`ToolIndex`]. The index reads a query: it drops what the query denies, mends typing errors, and finds what its
//! verb asks for. It ranks documents by three scores, from which a document that does something else loses:
//!
//! - `lexical`: the words that both contain, by field and rarity (BM25F);
//! - `soft`: the same with words of the document that are similar to a word of the query;
//! - `dense`: the similarity of both texts as a whole, from static embeddings of words.
//!
//! ```
//! use toolwrit_retrieval::{Analysis, ToolDocument, ToolIndex};
//!
//! let tool = |name, description| ToolDocument { name, description, ..ToolDocument::default() };
//! let tools = [tool("read_note", "Read a note."), tool("delete_note", "Delete a note.")];
//! let index = ToolIndex::build(&Analysis::from_documents(tools));
//! assert_eq!(index.search("remove this note")[0].document, 1);
//! assert!(index.search("weather in Lisbon").is_empty());
//! ```
//!
//! Then it judges whether the query means a document at all.
//!
//! `words` splits text, `document` turns the texts of a tool into words and pieces, `query/` reads queries, `verbs` tells
//! what a verb asks for, `fuse` combines the scores, `index` ranks, and `judge` decides the relevance. The words of English
//! that this needs are in `model/english.txt`: models ask in English. An optional model of several languages would give the
//! embeddings of `model` and `dense`; no static one of a fitting size is known. `passages` makes vectors of longer texts, and `contexts/` finds the contexts of a
//! message. `model/` has the embeddings and the scripts that generate them. The corpus is a few hundred short texts,
//! and the weights of their fields decide the ranking, so that BM25 is our own.
#![warn(missing_docs)]

pub mod contexts;
mod dense;
mod document;
mod english;
mod fuse;
mod gaps;
mod index;
mod judge;
mod lexical;
mod model;
mod object;
mod passages;
mod query;
mod references;
mod soft;
mod verbs;
mod words;

pub use document::{Analysis, Analyst, ToolDocument, Unreadable};
pub use index::{Findings, Method, Parts, ToolHit, ToolIndex};
pub use judge::{Evidence, Relevance};
pub use passages::{PassageReader, PassageVector, PieceCounts, PieceWeights, Pieces};
/// Part of the interface of [`Verbs`].
pub use toolwrit_words::VerbClass;
pub use verbs::Verbs;
pub use words::{Stem, stems};

/// Maximum length of a query or message, in bytes.
pub const LONGEST_QUERY: usize = 2048;
