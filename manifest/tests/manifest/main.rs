//! The manifest language through its public interface.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod builtins;
mod command;
mod faults;
mod handlers;
mod hostile;
mod http;
mod lowering;
mod mcp;
mod narrowing;
mod references;
mod rows;
mod rules;
mod schema;
mod shipped;
mod suspicions;
mod unreadable;
mod warnings;
