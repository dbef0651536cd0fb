//! Moving and renaming.

use toolwrit_vault::{VaultError, VaultPath};

use crate::{Sandbox, never, path};

#[test]
fn a_move_creates_folders_and_keeps_the_extension() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", b"a\r\n");
    sandbox.put("p.png", b"\0png");
    let moved = sandbox.vault.move_note(&path("a"), &path("x/y/b"), None, &never).unwrap();
    assert_eq!((moved.from.as_str(), moved.to.as_str()), ("a.md", "x/y/b.md"));
    let moved = sandbox.vault.move_note(&path("p.png"), &path("x/q"), None, &never).unwrap();
    assert_eq!(moved.to.as_str(), "x/q.png");
    sandbox.put("LICENSE", "text");
    let moved =
        sandbox.vault.move_note(&path("LICENSE"), &path("x/COPYING"), None, &never).unwrap();
    assert_eq!(moved.to.as_str(), "x/COPYING");
    assert_eq!(sandbox.files(), ["x/COPYING", "x/q.png", "x/y/b.md"]);
    assert_eq!(sandbox.bytes("x/y/b.md"), b"a\r\n");
}

#[test]
fn nothing_is_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "a");
    sandbox.put("b.md", "b");
    sandbox.put("Cafe\u{301}.md", "decomposed");
    for to in ["b", "b.md", "Caf\u{e9}"] {
        let result = sandbox.vault.move_note(&path("a"), &path(to), None, &never);
        assert!(matches!(result, Err(VaultError::AlreadyExists { .. })), "{to}: {result:?}");
    }
    assert_eq!((sandbox.bytes("a.md"), sandbox.bytes("b.md")), (b"a".into(), b"b".into()));
}

#[test]
fn a_folder_as_destination_needs_md_to_name_a_note() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "a");
    sandbox.put("Archive/old.md", "old");
    let error = sandbox.vault.move_note(&path("a"), &path("Archive"), None, &never).unwrap_err();
    assert!(error.to_string().contains("`Archive` is a folder"), "{error}");
    sandbox.vault.move_note(&path("a"), &path("Archive.md"), None, &never).unwrap();
    assert_eq!(sandbox.files(), ["Archive/old.md", "Archive.md"]);
}

#[test]
fn a_rename_stays_in_its_folder() {
    let sandbox = Sandbox::new();
    sandbox.put("x/a.md", "a");
    let renamed = sandbox.vault.rename(&path("x/a"), "b", None, &never).unwrap();
    assert_eq!(renamed.to.as_str(), "x/b.md");
    for name in ["../b", "y/b", "", "/b", ".b", "b\0"] {
        let result = sandbox.vault.rename(&path("x/b"), name, None, &never);
        assert!(matches!(result, Err(VaultError::InvalidPath(_))), "{name:?}: {result:?}");
    }
    assert_eq!(sandbox.files(), ["x/b.md"]);
}

#[test]
fn a_move_to_the_same_path_succeeds() {
    let sandbox = Sandbox::new();
    sandbox.put("Cafe\u{301}.md", "a");
    for to in ["Cafe\u{301}", "Caf\u{e9}.md"] {
        let moved = sandbox.vault.move_note(&path("Caf\u{e9}"), &path(to), None, &never).unwrap();
        assert_eq!(moved.from, moved.to);
    }
    assert_eq!(sandbox.bytes("Cafe\u{301}.md"), b"a");
}

#[test]
fn a_missing_source_creates_no_folders() {
    let sandbox = Sandbox::new();
    sandbox.put("plan.md", "a");
    let result = sandbox.vault.move_note(&path("Plan"), &path("x/y"), None, &never);
    let Err(VaultError::NotFound { similar, .. }) = result else { panic!("{result:?}") };
    assert_eq!(similar.first().map(VaultPath::as_str), Some("plan.md"));
    assert_eq!(sandbox.files(), ["plan.md"]);
}
