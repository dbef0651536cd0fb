//! What messages are about: the rules by themselves, and every door that answers by them.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod detection;
mod doors;
mod hidden;
