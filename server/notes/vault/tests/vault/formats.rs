//! Files of other kinds than Markdown: canvases, bases and JSON.

use toolwrit_vault::patch::{
    Action, IfPresent, IfTargetMissing, Patch, PatchContent, PatchScope, PatchTarget,
};
use toolwrit_vault::{IfMissing, VaultError, WriteMode};

use crate::{Sandbox, path};

const CANVAS: &str = "{\"nodes\":[],\"edges\":[]}";

#[test]
fn text_is_neither_added_to_nor_changed_in_other_files() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    for (name, content) in
        [("b.canvas", CANVAS), ("b.base", "views: []\n"), ("b.json", "{}"), ("b.txt", "x")]
    {
        sandbox.put(name, content);
        let patch = Patch {
            target: PatchTarget::Property("k".to_owned()),
            scope: PatchScope::default(),
            action: Action::Replace(PatchContent::Text("v".to_owned())),
            if_missing: IfTargetMissing::Create,
            if_present: IfPresent::default(),
        };
        for refused in [
            vault.append(&path(name), "x", IfMissing::Create, None),
            vault.append(&path(&format!("new-{name}")), "x", IfMissing::Create, None),
            vault.patch(&path(name), &patch, None),
        ] {
            assert!(matches!(refused, Err(VaultError::NotMarkdown { .. })), "{name}: {refused:?}");
        }
        assert_eq!(sandbox.bytes(name), content.as_bytes());
    }
    assert_eq!(sandbox.files().len(), 4);
}

#[test]
fn what_obsidian_could_not_open_is_not_written() {
    let sandbox = Sandbox::new();
    let write = |name: &str, content: &str| {
        sandbox.vault.write(&path(name), content, WriteMode::Overwrite, None)
    };
    for (name, content) in [
        ("a.canvas", CANVAS),
        ("a.canvas", ""),
        ("a.base", "filters:\n  and: []\n"),
        ("a.base", ""),
        ("a.json", "[1]"),
        ("a.txt", "{"),
        ("a.md", "{"),
    ] {
        write(name, content).unwrap();
    }
    for (name, content, told) in [
        ("a.canvas", "{\"nodes\":[]", "line 1 column 11"),
        ("A.CANVAS", "[]", "an object"),
        ("new.canvas", "# Note\n", "JSON Canvas"),
        ("a.json", "{} x", "line 1 column 4"),
        ("a.json", "", "JSON"),
        ("a.base", "a: b: c\n", "line 1"),
        ("a.base", "- a\n", "line 1"),
    ] {
        let before = sandbox.files();
        let refused = write(name, content).unwrap_err();
        assert!(matches!(refused, VaultError::Malformed { .. }), "{name}: {refused:?}");
        assert!(refused.to_string().contains(told), "{name}: {refused}");
        assert_eq!(sandbox.files(), before);
    }
}
