//! What an author's handlers do with what the manifest declares, seen by their callers.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests fail by panicking")]

use std::process::{Command, Output};

use serde_json::{Value, json};

fn shop(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shop")).args(arguments).output().unwrap()
}

#[test]
fn an_error_of_a_library_is_in_the_log_and_its_caller_gets_the_id() {
    let done = shop(&["call", "prints.parse", "--text", "many", "--json"]);
    let (answer, log) = (done.stdout, String::from_utf8(done.stderr).unwrap());
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let error = &answer["error"];
    assert_eq!(error["code"], "INTERNAL", "{error}");
    let message = error["message"].as_str().unwrap();
    let id = message.strip_suffix('.').and_then(|text| text.rsplit(' ').next()).unwrap();
    assert!(log.contains(id) && log.contains("invalid digit found in string"), "{log}");
    assert!(!answer.to_string().contains("invalid digit"), "{answer}");
    assert_eq!(
        json!(shop(&["call", "prints.parse", "--text", "3"]).stdout.trim_ascii()),
        json!(b"3")
    );
}
