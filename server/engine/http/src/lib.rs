//! Serves over streamable HTTP: identity, MCP, tool listings, documentation and metrics.
//!
//! This crate is a part of the crate `toolwrit`, which authors depend on. Its interface may change with
//! every release of that crate.

pub mod identity;
#[cfg(feature = "metrics")]
pub mod metrics;
#[cfg(not(feature = "metrics"))]
#[path = "no_metrics.rs"]
pub mod metrics;
#[cfg(feature = "otel")]
pub mod otel;
#[cfg(any(feature = "oauth", feature = "otel"))]
mod outgoing;
pub mod server;
#[cfg(feature = "docs")]
pub mod site;

/// The version of axum that this crate uses.
pub use axum;
pub use identity::Account;
pub use server::{Host, Origin, Settings};
