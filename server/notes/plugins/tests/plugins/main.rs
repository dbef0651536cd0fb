//! What plugins do, in real vaults.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod community;
mod smart_connections;
mod tasks;
mod templater;
