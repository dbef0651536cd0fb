//! Blocks that are run from the editor.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::vaults;

use crate::lsp::editor::{Editor, uri};

const READ: &str = "```toolwrit\ntool: vault.read\npath: Seed.md\n```\n";
const WRITE: &str = "```toolwrit\ntool: vault.append\npath: Seed.md\ncontent: more\n```\n";

/// A vault with a seed and a saved note, and an editor that has the note open.
fn desk(text: &str, arguments: &[&str], options: &Value) -> Option<(TempDir, PathBuf, Editor)> {
    let vault = vaults::empty();
    fs::write(vault.path().join("Seed.md"), "seed\n").unwrap();
    let note = vault.path().join("Note.md");
    fs::write(&note, text).unwrap();
    let arguments = [&["--vault", vault.path().to_str().unwrap()], arguments].concat();
    let mut editor = Editor::start_with(&arguments, options)?;
    editor.open(&note, text);
    Some((vault, note, editor))
}

fn execute(editor: &mut Editor, note: &Path, block: usize) -> Value {
    let arguments = json!([uri(note), block]);
    editor.step(&json!({ "do": "execute", "command": "toolwrit.runBlock", "arguments": arguments }))
}

#[test]
fn a_block_is_offered_and_run() {
    let text = format!("Text.\n\n{READ}");
    let Some((_vault, note, mut editor)) = desk(&text, &[], &json!({})) else { return };
    let elsewhere = editor.step(&json!({ "do": "actions", "uri": uri(&note), "line": 0 }));
    assert_eq!(elsewhere, json!([]));
    let actions = editor.step(&json!({ "do": "actions", "uri": uri(&note), "line": 3 }));
    assert_eq!(actions[0]["title"], "Run block");
    assert_eq!(actions[0]["arguments"], json!([uri(&note), 1]));
    let ran = execute(&mut editor, &note, 1);
    assert!(ran.as_str().is_some_and(|said| said.starts_with("Note.md:3: vault.read ok")), "{ran}");
    let after = fs::read_to_string(&note).unwrap();
    assert!(
        after.starts_with(&text) && after.contains("> [!tool|") && after.contains("seed"),
        "{after}"
    );
    assert_eq!(editor.stop(), 0);
}

#[test]
fn a_note_with_changes_is_not_run() {
    let Some((_vault, note, mut editor)) = desk(READ, &[], &json!({})) else { return };
    editor.change(&note, &format!("New.\n\n{READ}"));
    let refused = execute(&mut editor, &note, 1);
    assert!(refused["failed"].as_str().unwrap().contains("not saved"), "{refused}");
    assert_eq!(fs::read_to_string(&note).unwrap(), READ);
}

#[test]
fn a_write_asks_the_user() {
    let focus = ["--focus", "content-editing"];
    let options = json!({ "answer": "Call it" });
    let Some((vault, note, mut editor)) = desk(WRITE, &focus, &options) else { return };
    let ran = execute(&mut editor, &note, 1);
    assert!(
        ran.as_str().is_some_and(|said| said.starts_with("Note.md:1: vault.append ok")),
        "{ran}"
    );
    let asked = editor.step(&json!({ "do": "asked" }));
    assert!(asked["questions"][0].as_str().unwrap().contains("vault.append"), "{asked}");
    assert!(fs::read_to_string(vault.path().join("Seed.md")).unwrap().contains("more"));
}

#[test]
fn a_write_waits_if_the_client_cannot_ask_and_is_refused_without_a_focus_mode() {
    for (arguments, expected) in
        [(&["--focus", "content-editing"][..], "--approve"), (&[], "WRITES_DISABLED")]
    {
        let Some((vault, note, mut editor)) = desk(WRITE, arguments, &json!({})) else { return };
        let refused = execute(&mut editor, &note, 1);
        assert!(refused["failed"].as_str().unwrap().contains(expected), "{refused}");
        assert_eq!(fs::read_to_string(vault.path().join("Seed.md")).unwrap(), "seed\n");
        assert_eq!(editor.stop(), 0);
    }
}

#[test]
fn a_note_outside_of_the_vault_is_not_run() {
    let Some((_vault, _note, mut editor)) = desk(READ, &[], &json!({})) else { return };
    let folder = TempDir::new().unwrap();
    let other = folder.path().join("Other.md");
    fs::write(&other, READ).unwrap();
    editor.open(&other, READ);
    let refused = execute(&mut editor, &other, 1);
    assert!(refused["failed"].as_str().unwrap().contains("--vault"), "{refused}");
}
