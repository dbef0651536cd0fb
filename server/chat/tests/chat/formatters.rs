//! Formatters of Markdown, which may run whenever a note is saved, leave blocks, arguments and results as they are.

use std::process::Command;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;
use toolwrit_chat::format::splice::{self, InsertionPoint};
use toolwrit_chat::format::{
    BlockId, Document, Header, Inert, Kind, Payload, State, Status, write,
};

use crate::formats::{hostile, values};
use crate::installed::installed;

/// A note with many hostile answers and results.
fn note() -> String {
    let mut runner = TestRunner::deterministic();
    let words = |runner: &mut TestRunner| hostile().new_tree(runner).unwrap().current();
    let mut text = "What?\n".to_owned();
    for number in 0..200_u64 {
        let id = |offset: u64| BlockId::from_number(number * 2 + offset);
        let answer =
            Header::new(Kind::Assistant, id(0), "writer", State::new(Status::Said, "answer"));
        let call = Header::new(Kind::Tool, id(1), "vault.read", State::new(Status::Ok, "1 ms"));
        let arguments = Value::Object(
            [(words(&mut runner), values().new_tree(&mut runner).unwrap().current())]
                .into_iter()
                .collect(),
        );
        let result = Payload::from(values().new_tree(&mut runner).unwrap().current());
        let blocks = [
            write::write_words(&answer, &Inert::default().words(&words(&mut runner))),
            write::write_call(&call, &arguments, Some(&result)),
        ];
        text = splice::insert(&text, &InsertionPoint::End, &blocks).unwrap().text + "And?\n";
    }
    text
}

/// What has to stay: every header, and the arguments and the results of calls.
fn contents(text: &str) -> Vec<(Header, Option<Payload>, Option<Payload>)> {
    let document = Document::parse(text);
    let payloads = |block: &toolwrit_chat::format::Block| match block.header.kind {
        Kind::Tool => (block.arguments(), block.result()),
        _ => (None, None),
    };
    document
        .blocks()
        .map(|block| (block.header.clone(), payloads(block).0, payloads(block).1))
        .collect()
}

/// `tests/vendors/install` installs the formatters. Without them this test says so and checks nothing.
#[test]
fn formatters_leave_blocks_arguments_and_results() {
    let formatters: [(&str, &[&str]); 3] = [
        ("node_modules/.bin/prettier", &["--write"]),
        ("node_modules/.bin/markdownlint-cli2", &["--fix"]),
        (".venv/bin/mdformat", &[]),
    ];
    let note = note();
    let expected = contents(&note);
    assert_eq!(expected.len(), 400);
    for (program, arguments) in formatters {
        let Some(program) = installed(program) else { return };
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("note.md"), &note).unwrap();
        // Linters fail because of what they cannot mend.
        let output = Command::new(&program)
            .args(arguments)
            .arg("note.md")
            .current_dir(home.path())
            .output()
            .unwrap();
        let formatted = std::fs::read_to_string(home.path().join("note.md")).unwrap();
        assert_ne!(formatted, note, "{}: {output:?}", program.display());
        let found = contents(&formatted);
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(found, expected, "{}", program.display());
        }
        assert_eq!(found.len(), expected.len(), "{}", program.display());
    }
}
