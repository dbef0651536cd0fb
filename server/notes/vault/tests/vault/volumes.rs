//! Volumes with fewer features than a Linux disk: no hard links, no exchange of two files, no
//! rename that refuses to overwrite.

use std::fs;

use toolwrit_vault::{BulkMode, CaseSensitivity, IfMissing, SearchPattern, VaultError, WriteMode};

use crate::mounts::Mount;
use crate::{never, open, path};

#[test]
fn every_change_works_on_a_volume_with_fewer_features() {
    let Some(mount) = Mount::exfat() else { return };
    let folder = mount.path();
    fs::create_dir(folder.join(".obsidian")).unwrap();
    fs::write(folder.join(".obsidian/app.json"), r#"{"trashOption":"local"}"#).unwrap();
    let vault = open(&folder);
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();

    assert!(vault.write(&path("a"), "[[b]]\n", WriteMode::CreateOnly, None).unwrap().created);
    let taken = vault.write(&path("a"), "", WriteMode::CreateOnly, None);
    assert!(matches!(taken, Err(VaultError::AlreadyExists { .. })), "{taken:?}");
    vault.write(&path("b"), "b\n", WriteMode::Overwrite, None).unwrap();
    vault.write(&path("b"), "b again\n", WriteMode::Overwrite, None).unwrap();
    vault.append(&path("b"), "more\n", IfMissing::Fail, None).unwrap();
    assert_eq!(read("b.md"), "b again\nmore\n");

    let moved = vault.move_note(&path("b"), &path("x/c"), None, &never).unwrap();
    assert_eq!(moved.rewritten, [path("a.md")]);
    assert_eq!((read("a.md"), read("x/c.md")), ("[[c]]\n".into(), "b again\nmore\n".into()));
    let taken = vault.move_note(&path("a"), &path("x/c"), None, &never);
    assert!(matches!(taken, Err(VaultError::AlreadyExists { .. })), "{taken:?}");

    let all = SearchPattern::glob("*.md", CaseSensitivity::Sensitive).unwrap();
    let done = vault.bulk_delete(&all, BulkMode::Delete, &never).unwrap();
    assert_eq!(done.outcomes.len(), 2);
    assert_eq!((read(".trash/a.md"), read(".trash/x/c.md").len()), ("[[c]]\n".into(), 13));
    assert_eq!(fs::read_dir(folder.join(".toolwrit/tmp")).unwrap().count(), 0);
}
