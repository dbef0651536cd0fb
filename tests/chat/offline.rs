//! Real models: one that a package has, which needs no network, and one of the person who tests.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use toolwrit_tests::requirement::{Need, met, skip};

use crate::chat::desk::Desk;
use crate::chat::providers::vendors;

/// A model on this machine. It ends with the test.
struct Offline {
    process: Child,
    base: String,
}

impl Offline {
    /// `None` if its package is not installed. There is one for Linux on x86-64.
    fn new() -> Option<Self> {
        if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
            skip("the package of the model is for Linux on x86-64");
            return None;
        }
        let python = vendors("model/.venv/bin/python");
        if !met(&[Need::File(&python)], "server/chat/tests/vendors/install") {
            return None;
        }
        let mut command = Command::new(python);
        command.arg(vendors("model/serve.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        let base = format!("http://127.0.0.1:{}/v1/", port.trim());
        Some(Self { process, base })
    }
}

impl Drop for Offline {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The calls of a note: operations and arguments.
fn calls(note: &str) -> Vec<(String, Value)> {
    let mut lines = note.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if let Some((_, rest)) = line.split_once("> [!tool|") {
            let operation = rest.split('`').nth(1).unwrap().to_owned();
            let arguments = lines.nth(1).unwrap().trim_start_matches("> ");
            found.push((operation, serde_json::from_str(arguments).unwrap()));
        }
    }
    found
}

#[test]
fn a_model_chooses_the_right_ones_of_four_operations() {
    let Some(model) = Offline::new() else { return };
    let append =
        |path: &str, content: &str| ("vault.append", json!({ "path": path, "content": content }));
    let search = |query: &str| ("vault.search", json!({ "query": query }));
    let read = || ("vault.read", json!({ "path": "Audit.md" }));
    let requests = [
        ("Read the note Audit.md", vec![read()]),
        ("Search my notes for the word budget", vec![search("budget")]),
        ("Add 'buy milk' to Shopping.md", vec![append("Shopping.md", "buy milk")]),
        ("List all tags of my notes", vec![("vault.tags", json!({}))]),
        ("Search for budget and search for holidays", vec![search("budget"), search("holidays")]),
        (
            "Append 'milk' to Shopping.md and append 'call Anna' to Todo.md",
            vec![append("Shopping.md", "milk"), append("Todo.md", "call Anna")],
        ),
    ];
    let desk = Desk::new([]);
    desk.configure(&format!(
        "[models.small]\ndialect = \"openai\"\nmodel = \"needle\"\nbase_url = \"{}\"\n\n[chat]\nfocus = \"full\"\n\
         tools = [\"vault.read\", \"vault.search\", \"vault.append\", \"vault.tags\"]\nallow = [\"vault\"]\n",
        model.base
    ));
    for (number, (text, expected)) in requests.into_iter().enumerate() {
        let note = format!("Chat {number}.md");
        let done = desk.run(&["chat", &note, text]);
        let written = desk.text(&note);
        assert_eq!(done.code, Some(0), "{}\n{written}", done.err);
        let made = calls(&written);
        assert_eq!(made.len(), expected.len(), "{written}");
        for ((operation, arguments), (right, least)) in made.iter().zip(&expected) {
            assert_eq!(operation, right, "{written}");
            // It may set further parameters.
            for (name, value) in least.as_object().unwrap() {
                assert_eq!(arguments.get(name), Some(value), "{written}");
            }
        }
        assert_eq!(written.matches("` · ok, ").count(), expected.len(), "{written}");
    }
    assert_eq!(desk.text("Shopping.md").trim(), "buy milk\nmilk");
    assert_eq!(desk.text("Todo.md").trim(), "call Anna");
}

/// `OLLAMA_URL` is where a real model is, and `OLLAMA_MODEL` its name. `SKIP_REAL_E2E` skips the test.
#[test]
fn a_real_model_reads_and_answers() {
    let setting = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (Some(url), Some(model), None) =
        (setting("OLLAMA_URL"), setting("OLLAMA_MODEL"), setting("SKIP_REAL_E2E"))
    else {
        skip("no real model. Set OLLAMA_URL and OLLAMA_MODEL, and unset SKIP_REAL_E2E.");
        return;
    };
    let desk = Desk::new([]);
    desk.configure(&format!(
        "[models.real]\ndialect = \"ollama\"\nmodel = \"{model}\"\nbase_url = \"{url}\"\n"
    ));
    let text = "Read the note Audit.md with a tool, and tell me in one sentence what it says.";
    let done = desk.chat(&[text, "--tools", "vault.read,vault.search,vault.tags"]);
    let note = desk.text("Chat.md");
    assert_eq!(done.code, Some(0), "{}\n{note}", done.err);
    assert!(calls(&note).iter().any(|(operation, _)| operation == "vault.read"), "{note}");
    assert!(done.out.contains("May"), "{note}");
}
