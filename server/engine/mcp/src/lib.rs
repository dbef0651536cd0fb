//! MCP for a tool-authority manifest: which tools a client sees, which operation a tool call runs, how
//! operations are found, and the protocol over standard streams, with sessions or stateless (2026-07-28).
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.

mod discovery;
pub mod endpoint;
pub mod line;
pub mod protocol;
pub mod renewed;
pub mod signals;
pub mod stdio;
pub mod surface;
mod tokens;
mod uri;
