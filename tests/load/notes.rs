//! The notes that are read and written. Each shows whether it is complete.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::CallResult;
use toolwrit_tests::vaults;

/// Few, so that calls concern the same notes.
const NOTES: u64 = 40;

/// A vault in which every note has been written once.
pub(crate) fn vault() -> TempDir {
    let vault = vaults::empty();
    for note in 0..NOTES {
        std::fs::write(vault.path().join(format!("Note {note}.md")), body(note)).unwrap();
    }
    vault
}

/// The tool and the arguments of a call; three of four calls read.
pub(crate) fn call(number: u64) -> (&'static str, Value) {
    let path = format!("Note {}", number * 7 % NOTES);
    match number % 4 {
        3 => ("vault_write", json!({"path": path, "content": body(number), "mode": "overwrite"})),
        2 => ("vault_search", json!({"query": format!("by {number}"), "limit": 3})),
        _ => ("vault_read", json!({"path": path})),
    }
}

/// Fails unless a call had its expected result.
pub(crate) fn check_result(number: u64, result: CallResult) {
    let answer = result.ok();
    match number % 4 {
        3 => assert_eq!(answer["created"], false, "call {number}: {answer}"),
        2 => assert!(answer["matches"].is_array(), "call {number}: {answer}"),
        _ => check_body(answer["content"].as_str().unwrap()),
    }
}

/// Fails unless every note is one of those that were written.
pub(crate) fn check_vault(vault: &Path) {
    let contents = vaults::contents(vault);
    let (notes, others): (Vec<_>, Vec<_>) =
        contents.into_iter().partition(|(path, _)| path.starts_with("Note "));
    assert_eq!(notes.len() as u64, NOTES, "{notes:?}");
    for (_, bytes) in &notes {
        check_body(std::str::from_utf8(bytes).unwrap());
    }
    // Beside the notes are settings and the server's own files. No file may be partial.
    let others: Vec<&str> = others.iter().map(|(path, _)| path.as_str()).collect();
    assert!(others.iter().all(|path| path.starts_with('.')), "{others:?}");
}

/// The content that a call writes: one to eight kibibytes with the call's number from the first line to the
/// last.
fn body(number: u64) -> String {
    let lines = 32 + number % 224;
    (0..lines).fold(String::new(), |mut body, line| {
        writeln!(body, "line {line} of {lines} by {number}").unwrap();
        body
    })
}

fn check_body(text: &str) {
    let number = text.lines().next().and_then(|line| line.rsplit(' ').next()).unwrap_or_default();
    let number = number.parse().unwrap_or_else(|_| panic!("torn: {text:?}"));
    assert_eq!(text, body(number), "torn");
}
