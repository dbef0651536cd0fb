//! Listing folders and matching paths.

use std::fs;

use toolwrit_vault::{EntryKind, Folder, PathGlob, VaultError};

use crate::{Sandbox, never};

fn populated() -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, bytes) in [
        ("b.md", "note"),
        ("a/z.md", "z"),
        ("a/deep/y.md", "yy"),
        ("a b.md", "sorts after the folder a"),
        ("a/picture.png", "png"),
        ("Cafe\u{301}.md", "decomposed"),
        (".git/config", "hidden"),
        ("a/.hidden.md", "hidden"),
        (".trash/gone.md", "hidden"),
        (".toolwrit/tmp/.toolwrit-1-0.tmp", "left by a killed writer"),
    ] {
        sandbox.put(path, bytes);
    }
    sandbox
}

fn listed(sandbox: &Sandbox, folder: &str, recursive: bool, glob: Option<&str>) -> Vec<String> {
    let glob = glob.map(|glob| PathGlob::parse(glob).unwrap());
    let folder = Folder::parse(folder).unwrap();
    let listing = sandbox.vault.list(&folder, recursive, glob.as_ref(), &never).unwrap();
    listing.entries.into_iter().map(|entry| entry.path.to_string()).collect()
}

#[test]
fn folders_come_before_what_they_hold_and_nothing_hidden_comes() {
    let sandbox = populated();
    let all = [
        "Cafe\u{301}.md",
        "a",
        "a/deep",
        "a/deep/y.md",
        "a/picture.png",
        "a/z.md",
        "a b.md",
        "b.md",
    ];
    assert_eq!(listed(&sandbox, "", true, None), all);
    assert_eq!(listed(&sandbox, "", false, None), ["Cafe\u{301}.md", "a", "a b.md", "b.md"]);
    assert_eq!(listed(&sandbox, "a/", false, None), ["a/deep", "a/picture.png", "a/z.md"]);
}

#[test]
fn entries_say_what_they_are() {
    let sandbox = populated();
    let folder = Folder::parse("a").unwrap();
    let listing = sandbox.vault.list(&folder, false, None, &never).unwrap();
    let kinds: Vec<_> = listing.entries.iter().map(|entry| entry.kind).collect();
    assert_eq!(kinds, [EntryKind::Folder, EntryKind::Attachment, EntryKind::Note]);
    let stats = sandbox.vault.stat(&listing.entries);
    let sizes: Vec<_> = stats.iter().map(|stat| stat.map(|stat| stat.size)).collect();
    assert_eq!(sizes, [Some(0), Some(3), Some(1)]);
    let on_disk = fs::metadata(sandbox.file("a/z.md")).unwrap().modified().unwrap();
    assert_eq!(stats[2].unwrap().modified, on_disk.try_into().ok());
    fs::remove_file(sandbox.file("a/z.md")).unwrap();
    assert_eq!(sandbox.vault.stat(&listing.entries)[2], None, "gone meanwhile");
}

#[test]
fn names_no_path_can_spell_are_counted() {
    let sandbox = Sandbox::new();
    sandbox.put("what?.md", "not portable");
    sandbox.put("fine.md", "fine");
    let listing = sandbox.vault.list(&Folder::ROOT, true, None, &never).unwrap();
    assert_eq!((listing.entries.len(), listing.left_out), (1, 1));
}

#[test]
fn globs_without_a_slash_match_names_and_others_whole_paths() {
    let sandbox = populated();
    for (glob, expected) in [
        ("*.png", vec!["a/picture.png"]),
        ("z*", vec!["a/z.md"]),
        ("a/*", vec!["a/deep", "a/picture.png", "a/z.md"]),
        ("a/**", vec!["a/deep", "a/deep/y.md", "a/picture.png", "a/z.md"]),
        ("**/y.md", vec!["a/deep/y.md"]),
        ("{b,z}.md", vec!["a/z.md", "b.md"]),
        ("[ab].md", vec!["b.md"]),
        ("Caf\u{e9}.md", vec!["Cafe\u{301}.md"]),
        ("B.md", vec![]),
        ("nothing", vec![]),
    ] {
        assert_eq!(listed(&sandbox, "", true, Some(glob)), expected, "{glob}");
    }
}

#[test]
fn broken_globs_are_explained() {
    for (glob, reason) in [
        ("[a", "unclosed character class"),
        ("{a", "unclosed alternate group"),
        ("", "it is empty"),
        (&"x".repeat(5000), "5000 bytes long"),
    ] {
        let error = PathGlob::parse(glob).unwrap_err();
        assert!(matches!(error, VaultError::BadPattern { .. }), "{error:?}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_missing_folder_is_not_found_and_a_file_is_no_folder() {
    let sandbox = populated();
    let list = |folder: &str| {
        let folder = Folder::parse(folder).unwrap();
        sandbox.vault.list(&folder, false, None, &never).unwrap_err()
    };
    assert!(matches!(list("nowhere"), VaultError::NotFound { .. }));
    let error = list("b.md").to_string();
    assert!(error.contains("`b.md` is a file; expected a folder"), "{error}");
}

#[test]
fn a_listing_stops_when_asked() {
    let result = populated().vault.list(&Folder::ROOT, true, None, &|| true);
    assert!(matches!(result, Err(VaultError::Cancelled)), "{result:?}");
}
