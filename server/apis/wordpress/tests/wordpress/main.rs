//! The server without a site: its operations, and the blocks of content.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod authority;
mod blocks;
