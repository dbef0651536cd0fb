//! Bases on real vaults.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod expressions;
mod hostile;
mod sandbox;
mod views;
