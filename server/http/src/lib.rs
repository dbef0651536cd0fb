//! A server over streamable HTTP: who asks, where tools are listed and documented, and what is counted.
//!
//! This crate is a part of the crate `toolwrit`, which authors depend on. Its interface changes with that
//! crate's.

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

/// The library of routers and headers, in the version that this crate uses.
pub use axum;
pub use identity::Account;
pub use server::{Host, Origin, Settings};
