//! Contexts of messages: the rules, and every interface that uses them.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod detection;
mod hidden;
mod transports;
