//! Confirmation and questions of handlers: in both protocol revisions, in tasks, and for clients that
//! cannot ask.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod confirm;
mod ended;
mod questions;
mod rounds;
mod tasks;

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};

/// The laboratory, whose handlers count their runs.
fn lab() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lab"))
}

/// The laboratory on the flat surface.
fn serve(user: User, era: Era) -> Client {
    Client::connect_for(user, lab(), &["serve", "--surface", "flat"], era)
}

/// How many times handlers have counted, including this call.
fn count(client: &mut Client) -> Value {
    client.call("lab_count", &json!({"by": 0})).ok()["result"].take()
}
