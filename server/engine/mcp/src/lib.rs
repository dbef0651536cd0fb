//! MCP for a tool-authority manifest: which tools a client sees, which operation a tool call runs, how
//! operations are found, and the protocol over standard streams, with sessions or stateless (2026-07-28).
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.
//!
//! - `surface/` has the tools that are listed (`flat`, `dispatch`, `meta`), the operation that a tool call means, and
//!   the cost of a listing in tokens. `legacy` lists older names.
//! - `endpoint/` is one surface under one policy, and answers tool calls and queries. Resources and prompts are reads
//!   in the same table of operations: `resources`, `prompts` and `completion` pass them to the same pipeline. `engine`
//!   is shared by all endpoints.
//! - `discovery/` has an index for each view of the operations, the contexts of an authority, and the form of results.
//! - `protocol/` has both revisions of MCP on rmcp. `list_changed` tells clients of changed lists.
//! - `stdio/` is the transport over standard streams, and `line` parses one line.
//! - `renewed` are values that are derived from an authority, and derived again when it or the availability of its
//!   providers changes.
#![warn(missing_docs)]

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
