//! Calls under an authority that changes, or that is made at run time.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod builtins;
mod caller;
mod consent;
mod live_authority;
mod order;
mod providers;
mod rows;
