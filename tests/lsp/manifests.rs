//! The files of a manifest: completion, declarations and diagnostics.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::lsp::editor::{Editor, labels};

const ROOT: &str = "\
toolwrit: 1
server: { name: desk }
include: [operations/notes.yaml]
providers:
  library: { summary: Where books are. }
roles:
  reader: { allow: [notes] }
";
const NOTES: &str = "\
types:
  NotePath: { type: string, description: A path. }
categories:
  notes: { summary: Notes., providers: { library: read } }
operations:
  notes.read:
    summary: Read a note.
    effect: read
    params:
      path: NotePath
    requires: library
  notes.open:
    summary: Open a note.
    effect: read
    deprecated: { use: notes.read }
";

struct Desk {
    _folder: TempDir,
    root: PathBuf,
    notes: PathBuf,
    editor: Editor,
}

impl Desk {
    /// A manifest of two files on the disk, and an editor without a vault.
    fn new() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().canonicalize().unwrap();
        fs::create_dir(path.join("operations")).unwrap();
        let (root, notes) = (path.join("authority.yaml"), path.join("operations/notes.yaml"));
        fs::write(&root, ROOT).unwrap();
        fs::write(&notes, NOTES).unwrap();
        Some(Self { _folder: folder, root, notes, editor: Editor::start(&[])? })
    }

    /// The file of operations, with a part of it replaced by another one, which has a mark.
    fn edit(&mut self, from: &str, to: &str) -> String {
        assert!(NOTES.contains(from), "{from}");
        let text = NOTES.replacen(from, to, 1);
        self.editor.change(&self.notes, &text);
        text
    }

    fn offered(&mut self, from: &str, to: &str) -> Vec<String> {
        let text = self.edit(from, to);
        let items = self.editor.complete(&self.notes, &text);
        labels(&items).into_iter().map(str::to_owned).collect()
    }
}

#[test]
fn keys_values_and_names_are_completed() {
    let Some(mut desk) = Desk::new() else { return };
    let notes = desk.notes.clone();
    desk.editor.open(&notes, NOTES);
    let keys = desk.offered("    requires: library\n", "    ‸\n");
    assert!(keys.iter().any(|key| key == "requires"), "{keys:?}");
    assert!(keys.iter().all(|key| key != "summary"), "it is there already: {keys:?}");
    assert_eq!(desk.offered("effect: read", "effect: ‸"), ["read", "write", "destroy"]);
    assert_eq!(desk.offered("requires: library", "requires: l‸"), ["library"]);
    assert_eq!(desk.offered("use: notes.read", "use: ‸"), ["notes.read", "notes.open"]);
    let types = desk.offered("path: NotePath", "path: map<N‸");
    assert!(
        types.contains(&"NotePath".to_owned()) && types.contains(&"datetime".to_owned()),
        "{types:?}"
    );
    assert_eq!(desk.offered("{ use: notes.read }", "{ ‸"), ["note", "since", "use"]);
    assert_eq!(desk.offered("providers: { library", "providers: { l‸"), ["library"]);
    let (root, text) = (desk.root.clone(), ROOT.replace("allow: [notes", "allow: [‸"));
    desk.editor.open(&root, &text);
    let selectors = desk.editor.complete(&root, &text);
    assert!(labels(&selectors).contains(&"notes.read"), "{selectors:?}");
}

#[test]
fn names_lead_to_their_declarations() {
    let Some(mut desk) = Desk::new() else { return };
    let (root, notes) = (desk.root.clone(), desk.notes.clone());
    desk.editor.open(&notes, NOTES);
    for (from, to, file, line) in [
        ("path: NotePath", "path: Note‸Path", "notes.yaml", 1),
        ("requires: library", "requires: lib‸rary", "authority.yaml", 4),
        ("{ library: read", "{ libra‸ry: read", "authority.yaml", 4),
        ("use: notes.read", "use: notes.‸read", "notes.yaml", 5),
    ] {
        let text = desk.edit(from, to);
        assert_eq!(desk.editor.define(&notes, &text), Some((file.to_owned(), line)), "{to}");
    }
    let text = desk.edit("path: NotePath", "path: Note‸Path");
    assert!(desk.editor.hover(&notes, &text).contains("A path."));
    let text = desk.edit("requires:", "req‸uires:");
    assert!(desk.editor.hover(&notes, &text).contains("The provider that it needs."));
    for (from, to, file, line) in [
        ("[notes]", "[no‸tes]", "notes.yaml", 3),
        ("operations/notes", "operations/‸notes", "notes.yaml", 0),
    ] {
        let text = ROOT.replacen(from, to, 1);
        desk.editor.open(&root, &text);
        assert_eq!(desk.editor.define(&root, &text), Some((file.to_owned(), line)), "{to}");
    }
}

#[test]
fn problems_are_those_of_the_compiler_and_follow_what_is_typed() {
    let Some(mut desk) = Desk::new() else { return };
    let (root, notes) = (desk.root.clone(), desk.notes.clone());
    desk.editor.open(&notes, NOTES);
    assert_eq!(desk.editor.diagnostics(&notes), []);
    desk.edit("effect: read", "efect: read");
    let found = desk.editor.diagnostics(&notes);
    assert!(
        matches!(&found[..], [(7, message)] if message.contains("did you mean `effect`?")),
        "{found:?}"
    );
    // The text that is open counts, not the one on the disk, also for other files of the manifest.
    desk.edit("", "");
    assert_eq!(desk.editor.diagnostics(&notes), []);
    desk.editor.open(&root, &ROOT.replace("library", "shelf"));
    assert_eq!(desk.editor.diagnostics(&root), []);
    let found = desk.editor.diagnostics(&notes);
    assert!(
        matches!(&found[..], [(3, _), (10, message)] if message.contains("unknown provider")),
        "{found:?}"
    );
    desk.editor.change(&root, ROOT);
    assert_eq!(desk.editor.diagnostics(&root), []);
    assert_eq!(desk.editor.diagnostics(&notes), []);
    assert_eq!(desk.editor.stop(), 0);
}

#[test]
fn a_part_without_its_manifest_says_so_and_other_yaml_is_left_alone() {
    let Some(mut editor) = Editor::start(&[]) else { return };
    let folder = TempDir::new().unwrap();
    let (part, other) = (folder.path().join("part.yaml"), folder.path().join("other.yaml"));
    editor.open(&part, "toolwrit: 1\noperations: {}\n");
    let found = editor.diagnostics(&part);
    assert!(matches!(&found[..], [(0, message)] if message.contains("--manifest")), "{found:?}");
    editor.open(&other, "services:\n  web: [\n");
    assert_eq!(editor.diagnostics(&other), []);
}

#[test]
fn a_manifest_with_problems_can_be_named() {
    let Some(desk) = Desk::new() else { return };
    let root = desk.root.clone();
    fs::write(&root, "toolwrit: 1\nserver: { nam: desk }\n").unwrap();
    let Some(mut editor) = Editor::start(&["--manifest", root.to_str().unwrap()]) else { return };
    editor.open(&root, "toolwrit: 1\nserver: { nam: desk }\n");
    let found = editor.diagnostics(&root);
    assert!(
        found.iter().any(|(line, message)| *line == 1 && message.contains("`name`")),
        "{found:?}"
    );
}

#[test]
fn blocks_call_the_operations_of_a_named_manifest() {
    let Some(desk) = Desk::new() else { return };
    // Its operations have no handlers, so they are described and not run.
    let arguments = ["--manifest", desk.root.to_str().unwrap()];
    let Some(mut editor) = Editor::start(&arguments) else { return };
    let note = desk.root.with_file_name("Note.md");
    let text = "```toolwrit\ntool: read a note‸\n```\n";
    editor.open(&note, text);
    let items = editor.complete(&note, text);
    assert!(labels(&items).iter().all(|label| label.starts_with("notes.")), "{items:?}");
    let actions = editor.step(&serde_json::json!({
        "do": "actions", "uri": crate::lsp::editor::uri(&note), "line": 1
    }));
    assert_eq!(actions, serde_json::json!([]));
}
