//! Names with characters that nobody sees: files that have them are a part of the vault, and shown escaped; no operation
//! makes new ones.

use std::fs;

use proptest::prelude::*;
use toolwrit_requirement::number;
use toolwrit_vault::{
    CaseSensitivity, Depth, Folder, IfMissing, SearchPattern, VaultError, VaultPath, WriteMode,
};

use crate::{Sandbox, never, path};

/// Names, and how they are shown.
const UNSEEN: &[(&str, &str)] = &[
    ("រាប់\u{200b}ពាក្យ.md", r"រាប់\u{200B}ពាក្យ.md"),
    ("soft\u{ad}hyphen.md", r"soft\u{AD}hyphen.md"),
    ("word\u{2060}joiner.md", r"word\u{2060}joiner.md"),
    ("\u{feff}mark.md", r"\u{FEFF}mark.md"),
    ("grapheme\u{34f}joiner.md", r"grapheme\u{34F}joiner.md"),
    ("khmer\u{17b4}vowel.md", r"khmer\u{17B4}vowel.md"),
    ("hangul\u{3164}filler.md", r"hangul\u{3164}filler.md"),
    ("🏴\u{e0067}\u{e0062}\u{e007f}.md", r"🏴\u{E0067}\u{E0062}\u{E007F}.md"),
    ("right\u{202e}left.md", r"right\u{202E}left.md"),
    ("isolate\u{2066}d.md", r"isolate\u{2066}d.md"),
    ("end\u{200d}.md", r"end\u{200D}.md"),
    ("line\nfeed.md", r"line\u{A}feed.md"),
    ("escape\u{1b}[31m.md", r"escape\u{1B}[31m.md"),
    ("next\u{85}line.md", r"next\u{85}line.md"),
    ("back\\slash.md", r"back\u{5C}slash.md"),
    (r"\u{200B}.md", r"\u{5C}u{200B}.md"),
    ("\\start.md", r"\u{5C}start.md"),
    ("folder\u{200b}/plain.md", r"folder\u{200B}/plain.md"),
];

#[test]
fn they_take_part_and_are_shown_escaped() {
    let sandbox = Sandbox::new();
    for (name, _) in UNSEEN {
        sandbox.put(name, "lantern");
    }
    let vault = &sandbox.vault;
    let listing = vault.list(&Folder::ROOT, Depth::DEEP, None, &never).unwrap();
    let listed: Vec<_> = listing.entries.iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(listing.left_out, 0);
    let found =
        vault.search(&SearchPattern::text("lantern").unwrap(), &Folder::ROOT, 100, &never).unwrap();
    let found: Vec<_> = found.hits.iter().map(|hit| hit.path.to_string()).collect();
    for (name, shown) in UNSEEN {
        assert!(listed.iter().any(|listed| listed == shown), "{shown}: {listed:?}");
        assert!(found.iter().any(|found| found == shown), "{shown}: {found:?}");
        let note = vault.read(&path(shown), None).unwrap();
        assert_eq!((note.path.as_str(), note.path.to_string().as_str()), (*name, *shown));
    }
    // A name that looks like an escape is read as one; shown, it has its backslash escaped.
    for (name, _) in UNSEEN.iter().filter(|(name, _)| !name.contains(r"\u{")) {
        assert_eq!(vault.read(&path(name), None).unwrap().path.as_str(), *name);
    }
}

#[test]
fn they_are_changed_renamed_and_deleted() {
    for (name, shown) in UNSEEN {
        let sandbox = Sandbox::new();
        let vault = &sandbox.vault;
        sandbox.put(name, "old\n");
        vault.append(&path(shown), "new", IfMissing::Fail, None).unwrap();
        assert_eq!(sandbox.bytes(name), b"old\nnew", "{shown}");
        vault.write(&path(shown), "written\n", WriteMode::Overwrite, None).unwrap();
        assert_eq!(sandbox.bytes(name), b"written\n", "{shown}");
        let moved = vault.rename(&path(shown), "Clean", None, &never).unwrap();
        assert_eq!(moved.from.to_string(), *shown);
        assert_eq!(fs::read(sandbox.file(moved.to.as_str())).unwrap(), b"written\n", "{shown}");
        sandbox.put(name, "again");
        vault.delete(&path(shown), None).unwrap();
        let trashed = format!(".trash/{name}");
        assert!(sandbox.files().contains(&trashed), "{shown}: {:?}", sandbox.files());
    }
}

#[test]
fn links_to_them_and_in_them_are_followed_and_rewritten() {
    for (name, shown) in UNSEEN.iter().filter(|(name, _)| !name.contains(['/', '\\', '\n'])) {
        let sandbox = Sandbox::new();
        let vault = &sandbox.vault;
        let stem = name.strip_suffix(".md").unwrap();
        sandbox.put("Target.md", "target\n");
        sandbox.put(name, "see [[Target]]\n");
        sandbox.put("Source.md", format!("see [[{stem}]]\n"));
        let backlinks = vault.backlinks(&path("Target"), 10, &never).unwrap();
        assert_eq!(backlinks.links[0].path.to_string(), *shown);
        let to_it = vault.backlinks(&path(shown), 10, &never).unwrap();
        assert_eq!(to_it.links.len(), 1, "{shown}");
        vault.rename(&path("Target"), "Goal", None, &never).unwrap();
        assert_eq!(sandbox.bytes(name), b"see [[Goal]]\n", "{shown}");
        vault.rename(&path(shown), "Clean", None, &never).unwrap();
        assert_eq!(sandbox.bytes("Source.md"), b"see [[Clean]]\n", "{shown}");
        // A link to a name that nobody sees has the name as it is on disk.
        fs::create_dir(sandbox.file("sub\u{200b}folder")).unwrap();
        sandbox.put("Other/Clean.md", "");
        vault
            .move_note(&path("Clean.md"), &path("sub\u{200b}folder/Clean.md"), None, &never)
            .unwrap();
        let written = String::from_utf8(sandbox.bytes("Source.md")).unwrap();
        assert_eq!(written, "see [[sub\u{200b}folder/Clean]]\n", "{shown}");
    }
}

#[test]
fn no_new_ones_are_made() {
    for (name, shown) in UNSEEN {
        let sandbox = Sandbox::new();
        let vault = &sandbox.vault;
        sandbox.put("Plain.md", "plain");
        let before = sandbox.files();
        for text in [name, shown] {
            for error in [
                vault.write(&path(text), "x", WriteMode::Overwrite, None).unwrap_err(),
                vault.append(&path(text), "x", IfMissing::Create, None).unwrap_err(),
                vault.move_note(&path("Plain.md"), &path(text), None, &never).unwrap_err(),
                vault.read(&path(text), None).unwrap_err(),
            ] {
                assert!(matches!(error, VaultError::InvalidPath(_)), "{text:?}: {error:?}");
                assert!(!error.to_string().contains(['\n', '\u{1b}', '\u{202e}']), "{error}");
            }
        }
        assert_eq!(sandbox.files(), before, "{shown}");
        sandbox.put(&format!("from/{}", name.replace('/', "-")), "x");
        let from = path(&format!("from/{}", shown.replace('/', "-")));
        let to = path(&shown.replace('/', "-"));
        let moved = vault.move_note(&from, &to, None, &never).unwrap_err();
        assert!(
            matches!(moved, VaultError::InvalidPath(_)),
            "a move keeps no such name: {moved:?}"
        );
    }
}

#[test]
fn bulk_deletion_of_them_is_one_change() {
    let sandbox = Sandbox::new();
    for (name, _) in UNSEEN {
        sandbox.put(name, "lantern");
    }
    let pattern = SearchPattern::literal("lantern", CaseSensitivity::Sensitive).unwrap();
    let deleted =
        sandbox.vault.bulk_delete(&pattern, toolwrit_vault::BulkMode::Delete, &never).unwrap();
    assert_eq!(deleted.outcomes.len(), UNSEEN.len());
    assert!(sandbox.files().iter().all(|file| file.starts_with(".trash/")));
    assert_eq!(sandbox.files().len(), UNSEEN.len());
}

#[test]
fn they_survive_a_saved_index() {
    let sandbox = Sandbox::new();
    for (name, _) in UNSEEN {
        sandbox.put(name, "lantern");
    }
    let open = || {
        let options = toolwrit_vault::OpenOptions {
            state: Some(sandbox.beside("state")),
            cache: Some(sandbox.beside("cache")),
            ..toolwrit_vault::OpenOptions::default()
        };
        toolwrit_vault::Vault::open_with(sandbox.file(""), options).unwrap()
    };
    let search = |vault: &toolwrit_vault::Vault| {
        let pattern = SearchPattern::text("lantern").unwrap();
        let found = vault.search(&pattern, &Folder::ROOT, 100, &never).unwrap();
        let mut found: Vec<_> = found.hits.into_iter().map(|hit| hit.path.to_string()).collect();
        found.sort();
        found
    };
    let first = search(&open());
    assert_eq!(first.len(), UNSEEN.len());
    assert_eq!(search(&open()), first);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_no_part_of_the_vault_is_counted_everywhere() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::new();
    sandbox.put("Plain.md", "lantern");
    sandbox.put("sub/Plain.md", "[[Plain]]");
    std::os::unix::fs::symlink("Plain.md", sandbox.file("sub/link.md")).unwrap();
    fs::write(sandbox.file("").join(OsStr::from_bytes(b"latin\xe9.md")), "lantern").unwrap();
    let vault = &sandbox.vault;
    let count = || {
        let search = |pattern: SearchPattern, folder: &str| {
            let folder = Folder::parse(folder).unwrap();
            vault.search(&pattern, &folder, 10, &never).unwrap().left_out
        };
        let regex = |text| SearchPattern::regex(text, CaseSensitivity::Sensitive).unwrap();
        [
            vault.list(&Folder::ROOT, Depth::DEEP, None, &never).unwrap().left_out,
            vault.backlinks(&path("Plain"), 10, &never).unwrap().left_out,
            search(SearchPattern::text("lantern").unwrap(), ""),
            search(SearchPattern::frontmatter("a = 1").unwrap(), ""),
            search(SearchPattern::glob("*.md", CaseSensitivity::Sensitive).unwrap(), ""),
            search(regex("lantern"), ""),
            search(regex("."), ""),
            search(SearchPattern::text("lantern").unwrap(), "sub") + 1,
        ]
    };
    assert_eq!(count(), [2; 8]);
    let named = vault.left_out(&never).unwrap();
    assert_eq!(named, ["latin\u{fffd}.md", "sub/link.md"]);
    fs::remove_file(sandbox.file("sub/link.md")).unwrap();
    std::os::unix::fs::symlink("Plain.md", sandbox.file("sub/second.md")).unwrap();
    std::os::unix::fs::symlink("Plain.md", sandbox.file("third.md")).unwrap();
    // A change waits until the index has what other programs did.
    vault.rename(&path("sub/Plain"), "Other", None, &never).unwrap();
    assert_eq!(count(), [3, 3, 3, 3, 3, 3, 3, 2]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: number(256, 4000), failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_shown_names_the_same_file(text in r"([a\\u\{\}0-9A-F/\u{200b}\u{202e}é]|\PC){1,24}") {
        if let Ok(path) = VaultPath::from_disk(&text) {
            let shown = path.to_string();
            prop_assert_eq!(VaultPath::parse(&shown).unwrap(), path);
            let is_seen = |c: char| !c.is_control() && !"\u{200b}\u{202e}".contains(c);
            prop_assert!(shown.chars().all(is_seen), "{}", shown);
        }
    }
}
