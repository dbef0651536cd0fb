//! A manifest that is loaded at run time is the same authority as the one that the macro compiles, and is served alike.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod bodies;
mod commands;
mod over_http;
mod providers;
mod reload;
mod rows;
mod served;
