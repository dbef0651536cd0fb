//! The Jira server, as clients see it: on servers that stand in for Jira, each with a part of what Jira does.
//! `tests/stand-ins/install` installs them.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod accounts;
mod changes;
mod contexts;
mod described;
mod failures;
mod search;
mod site;

use std::path::Path;

/// The server.
fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_toolwrit-jira"))
}
