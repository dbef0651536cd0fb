//! The text of a conversation: what is read from a note, and what is written into it.
//!
//! Every byte from a model or a tool stands on a line that begins with `>`. The first line of such a run of lines is the
//! header of a block, and no block contains another. Everything else belongs to the user.

mod code_span;
mod comment;
mod convert;
mod document;
mod fence;
mod header;
mod id;
mod inert;
mod lines;
mod link;
mod older;
mod payload;
mod run_block;
mod settings;
pub mod splice;
pub mod write;

pub use convert::{Converted, convert};
pub use document::{Block, Document, Mistake, Part, UserText};
pub use header::{Header, Kind, State, Status};
pub use id::{BadId, BlockId};
pub use inert::Inert;
pub(crate) use link::{Link, links};
pub use older::{OlderNames, Role};
pub use payload::{Payload, canonical};
pub(crate) use payload::{escaped, result_note};
pub use run_block::{CallFence, RunBlock, call_block};
pub use settings::NoteSettings;
