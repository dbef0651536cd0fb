//! Listing folders and matching paths.

use std::fs;
use std::num::NonZeroUsize;
use std::time::{Duration, SystemTime};

use toolwrit_vault::{Depth, EntryKind, Folder, ListOrder, PathGlob, VaultError};

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

fn list_names(sandbox: &Sandbox, folder: &str, depth: Depth, glob: Option<&str>) -> Vec<String> {
    let glob = glob.map(|glob| PathGlob::parse(glob).unwrap());
    let folder = Folder::parse(folder).unwrap();
    let listing = sandbox.vault.list(&folder, depth, glob.as_ref(), &never).unwrap();
    listing.entries.into_iter().map(|entry| entry.path.to_string()).collect()
}

#[test]
fn folders_come_before_their_content_and_hidden_names_are_left_out() {
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
    assert_eq!(list_names(&sandbox, "", Depth::DEEP, None), all);
    assert_eq!(
        list_names(&sandbox, "", Depth::SHALLOW, None),
        ["Cafe\u{301}.md", "a", "a b.md", "b.md"]
    );
    assert_eq!(
        list_names(&sandbox, "a/", Depth::SHALLOW, None),
        ["a/deep", "a/picture.png", "a/z.md"]
    );
}

#[test]
fn a_listing_has_the_requested_depth() {
    let sandbox = populated();
    let levels = |count| Depth::levels(NonZeroUsize::new(count).unwrap());
    let listed = |count| list_names(&sandbox, "a", levels(count), None);
    assert_eq!(listed(1), ["a/deep", "a/picture.png", "a/z.md"]);
    assert_eq!(listed(2), ["a/deep", "a/deep/y.md", "a/picture.png", "a/z.md"]);
    assert_eq!(listed(9), listed(2));
}

#[test]
fn listings_can_be_sorted_by_time_or_size() {
    let sandbox = Sandbox::new();
    let now = SystemTime::now();
    for (path, bytes, age) in
        [("a.md", "12", 3), ("b.md", "1", 1), ("c.md", "12", 1), ("d.md", "123", 2)]
    {
        sandbox.put(path, bytes);
        let file = fs::File::options().append(true).open(sandbox.file(path)).unwrap();
        file.set_modified(now - Duration::from_hours(age)).unwrap();
    }
    let sorted = |order| {
        let mut listing = sandbox.vault.list(&Folder::ROOT, Depth::SHALLOW, None, &never).unwrap();
        sandbox.vault.sort(&mut listing.entries, order);
        let paths = listing.entries.into_iter().map(|entry| entry.path.to_string());
        paths.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(sorted(ListOrder::Path), "a.md b.md c.md d.md");
    assert_eq!(sorted(ListOrder::Modified), "b.md c.md d.md a.md");
    assert_eq!(sorted(ListOrder::Size), "d.md a.md c.md b.md");
}

#[test]
fn entries_have_their_kind() {
    let sandbox = populated();
    let folder = Folder::parse("a").unwrap();
    let listing = sandbox.vault.list(&folder, Depth::SHALLOW, None, &never).unwrap();
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
fn globs_without_a_slash_match_names_and_globs_with_one_match_paths() {
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
        assert_eq!(list_names(&sandbox, "", Depth::DEEP, Some(glob)), expected, "{glob}");
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
fn listing_a_missing_folder_or_a_file_is_an_error() {
    let sandbox = populated();
    let list = |folder: &str| {
        let folder = Folder::parse(folder).unwrap();
        sandbox.vault.list(&folder, Depth::SHALLOW, None, &never).unwrap_err()
    };
    assert!(matches!(list("nowhere"), VaultError::NotFound { .. }));
    let error = list("b.md").to_string();
    assert!(error.contains("`b.md` is a file; expected a folder"), "{error}");
}

#[test]
fn a_listing_can_be_cancelled() {
    let result = populated().vault.list(&Folder::ROOT, Depth::DEEP, None, &|| true);
    assert!(matches!(result, Err(VaultError::Cancelled)), "{result:?}");
}
