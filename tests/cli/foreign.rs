//! Foreign text in the output for people is escaped: it cannot control the terminal or reorder the text
//! around it.

use std::path::Path;
use std::process::Stdio;

use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era};

use crate::cli::program::{Run, command, run};

/// Clears the screen, rings the bell, starts a line, and reverses the direction of what follows.
const FOREIGN: &str = "evil\u{1b}[2J\u{7}\rforged\u{9b}31m\u{202e}txt\u{2066}\u{2028}end";
const COMMANDS: [char; 7] = ['\u{1b}', '\u{7}', '\r', '\u{9b}', '\u{202e}', '\u{2066}', '\u{2028}'];

fn lab() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lab"))
}

fn shows_nothing_foreign(text: &str) {
    assert!(text.contains("evil") && text.contains("end"), "{text:?}");
    assert!(!text.contains(COMMANDS), "{text:?}");
}

#[test]
fn names_from_callers_are_escaped_in_the_audit() {
    let data = TempDir::new().expect("a folder");
    let flags = ["serve", "--surface", "flat", "--data-dir", data.path().to_str().expect("plain")];
    let mut client = Client::connect(lab(), &flags, Era::Initialize);
    assert!(client.call(FOREIGN, &json!({})).is_error());
    client.close();
    let mut audit = command(lab());
    let shown = run(audit.args(["audit"]).env("TOOLWRIT_DATA_DIR", data.path())).ok();
    shows_nothing_foreign(&shown);
    assert_eq!(shown.lines().count(), 2, "{shown:?}");
}

#[test]
fn foreign_text_is_escaped_in_failures_and_results() {
    let call = |arguments: &[&str]| -> Run { run(command(lab()).args(arguments)) };
    // A failure of the operation that quotes the input.
    let failed = call(&["call", "lab.shapes", "--args", &json!({"text": FOREIGN}).to_string()]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    shows_nothing_foreign(&failed.stderr);
    // A field of a result on its own line.
    let said = call(&["call", "lab.echo", "--text", FOREIGN]).ok();
    shows_nothing_foreign(&said);
    // JSON is output for programs.
    let json = call(&["call", "lab.echo", "--json", "--text", FOREIGN]);
    assert_eq!(json.json()["text"], FOREIGN);
}

#[test]
fn text_written_to_a_file_is_not_escaped() {
    let text = "one\u{202e}\ntwo\u{1b}[0m\n";
    let mut echo = command(lab());
    let said = run(echo.args(["call", "lab.echo", "--text", text]).stdin(Stdio::null())).ok();
    assert_eq!(said, text);
}
