//! Servers that do what a test tells them, right or wrong: [`http`] answers requests with any bytes, [`scripts`] has bytes
//! that no client should trust, [`mcp`] speaks MCP over standard streams, or over that HTTP, and [`oauth`] is a server of MCP
//! to which users log in.
#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a fixture that fails must fail the test"
)]

pub mod forms;
pub mod http;
pub mod mcp;
pub mod oauth;
pub mod scripts;
