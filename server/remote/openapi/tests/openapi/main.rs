//! Manifests made of OpenAPI documents and of the tools of MCP servers.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod hostile;
mod import;
mod installed;
mod loaded;
mod meant;
mod tools;
