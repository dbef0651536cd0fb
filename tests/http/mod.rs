//! MCP over HTTP, through real sockets: endpoints, identity, refusals, and the end of a server.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod access;
mod asking;
mod browser;
mod caller;
mod docs;
#[cfg(unix)]
mod drain;
mod eras;
mod faces;
mod metrics;
mod oauth;
mod pages;
#[cfg(unix)]
mod proxies;
mod refused;
#[cfg(unix)]
mod required;
mod sessions;
mod shares;
#[cfg(unix)]
mod streams;
mod tokens;
#[cfg(unix)]
mod tools;
mod traces;
mod unidentified;
