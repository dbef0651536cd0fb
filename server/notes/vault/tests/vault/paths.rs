//! Which paths name a file, and that no path leads out of the vault.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use proptest::prelude::*;
use toolwrit_vault::{
    BulkMode, CaseSensitivity, Depth, Folder, IfMissing, PathFault, SearchPattern, Vault,
    VaultError, VaultPath, WriteMode,
};

use crate::{Sandbox, never, path, tree};
use toolwrit_requirement::number;

/// A path, and a part of the reason for its refusal.
const REFUSED: &[(&str, &str)] = &[
    ("", "it is empty"),
    ("/", "it is absolute"),
    ("/etc/passwd", "it is absolute"),
    ("//server/share", "it is absolute"),
    ("~", "home folder"),
    ("~/notes.md", "home folder"),
    ("C:", "a drive"),
    ("C:\\notes.md", "a drive"),
    ("c:/notes.md", "a drive"),
    ("..", "`..` segment"),
    ("../vault-evil/secret.md", "`..` segment"),
    ("a/../b.md", "`..` segment"),
    ("a/..", "`..` segment"),
    ("../../../../etc/passwd", "`..` segment"),
    (".", "`.` segment"),
    ("./a.md", "`.` segment"),
    ("a/./b.md", "`.` segment"),
    ("a//b.md", "an empty segment"),
    ("a///b.md", "an empty segment"),
    ("file:///etc/passwd", "an empty segment"),
    ("a/", "ends with `/`"),
    ("a.md/", "ends with `/`"),
    (".obsidian/app.json", "`.obsidian` is hidden"),
    (".trash/a.md", "`.trash` is hidden"),
    (".git/config", "`.git` is hidden"),
    (".toolwrit/lock", "`.toolwrit` is hidden"),
    ("a/.hidden.md", "`.hidden.md` is hidden"),
    ("..\\b.md", "is hidden"),
    ("...", "`...` is hidden"),
    ("a\0.md", "control character U+0000"),
];

/// Paths that name a file only where one exists.
const UNPORTABLE: &[(&str, &str)] = &[
    ("\\\\server\\share", "a backslash"),
    ("\\Windows", "a backslash"),
    ("a\\b.md", "a backslash"),
    ("a\n.md", "control character U+000A"),
    ("a\u{1b}[31m.md", "control character U+001B"),
    ("a\u{7f}.md", "control character U+007F"),
    ("a\u{85}.md", "control character U+0085"),
    ("a\u{202e}dm.md", "invisible character U+202E"),
    ("a\u{200b}.md", "invisible character U+200B"),
    ("\u{feff}a.md", "invisible character U+FEFF"),
    ("a\u{2066}b.md", "invisible character U+2066"),
    ("a\u{ad}b.md", "invisible character U+00AD"),
    ("a\u{e0041}.md", "invisible character U+E0041"),
    ("a\u{200d}b.md", "invisible character U+200D"),
    ("\u{645}\u{200c}", "invisible character U+200C"),
    ("Z:notes.md", "a drive"),
    ("a<b.md", "contains `<`"),
    ("a>b.md", "contains `>`"),
    ("ab:c.md", "contains `:`"),
    ("a.md:stream", "contains `:`"),
    ("a\"b.md", "contains `\"`"),
    ("a|b.md", "contains `|`"),
    ("what?.md", "contains `?`"),
    ("*.md", "contains `*`"),
    ("CON", "is a device name"),
    ("con.md", "is a device name"),
    ("a/NUL/b.md", "is a device name"),
    ("nul.tar.gz", "is a device name"),
    ("Aux.md", "is a device name"),
    ("prn", "is a device name"),
    ("COM1", "is a device name"),
    ("com9.txt", "is a device name"),
    ("LPT\u{b9}.md", "is a device name"),
    ("COM\u{b3}", "is a device name"),
    ("CON .md", "is a device name"),
    ("CONIN$", "is a device name"),
    ("a.", "ends with a dot or a space"),
    ("a /b.md", "ends with a dot or a space"),
    ("a.md ", "ends with a dot or a space"),
    ("a../b.md", "ends with a dot or a space"),
];

#[test]
fn unportable_names_name_only_existing_files() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    sandbox.put("plain.md", "plain");
    let before = sandbox.files();
    for (text, reason) in UNPORTABLE {
        let (path, other) = (path(text), path("plain.md"));
        for error in [
            vault.read(&path, None).unwrap_err(),
            vault.write(&path, "x", WriteMode::Overwrite, None).unwrap_err(),
            vault.append(&path, "x", IfMissing::Create, None).unwrap_err(),
            vault.move_note(&other, &path, None, &never).unwrap_err(),
            vault.list(&Folder::from(path.clone()), Depth::DEEP, None, &never).unwrap_err(),
        ] {
            assert!(matches!(error, VaultError::InvalidPath(_)), "{text:?}: {error:?}");
            assert!(error.to_string().contains(reason), "{text:?}: {error}");
        }
        assert_eq!(sandbox.files(), before, "{text:?}");
    }
    for (text, _) in UNPORTABLE {
        sandbox.put(text, "there");
        assert_eq!(vault.read(&path(text), None).unwrap().content, "there", "{text:?}");
    }
}

#[test]
fn each_broken_rule_is_named() {
    for (text, reason) in REFUSED {
        let error = VaultPath::parse(text).expect_err(text);
        assert!(error.to_string().contains(reason), "{text:?}: {error}");
        assert!(error.to_string().starts_with("invalid path: "), "{text:?}: {error}");
        assert!(!error.path.contains(['\0', '\n', '\u{202e}']), "{text:?} is echoed unescaped");
        if !text.is_empty() {
            assert!(Folder::parse(&format!("{text}/x")).is_err(), "{text:?} as a folder");
        }
    }
}

#[test]
fn lengths_are_limited_in_bytes() {
    let name = |length| "x".repeat(length);
    assert!(VaultPath::parse(&name(255)).is_ok());
    let fault = VaultPath::parse(&"é".repeat(128)).unwrap_err().fault;
    assert_eq!(fault, PathFault::LongName(256));
    assert!(VaultPath::parse(&[name(255), name(255), name(255), name(255)].join("/")).is_ok());
    let fault = VaultPath::parse(&[name(255), name(255), name(255), name(257)].join("/"));
    assert_eq!(fault.unwrap_err().fault, PathFault::LongPath(1025));
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let long = VaultPath::parse(&name(254)).unwrap();
    let result = vault.write(&long, "x", WriteMode::Overwrite, None);
    assert!(matches!(result, Err(VaultError::InvalidPath(_))), "no room for .md: {result:?}");
}

#[test]
fn ordinary_names_in_any_script_are_accepted() {
    for text in [
        "Inbox",
        "Projects/Plan.md",
        "Meeting with Dr. Who",
        "v1.2 plan.md",
        "100%/50+50=100 & more!.md",
        "'quotes' [brackets] {braces} #tag ^id",
        "a..b/c...d.md",
        "CONSOLE.md",
        "COM10.md",
        "~draft.md",
        " leading space.md",
        "日本語/ノート.md",
        "Caf\u{e9}/Cafe\u{301}.md",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} family.md",
        "❤\u{fe0f}.md",
        "می\u{200c}خواهم.md",
        "%2e%2e/%2f.md",
    ] {
        assert_eq!(VaultPath::parse(text).map(|path| path.to_string()), Ok(text.to_owned()));
    }
}

#[test]
fn extensions_are_distinguished_from_dots_in_names() {
    for (text, stem, extension) in [
        ("a/b.md", "b", Some("md")),
        ("b.tar.gz", "b.tar", Some("gz")),
        ("v1.2", "v1.2", None),
        ("Dr. Who", "Dr. Who", None),
        ("plain", "plain", None),
    ] {
        let path = VaultPath::parse(text).unwrap();
        assert_eq!((path.stem(), path.extension()), (stem, extension), "{text}");
    }
    assert!(VaultPath::parse("a.MD").unwrap().is_note());
    assert!(!VaultPath::parse("a.mdx").unwrap().is_note());
}

#[test]
fn folders_may_end_in_a_slash_and_the_root_is_empty() {
    assert_eq!(Folder::parse(""), Ok(Folder::ROOT));
    assert_eq!(Folder::parse("a/b/"), Folder::parse("a/b"));
    for text in ["/", "//", "a//", ".", "./", ".."] {
        assert!(Folder::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn no_error_contains_a_path_outside_the_vault() {
    let sandbox = hostile_vault();
    sandbox.put("taken.md", "taken");
    sandbox.put("folder/n.md", "n");
    let vault = &sandbox.vault;
    let [missing, taken, folder, link] =
        ["missing", "taken", "folder", "link/secret"].map(|text| VaultPath::parse(text).unwrap());
    let errors = [
        vault.read(&missing, None).unwrap_err(),
        vault.read(&folder, None).unwrap_err(),
        vault.read(&link, None).unwrap_err(),
        vault.write(&taken, "x", WriteMode::CreateOnly, None).unwrap_err(),
        vault.write(&taken, "x", WriteMode::Overwrite, Some(&"stale".into())).unwrap_err(),
        vault.move_note(&taken, &link, None, &never).unwrap_err(),
        vault.rename(&taken, "../x", None, &never).unwrap_err(),
        vault.list(&Folder::from(missing), Depth::DEEP, None, &never).unwrap_err(),
        Vault::open(sandbox.beside("nowhere")).unwrap_err(),
        Vault::open(sandbox.beside("secret.md")).unwrap_err(),
    ];
    let outside = sandbox.dir.path().to_str().unwrap();
    for error in errors {
        assert!(!format!("{error} {error:?}").contains(outside), "{error:?}");
    }
}

/// Runs every operation with a path.
fn exercise(vault: &Vault, path: &VaultPath) {
    let other = VaultPath::parse("safe/other.md").unwrap();
    let _ = vault.read(path, None);
    let _ = vault.write(path, "written", WriteMode::Overwrite, None);
    let _ = vault.append(path, "appended", IfMissing::Create, None);
    let _ = vault.move_note(path, &other, None, &never);
    let _ = vault.move_note(&other, path, None, &never);
    let _ = vault.rename(path, path.name(), None, &never);
    let _ = vault.delete(path, None);
    let folder = Folder::from(path.clone());
    let text = SearchPattern::literal("secret", CaseSensitivity::Insensitive).unwrap();
    if let Ok(results) = vault.search(&text, &folder, 10, &never) {
        assert_eq!(results.total_hits, 0, "found the secret in {folder}");
    }
    if let Ok(listing) = vault.list(&folder, Depth::DEEP, None, &never) {
        assert!(listing.entries.iter().all(|entry| !entry.path.as_str().contains("secret")));
    }
}

/// A vault under attack: a sibling folder whose name starts with the vault's, and links that lead
/// outside.
fn hostile_vault() -> Sandbox {
    let sandbox = Sandbox::new();
    let evil = sandbox.beside("vault-evil");
    fs::create_dir(&evil).unwrap();
    fs::write(evil.join("secret.md"), "secret").unwrap();
    fs::write(sandbox.beside("secret.md"), "secret").unwrap();
    symlink("../vault-evil", sandbox.file("link")).unwrap();
    symlink(evil.join("secret.md"), sandbox.file("file.md")).unwrap();
    symlink("..", sandbox.file("up")).unwrap();
    sandbox
}

fn outside(sandbox: &Sandbox) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut tree = tree(sandbox.dir.path());
    tree.retain(|path, _| !path.starts_with(sandbox.beside("vault")));
    tree
}

fn hostile_text() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        4 => proptest::sample::select(vec![
            "..", ".", "/", "//", "\\", "link", "file", "file.md", "up", "secret.md", "vault-evil",
            "vault", "a", "é", "e\u{301}", "~", "C:", "\0", "CON", " ", ".md", "%2e%2e", "%2f",
            ".trash", ".obsidian", "\u{202e}", "\u{2024}", "\u{ff0f}", "*",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(token, 0..8).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: number(96, 1000), failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_path_touches_anything_outside(texts in proptest::collection::vec(hostile_text(), 1..6)) {
        let sandbox = hostile_vault();
        let before = outside(&sandbox);
        for text in &texts {
            if let Ok(path) = VaultPath::parse(text) {
                exercise(&sandbox.vault, &path);
            }
            if let Ok(glob) = SearchPattern::glob(text, CaseSensitivity::Sensitive) {
                let _ = sandbox.vault.bulk_delete(&glob, BulkMode::Delete, &never);
            }
        }
        prop_assert_eq!(outside(&sandbox), before);
    }

    #[test]
    fn a_parsed_path_is_relative_and_normalized(text in prop_oneof![hostile_text(), any::<String>()]) {
        if let Ok(path) = VaultPath::parse(&text) {
            let components: Vec<_> = Path::new(path.as_str()).components().collect();
            prop_assert!(components.iter().all(|part| matches!(part, Component::Normal(_))));
            prop_assert_eq!(components.len(), path.segments().count());
            prop_assert!(path.segments().all(|segment| !segment.starts_with('.')));
        }
    }
}
