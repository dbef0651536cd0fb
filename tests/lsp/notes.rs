//! Blocks of notes: completion, hover and diagnostics.

use std::fs;
use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::vaults;

use crate::lsp::editor::{Editor, labels, uri};

/// A vault, a note in it that may not be saved, and an editor.
fn desk() -> Option<(TempDir, PathBuf, Editor)> {
    let vault = vaults::empty();
    let note = vault.path().join("Note.md");
    let editor = Editor::start(&["--vault", vault.path().to_str().unwrap()])?;
    Some((vault, note, editor))
}

#[test]
fn an_operation_is_completed_by_what_it_does() {
    let Some((_vault, note, mut editor)) = desk() else { return };
    let text = "# Ideas\n\n```toolwrit\ntool: find notes with some words‸\n```\n";
    editor.open(&note, text);
    let items = editor.complete(&note, text);
    assert_eq!(labels(&items)[0], "vault.search");
    let best = &items[0];
    assert!(best["detail"].as_str().unwrap().starts_with("read: "), "{best}");
    assert!(best["documentation"]["value"].as_str().unwrap().contains("vault.search("), "{best}");
    // The name takes the place of the words.
    let range =
        json!({ "start": { "line": 3, "character": 6 }, "end": { "line": 3, "character": 32 } });
    assert_eq!(best["textEdit"], json!({ "range": range, "newText": "vault.search" }));
    // A fence that has no end yet is completed, too.
    let open = "```toolwrit\ntool: vault.s‸";
    editor.change(&note, open);
    assert_eq!(labels(&editor.complete(&note, open))[0], "vault.search");
}

#[test]
fn a_block_of_a_category_offers_its_operations_first_and_by_short_names() {
    let Some((_vault, note, mut editor)) = desk() else { return };
    let text = "```vault\ntool: ‸\n```\n";
    editor.open(&note, text);
    let items = editor.complete(&note, text);
    let first: Vec<&str> = labels(&items).into_iter().take(10).collect();
    assert!(first.contains(&"read") && first.iter().all(|name| !name.contains('.')), "{first:?}");
    let text = "```vault\ntool: re‸\n```\n";
    editor.change(&note, text);
    let items = editor.complete(&note, text);
    assert!(["read", "rename"].contains(&labels(&items)[0]), "{items:?}");
    assert!(["read", "rename"].contains(&items[0]["textEdit"]["newText"].as_str().unwrap()));
    // The operations of other categories are found by what they do, with their ids.
    let text = "```vault\ntool: server information‸\n```\n";
    editor.change(&note, text);
    assert!(labels(&editor.complete(&note, text)).contains(&"system.introspect"));
}

#[test]
fn parameters_are_completed_with_their_docs_and_values() {
    let Some((_vault, note, mut editor)) = desk() else { return };
    let text = "```toolwrit\ntool: vault.search\n‸\n```\n";
    editor.open(&note, text);
    let items = editor.complete(&note, text);
    let query = items.iter().find(|item| item["label"] == "query").unwrap();
    assert!(!query["documentation"]["value"].as_str().unwrap().is_empty());
    assert!(items.iter().all(|item| item["label"] != "tool"), "it is there already");
    let text = "```toolwrit\ntool: vault.write\npath: A.md\nmode: ‸\n```\n";
    editor.change(&note, text);
    let values = editor.complete(&note, text);
    assert!(labels(&values).contains(&"create"), "{values:?}");
    // Outside of blocks, nothing is offered.
    let text = "tool: ‸\n";
    editor.change(&note, text);
    assert!(editor.complete(&note, text).is_empty());
}

#[test]
fn operations_and_parameters_are_explained() {
    let Some((vault, note, mut editor)) = desk() else { return };
    let text = "```toolwrit\ntool: vault.se‸arch\nquery: garden\n```\n";
    editor.open(&note, text);
    let hover = editor.hover(&note, text);
    let described = std::process::Command::new(toolwrit_tests::program::toolwrit())
        .args(["describe", "vault.search", "--json", "--vault", vault.path().to_str().unwrap()])
        .output()
        .unwrap();
    let described: serde_json::Value = serde_json::from_slice(&described.stdout).unwrap();
    let signature = described["tools"][0]["signature"].as_str().unwrap();
    assert!(hover.contains(signature), "{hover}");
    let text = "```toolwrit\ntool: vault.search\nque‸ry: garden\n```\n";
    editor.change(&note, text);
    assert!(
        editor.hover(&note, text).starts_with("`query`: string"),
        "{}",
        editor.hover(&note, text)
    );
}

#[test]
fn faults_are_shown_where_they_are() {
    let Some((_vault, note, mut editor)) = desk() else { return };
    editor.open(&note, "Text.\n\n```toolwrit\ntool: vault.serch\n```\n");
    let found = editor.diagnostics(&note);
    assert!(matches!(&found[..], [(3, message)] if message.contains("vault.search")), "{found:?}");
    // A value that does not fit is marked at its key, even if characters of two units precede it.
    editor.change(&note, "🖋 one\n```toolwrit\ntool: vault.list\nfolder: 🖋\nlimit: many\n```\n");
    let found = editor.diagnostics(&note);
    assert!(
        found.iter().any(|(line, message)| *line == 4 && message.contains("limit")),
        "{found:?}"
    );
    editor.change(&note, "```toolwrit\ntool: [vault\n```\n");
    let found = editor.diagnostics(&note);
    assert!(found[0].1.contains("not valid YAML"), "{found:?}");
    // Without a focus mode, blocks only read.
    editor.change(&note, "```toolwrit\ntool: vault.write\npath: A.md\ncontent: a\n```\n");
    let found = editor.diagnostics(&note);
    assert!(matches!(&found[..], [(1, message)] if message.contains("--focus")), "{found:?}");
    editor.change(&note, "```toolwrit\ntool: vault.search\nquery: a\n```\n");
    assert_eq!(editor.diagnostics(&note), []);
    // Code of others, and mistakes of others, are nobody's business.
    editor.change(&note, "<!-- open\n\n```yaml\ntool: nothing\n");
    assert_eq!(editor.diagnostics(&note), []);
    assert_eq!(editor.stop(), 0);
}

#[test]
fn a_document_that_is_too_large_is_not_read() {
    let Some((_vault, note, mut editor)) = desk() else { return };
    let block = "```toolwrit\ntool: nothing\n```\n";
    editor.open(&note, &format!("{block}{}", "word ".repeat(900_000)));
    let found = editor.diagnostics(&note);
    assert!(matches!(&found[..], [(0, message)] if message.contains("too large")), "{found:?}");
}

#[test]
fn columns_are_bytes_if_the_client_wants_so() {
    let vault = vaults::empty();
    let note = vault.path().join("Note.md");
    fs::write(&note, "").unwrap();
    let options = json!({ "encodings": ["utf-8", "utf-16"] });
    let arguments = ["--vault", vault.path().to_str().unwrap()];
    let Some(mut editor) = Editor::start_with(&arguments, &options) else { return };
    assert_eq!(editor.greeting["capabilities"]["positionEncoding"], "utf-8");
    editor.open(&note, "```toolwrit\ntool: vault.search\nquery: \"🖋\"\nlimit: \"é\"\n```\n");
    let found = editor.step(&json!({ "do": "diagnostics", "uri": uri(&note) }));
    assert_eq!(found[0]["range"]["end"], json!({ "line": 3, "character": 10 }), "{found}");
}
