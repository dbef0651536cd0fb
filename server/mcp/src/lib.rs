//! MCP for a tool-authority manifest: which tools a client sees, what a tool call means, how operations are
//! found, and both eras of the protocol over standard streams.
//!
//! This crate is a part of the crate `toolwrit`, which authors depend on. Its interface changes with that
//! crate's.

mod discovery;
pub mod endpoint;
pub mod line;
pub mod protocol;
pub mod renewed;
mod savings;
pub mod signals;
pub mod stdio;
pub mod surface;
mod tokens;
mod uri;
