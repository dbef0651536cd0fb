//! Asking back: operations that want a yes before they act, and handlers with questions. In both eras,
//! in tasks, and for clients that can ask nobody.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod confirm;
mod ended;
mod questions;
mod rounds;
mod tasks;

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::client::{Client, Era, User};

/// The laboratory, whose handlers count how often they ran.
fn lab() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lab"))
}

/// The laboratory with each operation as a tool.
fn serve(user: User, era: Era) -> Client {
    Client::connect_for(user, lab(), &["serve", "--surface", "flat"], era)
}

/// How often handlers have counted, this look included.
fn count(client: &mut Client) -> Value {
    client.call("lab_count", &json!({"by": 0})).ok()["result"].take()
}
