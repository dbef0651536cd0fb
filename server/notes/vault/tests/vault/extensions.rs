//! Which endings of a new name are extensions.

use crate::{Sandbox, never, path};

/// The name of a file after it is renamed.
fn rename(old: &str, new: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.put(old, "");
    let moved = sandbox.vault.rename(&path(old), new, None, &never).unwrap();
    assert!(sandbox.file(moved.to.as_str()).exists());
    moved.to.to_string()
}

#[test]
fn a_note_stays_a_note_unless_its_new_name_ends_with_a_file_type() {
    for (new, expected) in [
        ("Node.js", "Node.js.md"),
        ("Mr.Smith", "Mr.Smith.md"),
        ("v1.2", "v1.2.md"),
        ("Plan", "Plan.md"),
        ("Plan.md", "Plan.md"),
        ("Plan.MD", "Plan.MD"),
        ("Plan.canvas", "Plan.canvas"),
        ("Plan.pdf", "Plan.pdf"),
    ] {
        assert_eq!(rename("Note.md", new), expected, "{new}");
    }
}

#[test]
fn other_files_keep_their_type_too_if_obsidian_opens_it() {
    for (old, new, expected) in [
        ("scan.png", "Dr.Who", "Dr.Who.png"),
        ("scan.png", "scan.jpg", "scan.jpg"),
        ("script.sh", "script.py", "script.py"),
        ("script.sh", "script", "script.sh"),
        ("LICENSE", "COPYING", "COPYING"),
    ] {
        assert_eq!(rename(old, new), expected, "{new}");
    }
}

#[test]
fn links_follow_a_note_to_a_name_with_a_dot() {
    let sandbox = Sandbox::new();
    sandbox.put("Note.md", "");
    sandbox.put("source.md", "[[Note]] [n](Note.md)");
    sandbox.vault.rename(&path("Note"), "Node.js", None, &never).unwrap();
    assert_eq!(sandbox.bytes("source.md"), b"[[Node.js]] [n](Node.js.md)");
    let links = sandbox.vault.backlinks(&path("Node.js"), 10, &never).unwrap();
    assert_eq!((links.path, links.files), (path("Node.js.md"), 1));
}
