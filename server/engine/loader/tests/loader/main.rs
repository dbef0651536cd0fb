//! Manifests that are loaded, and files that are watched.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod authority;
mod watch;
