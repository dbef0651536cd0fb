//! Notes that are conversations with language models.
//!
//! A Markdown note is the conversation: the user's text, the words of the model, its calls of tools and their results stand
//! in it. The note is what the model reads; local state, the [`Ledger`], is what the program trusts. The text of a note by
//! itself executes nothing, consents to nothing, and is no cache.
//!
//! - [`format`](mod@format) reads a note into parts, and writes blocks. It changes only the bytes of its blocks.
//! - [`conversation`] asks the model, makes its calls, and writes both into the note, within limits. It goes on after a crash
//!   at any point, and makes no call that changes something twice.
//! - [`notebook`], [`tools`] and [`provider`] are what a program gives it: notes, operations and models.
//! - [`tool_formats`] describes tools as each provider wants them.
//!
//! Only `converse`, with the feature of that name, knows the engine: it gives a conversation the operations of an authority. With
//! the feature `remote` there are models behind HTTP APIs.
//!
//! In `format`, `document` reads a note into parts, `header` and `payload` are what blocks contain, `inert` makes the
//! words of a model harmless, `splice` changes the bytes of a block, and `run_block`, `older` and `convert` are what
//! users and older plugins write. In `conversation`, `turn` is the course of a turn, `respond` asks the model, `answer`
//! is a response while it grows in the note, `prepare` records calls, `calls` makes them after `consent`,
//! `nested_calls` looks at the calls within a call, `results` writes what they return, and `history` makes messages of a note.
//! `provider/wire` has a file for each API, `frames` cuts an answer into events of bounded size, and `dialect` is what
//! else differs between providers.
//!
//! Requests to models and the readers of their answers are our own, because servers differ in how they number, cut and
//! repeat calls, and a call that is read wrongly changes a note twice. The libraries for several providers merged,
//! doubled or lost calls of such servers, and had no limit for an answer.
#![warn(missing_docs)]

pub mod conversation;
#[cfg(feature = "converse")]
pub mod converse;
pub mod format;
mod ledger;
pub mod notebook;
pub mod provider;
pub mod tool_formats;
pub mod tools;

pub use ledger::{Ledger, LedgerError};
