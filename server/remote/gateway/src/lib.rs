//! Operations of an authority that other programs carry out.
//!
//! - [`bound`] has the providers to which a manifest binds operations: HTTP APIs, commands of the server's machine, and other
//!   MCP servers.
//! - `upstreams`, with the feature of that name, serves the tools of MCP servers that an operator adds as operations.

pub mod bound;
#[cfg(feature = "upstreams")]
pub mod upstreams;
