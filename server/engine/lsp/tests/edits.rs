//! Random edits of notes and manifests: the server answers every request, and checks the last text.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::sync::Arc;
use std::thread;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::pipeline::CallSettings;
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::toolset::ProviderTables;
use toolwrit_loader::Loaded;
use toolwrit_lsp::lsp_server::{Connection, Message, Notification, Request};
use toolwrit_lsp::{Notes, session};
use toolwrit_mcp::endpoint::Engine;

const MANIFEST: &str = "\
toolwrit: 1
server: { name: desk }
types:
  NotePath: { type: string, description: \"A päth 🖋.\" }
  Kind: { enum: [a, 'b', \"c\"] }
categories:
  notes: { summary: Notes. }
roles:
  reader: { allow: [\"*\", { effect: read }] }
operations:
  notes.read:
    summary: >
      Read
      a note.
    effect: read # always
    params:
      path: NotePath
      kinds?: Kind[]
    aliases:
    - open
    - { name: show, args: { file: path } }
";
const NOTE: &str = "\
---
title: A 🖋
---
Text.

```toolwrit
tool: notes.read
path: \"Ä.md\"
kinds: [a, b]
```

```notes
tool: read
```
";

/// A replacement of a part of the text, and a place to ask about.
type Edit = (Index, usize, String, u32, u32);

fn edit() -> impl Strategy<Value = Edit> {
    let pieces = prop::sample::select(vec![
        "",
        "\n",
        "\r\n",
        "\r",
        "  ",
        ":",
        ": ",
        "- ",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "|\n",
        "#",
        ",",
        "```",
        "🖋",
        "é",
        "\t",
        "tool: ",
        "tool",
        "notes.",
        "path",
        "effect: ",
        "\u{feff}",
        "---\n",
        "> [!tool|",
        "`",
        "&a",
        "*",
        "<<: ",
    ]);
    let text = prop_oneof![pieces.prop_map(str::to_owned), ".{0,8}"];
    (any::<Index>(), 0usize..12, text, 0u32..30, 0u32..40)
}

fn edited(text: &str, (at, length, new, ..): &Edit) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let start = at.index(places.len());
    let end = (start + length).min(places.len() - 1);
    format!("{}{new}{}", &text[..places[start]], &text[places[end]..])
}

struct Client(Connection, i32);

impl Client {
    fn notify(&self, method: &str, params: Value) {
        self.0.sender.send(Notification::new(method.to_owned(), params).into()).unwrap();
    }

    /// Asks, and waits for the answer.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.1 += 1;
        let id = self.1.into();
        self.0.sender.send(Request::new(self.1.into(), method.to_owned(), params).into()).unwrap();
        loop {
            match self.0.receiver.recv().unwrap() {
                Message::Response(response) if response.id == id => {
                    return response.response_result.unwrap();
                }
                _ => {}
            }
        }
    }

    /// Waits until this version of a document has been checked.
    fn checked(&self, uri: &str, version: i32) {
        loop {
            let Message::Notification(found) = self.0.receiver.recv().unwrap() else { continue };
            if found.params["uri"] == uri && found.params["version"] == version {
                return;
            }
        }
    }
}

fn notes(manifest: &std::path::Path) -> Notes {
    let manifest = toolwrit_manifest::load(manifest).unwrap();
    let authority = toolwrit_loader::load(&manifest, "1", "TEST");
    let policy = || Policy::new(authority.clone(), &Choice::default()).unwrap();
    let toolset = Arc::new(Loaded::new(authority.clone(), ProviderTables::new()));
    let engine = Engine::new(toolset, &CallSettings::default(), Recorder::default());
    Notes::new(&engine, policy(), policy(), None)
}

fn drive(name: &str, first: &str, edits: &[Edit]) {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("desk.yaml");
    fs::write(&manifest, MANIFEST).unwrap();
    let runtime = toolwrit_core::runtime::runtime(1).unwrap();
    let _within = runtime.enter();
    let notes = notes(&manifest);
    let (ours, theirs) = Connection::memory();
    let serving = thread::spawn(move || session(&theirs, None, Some(notes)));
    let mut client = Client(ours, 0);
    client.ask("initialize", json!({ "capabilities": {} }));
    client.notify("initialized", json!({}));
    let uri = format!("file://{}", folder.path().join(name).display());
    let document = json!({ "uri": uri, "languageId": "", "version": 0, "text": first });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let mut text = first.to_owned();
    let mut version = 0;
    for edit in edits {
        text = edited(&text, edit);
        version += 1;
        let document = json!({ "uri": uri, "version": version });
        let changes = json!([{ "text": text }]);
        client.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
        let position = json!({ "line": edit.3, "character": edit.4 });
        let place = json!({ "textDocument": { "uri": uri }, "position": position });
        for method in ["completion", "hover", "definition"] {
            client.ask(&format!("textDocument/{method}"), place.clone());
        }
        let range = json!({ "start": position, "end": position });
        let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
        client.ask("textDocument/codeAction", params);
    }
    let document = json!({ "uri": uri, "version": version + 1 });
    let changes = json!([{ "text": text }]);
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": document, "contentChanges": changes }),
    );
    client.checked(&uri, version + 1);
    client.ask("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    serving.join().unwrap().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn edits_of_a_note_never_break_the_server(edits in prop::collection::vec(edit(), 1..12)) {
        drive("Note.md", NOTE, &edits);
    }

    #[test]
    fn edits_of_a_manifest_never_break_the_server(edits in prop::collection::vec(edit(), 1..12)) {
        drive("desk.yaml", MANIFEST, &edits);
    }
}
