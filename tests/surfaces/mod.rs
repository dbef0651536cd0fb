//! The tools that each surface lists, what they cost, and the arguments that they accept.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod budget;
mod dump;
mod flat_arguments;
mod legacy;
mod listing;
mod merged;
mod older_arguments;

use std::path::Path;

use toolwrit_tests::drivers::client::{Client, Era};

/// The laboratory.
fn lab() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lab"))
}

/// The laboratory with these flags.
fn serve(flags: &[&str]) -> Client {
    Client::connect(lab(), &[&["serve"], flags].concat(), Era::Initialize)
}
