//! Serves over streamable HTTP: identity, MCP, tool listings, documentation and metrics.
//!
//! This crate is a part of the crate `toolwrit`, which authors depend on. Its interface may change with
//! every release of that crate.
//!
//! - `server/` has a file for each concern; `service` calls them in the order in which a request passes them.
//!   `endpoint_cache` keeps the endpoints that requests choose (`choice`), and `settings` and `mounted` serve authors
//!   who mount the server in an application of their own. `slots` decides which connections are closed at the limit.
//! - `identity/` is the account and the role of a request: `file` and `accounts` for our own access tokens, `oauth/`
//!   for those of an authorization server, and `application` for the author's own authentication.
//! - `metrics` counts calls for Prometheus, `otel` makes a span for each call, and `site` is the documentation of the
//!   operations that a policy allows.
//! - The files `page_*` answer for the tool browser, which calls operations through `/mcp/flat` as every client.
//!   `refusal_page` shows refusals to browsers as pages.
//!
//! hyper stands below axum, because `axum::serve` has no time limit for the head of a request and no limit of
//! connections. Connections are closed by a rule of our own: one that waits for its client must give way to a new one.
#![warn(missing_docs)]

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
