//! The parts of the WordPress server that know neither MCP nor HTTP.
//!
//! `authority.yaml` and `operations/` bind most operations to the REST API of WordPress. `blocks/` parses block markup
//! and changes single blocks. `handlers/` has the operations that need Rust; they read and write through bound
//! operations. `companion/` is a plugin of WordPress for what its REST API lacks.

pub mod blocks;
