//! A language server for editors, over standard streams.
//!
//! In Markdown notes it completes, explains and checks the blocks that call operations, and runs them when the user asks
//! for it ([`Notes`]). In the files of a tool-authority manifest it completes keys and names, explains them, finds where
//! they are declared, and reports the problems that the language's compiler finds.
//!
//! What the client has open comes before what is on the disk. Documents that are being typed are read by `outline`, which
//! accepts any text; only the compiler and the pipeline decide what is valid.

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
