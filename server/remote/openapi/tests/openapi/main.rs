//! Manifests made of OpenAPI documents and of the tools of MCP servers.
#![allow(missing_docs, reason = "a test binary has no public items")]
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod hostile;
mod import;
mod installed;
mod loaded;
mod tools;
