//! A language server for editors, over standard streams.
//!
//! In Markdown notes it completes, explains and checks the blocks that call operations, and runs them when the user asks
//! for it ([`Notes`]). In the files of a tool-authority manifest it completes keys and names, explains them, finds where
//! they are declared, and reports the problems that the language's compiler finds.
//!
//! What the client has open comes before what is on the disk. Documents that are being typed are read by `outline`, which
//! accepts any text; only the compiler and the pipeline decide what is valid.
//!
//! `server` answers messages in one thread, `checking` checks documents in another and gives up a check when they
//! change, and `client` sends. `text` converts offsets to the positions of the client. In `notes/`, search and
//! descriptions are those of an endpoint, and faults those of the pipeline. In `manifests/`, `files` finds the manifest
//! of a file, `language` is the editor schema with the references of the manifest crate, and `schema` says what a JSON
//! Schema allows at a place.
//!
//! A loop over messages is all that a server with two threads needs, so it is lsp-server of rust-analyzer, with the
//! types that gen-lsp-types generates from the model of the protocol.

mod answers;
mod checking;
mod client;
mod documents;
mod manifests;
mod notes;
mod outline;
mod schema;
mod server;
mod text;

pub use lsp_server;
pub use notes::{Notes, Run};
pub use server::{Stopped, serve, session};
