//! Adding, removing and renaming tags.

use toolwrit_vault::document::TagName;
use toolwrit_vault::{
    ChangeMode, Folder, ManyChanged, NoteChoice, Result, TagChange, TagEdit, TagPlace, VaultError,
};

use crate::{Sandbox, never, path};

fn names(tags: &[&str]) -> Vec<TagName> {
    tags.iter().map(|tag| TagName::parse(tag).unwrap()).collect()
}

fn add(tags: &[&str]) -> TagChange {
    TagChange { edit: TagEdit::Add(names(tags)), place: TagPlace::Frontmatter, nested: true }
}

fn remove(tags: &[&str]) -> TagChange {
    TagChange { edit: TagEdit::Remove(names(tags)), place: TagPlace::Both, nested: true }
}

fn rename(from: &[&str], to: &str) -> TagChange {
    let edit = TagEdit::Rename(names(from), TagName::parse(to).unwrap());
    TagChange { edit, place: TagPlace::Both, nested: true }
}

impl Sandbox {
    fn everywhere(&self, change: &TagChange) -> Result<ManyChanged> {
        let all = NoteChoice::Below(Folder::ROOT);
        self.vault.change_tags(&all, change, ChangeMode::Change, &never)
    }

    /// The text of a note after a change, or why it was skipped.
    fn after(&self, text: &str, change: &TagChange) -> String {
        self.put("N.md", text);
        let named = NoteChoice::Named(vec![path("N")]);
        let changed = self.vault.change_tags(&named, change, ChangeMode::Change, &never).unwrap();
        match changed.skipped.as_slice() {
            [] => String::from_utf8(self.bytes("N.md")).unwrap(),
            [skipped] => format!("skipped: {}", skipped.reason),
            _ => panic!("{changed:?}"),
        }
    }
}

#[test]
fn only_what_obsidian_takes_for_a_tag_is_renamed() {
    let sandbox = Sandbox::new();
    // Each line has the tag where Obsidian sees it, or where it does not.
    for (text, is_tag) in [
        ("#old", true),
        ("word #old, word", true),
        ("(word #old)", true),
        ("- item #old", true),
        ("> quote #old", true),
        ("## Heading #old", true),
        ("| a #old | b |\n|---|---|", true),
        ("**bold #old**", true),
        ("#OLD and #old/child", true),
        ("%% comment #old %%", true),
        ("`code #old`", false),
        ("```\n#old\n```", false),
        ("$x #old$", false),
        ("$$\n#old\n$$", false),
        ("<div class=\"#old\">#old</div>", false),
        ("<!-- #old -->", false),
        ("%%\n#old\n%%", false),
        ("[text](https://example.com/#old)", false),
        ("https://example.com/#old", false),
        ("word#old", false),
        ("[[Note#old]]", false),
        ("\\#old", false),
        ("#older #old-er #old_", false),
    ] {
        let expected = if is_tag {
            text.replace("#OLD", "#new").replace("#old", "#new")
        } else {
            "skipped: there is nothing to change".to_owned()
        };
        assert_eq!(sandbox.after(text, &rename(&["old"], "new")), expected, "{text}");
    }
}

#[test]
fn a_removed_tag_takes_the_space_around_it_along() {
    let sandbox = Sandbox::new();
    for (text, expected) in [
        ("a #x b\n", "a b\n"),
        ("#x b\n", "b\n"),
        ("a #x\n", "a\n"),
        ("a\t#x\r\nb\r\n", "a\r\nb\r\n"),
        ("a #x, b\n", "a, b\n"),
        ("(a #x)\n", "(a)\n"),
        ("**a #x**\n", "**a**\n"),
        ("a #x (b)\n", "a (b)\n"),
        ("a #x  \nb\n", "a  \nb\n"),
        ("a #x #y b\n", "a #y b\n"),
        ("a #x #x/z b\n", "a b\n"),
        ("Tags: #x, #y, #z\n", "Tags: #y, #z\n"),
        ("Tags: #y, #x, #z\n", "Tags: #y, #z\n"),
        ("Tags: #y, #z, #x\n", "Tags: #y, #z\n"),
        ("a\n#x\nb\n", "a\nb\n"),
        ("a\n\n#x #x\n\nb\n", "a\n\nb\n"),
        ("a\r\n\r\n#x\r\n\r\nb\r\n", "a\r\n\r\nb\r\n"),
        ("#x\n\nb\n", "b\n"),
        ("> a\n> #x\n> b\n", "> a\n> b\n"),
        ("- #x a\n- b #x\n", "- a\n- b\n"),
        ("## A #x\n", "## A\n"),
        ("| a #x | #x |\n|---|---|\n", "| a | |\n|---|---|\n"),
        ("- #x\n", "-\n"),
        ("#x", ""),
    ] {
        assert_eq!(sandbox.after(text, &remove(&["x"])), expected, "{text:?}");
    }
}

#[test]
fn a_removal_that_would_make_another_structure_is_refused() {
    let sandbox = Sandbox::new();
    for text in ["#x - a\n", "#x # a\n", "a\n\n#x ^id\n", "a\n- #x\n", "#x 1. a\n"] {
        let after = sandbox.after(text, &remove(&["x"]));
        assert!(after.starts_with("skipped: a heading, list"), "{text:?}: {after}");
        assert_eq!(sandbox.bytes("N.md"), text.as_bytes());
    }
}

#[test]
fn the_property_keeps_its_form() {
    let sandbox = Sandbox::new();
    let note = |yaml: &str| format!("---\n{yaml}---\ntext\n");
    for (yaml, change, expected) in [
        ("tags:\n  - a\n  - b # why\n", add(&["c"]), "tags:\n  - a\n  - b # why\n  - c\n"),
        ("tags: [a, 'b']\n", add(&["c", "A"]), "tags: [a, 'b', c]\n"),
        ("tags: a\n", add(&["b"]), "tags:\n  - a\n  - b\n"),
        ("tags:\n", add(&["b"]), "tags:\n  - b\n"),
        ("tags: []\n", add(&["b"]), "tags: [b]\n"),
        ("x: 1\n", add(&["b/c"]), "x: 1\ntags:\n  - b/c\n"),
        ("Tags: [a]\n", add(&["b"]), "Tags: [a, b]\n"),
        ("tags: [a, \"#B/c\", d]\n", rename(&["b"], "x"), "tags: [a, \"#x/c\", d]\n"),
        ("tags: a\n", rename(&["A"], "x"), "tags: x\n"),
        ("tags: [a, b]\n", rename(&["a"], "B"), "tags: [b]\n"),
        ("tags: [a, c, b]\n", rename(&["a", "b"], "x"), "tags: [x, c]\n"),
        (
            "tags:\n- a\n- x # one\n- b\n- x/y\n- c # two\n",
            remove(&["x"]),
            "tags:\n- a\n- b\n- c # two\n",
        ),
        ("tags: [x]\n", remove(&["x"]), "tags: []\n"),
        ("tags: x\n", remove(&["x"]), "tags: []\n"),
        ("tags:\n  - x\ny: 1\n", remove(&["x"]), "tags: []\ny: 1\n"),
    ] {
        assert_eq!(sandbox.after(&note(yaml), &change), note(expected), "{yaml:?}");
    }
    assert_eq!(sandbox.after("text\n", &add(&["a"])), "---\ntags:\n  - a\n---\ntext\n");
}

#[test]
fn notes_that_cannot_be_changed_are_skipped_with_the_reason() {
    let sandbox = Sandbox::new();
    for (text, change, reason) in [
        ("---\ntags: [a\n---\n#a\n", rename(&["a"], "b"), "frontmatter is invalid at line"),
        ("---\ntags: a, b\n---\n", add(&["c"]), "neither a list nor one tag"),
        ("---\ntags: {a: 1}\n---\n", add(&["c"]), "neither a list nor one tag"),
        ("---\ntags: a\n", add(&["c"]), "no closing"),
        ("---\nx: &t [a]\ntags: *t\n---\n", add(&["a"]), "nothing to change"),
    ] {
        let after = sandbox.after(text, &change);
        assert!(after.starts_with("skipped: ") && after.contains(reason), "{text:?}: {after}");
        assert_eq!(sandbox.bytes("N.md"), text.as_bytes());
    }
    // Of the notes that nobody named, those are told that have the tag, or may have it.
    sandbox.put("N.md", "---\n[a\n---\n");
    sandbox.put("other.md", "---\n[c\n---\n");
    sandbox.put("binary.md", b"\xFF\xFE\x00");
    sandbox.put("good.md", "#a\n");
    let changed = sandbox.everywhere(&rename(&["a"], "b")).unwrap();
    let skipped: Vec<_> = changed.skipped.iter().map(|note| note.path.as_str()).collect();
    assert_eq!(skipped, ["N.md", "binary.md"]);
    assert_eq!(sandbox.bytes("good.md"), b"#b\n");
}

#[test]
fn only_the_place_that_is_meant_changes() {
    let sandbox = Sandbox::new();
    let text = "---\ntags: [a, a/b]\n---\n#a #a/b\n";
    let change = TagChange { place: TagPlace::Inline, nested: false, ..rename(&["a"], "x") };
    assert_eq!(sandbox.after(text, &change), "---\ntags: [a, a/b]\n---\n#x #a/b\n");
    let change = TagChange { place: TagPlace::Frontmatter, ..rename(&["a"], "x") };
    assert_eq!(sandbox.after(text, &change), "---\ntags: [x, x/b]\n---\n#a #a/b\n");
    assert_eq!(sandbox.after("#a/b #a/c\n", &rename(&["a", "a/b"], "x")), "#x #x/c\n");
}

#[test]
fn a_rename_there_and_back_keeps_every_byte_of_every_note() {
    let sandbox = Sandbox::new();
    let utf16: Vec<u8> = std::iter::once(0xFEFF)
        .chain("a #old\r\n".encode_utf16())
        .flat_map(u16::to_be_bytes)
        .collect();
    let notes: [(&str, Vec<u8>); 5] = [
        ("crlf.md", b"---\r\ntags: [ old, b ]\r\n---\r\na #old/x\nmixed\r\n".to_vec()),
        ("bom.md", "\u{FEFF}---\ntags:\n-   \"#old\"\n---\n#old\n\n\n".into()),
        ("utf16.md", utf16),
        ("Deep/end.md", b"no line ending #old".to_vec()),
        ("other.md", b"#other `#old`".to_vec()),
    ];
    for (name, bytes) in &notes {
        sandbox.put(name, bytes);
    }
    let changed = sandbox.everywhere(&rename(&["old"], "new/old")).unwrap();
    assert_eq!(changed.notes.iter().map(|note| note.changes).collect::<Vec<_>>(), [1, 2, 2, 1]);
    assert_eq!(changed.skipped, []);
    for note in &changed.notes {
        assert_eq!(sandbox.vault.read(&note.path, None).unwrap().etag, note.etag);
    }
    assert_ne!(sandbox.bytes("crlf.md"), notes[0].1);
    sandbox.everywhere(&rename(&["new/old"], "old")).unwrap();
    for (name, bytes) in &notes {
        assert_eq!(sandbox.bytes(name), *bytes, "{name}");
    }
}

#[test]
fn a_change_that_fails_for_one_note_changes_none() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "#old\n");
    sandbox.put("b.md", "#old\n");
    let _lease = sandbox.vault.lease(&path("b")).unwrap();
    let failed = sandbox.everywhere(&rename(&["old"], "new"));
    assert!(matches!(failed, Err(VaultError::Leased { .. })), "{failed:?}");
    assert_eq!(
        (sandbox.bytes("a.md"), sandbox.bytes("b.md")),
        (b"#old\n".into(), b"#old\n".into())
    );
}

#[test]
fn a_preview_writes_nothing_and_too_many_notes_are_refused() {
    let sandbox = Sandbox::new();
    for number in 0..=5000 {
        sandbox.put(&format!("{number}.md"), "#old\n");
    }
    let all = NoteChoice::Below(Folder::ROOT);
    let change = rename(&["old"], "new");
    let refused = sandbox.vault.change_tags(&all, &change, ChangeMode::Preview, &never);
    assert!(matches!(refused, Err(VaultError::TooMany { .. })), "{refused:?}");
    assert!(matches!(sandbox.everywhere(&change), Err(VaultError::TooMany { .. })));
    assert_eq!(sandbox.bytes("0.md"), b"#old\n");
    std::fs::remove_file(sandbox.file("5000.md")).unwrap();
    sandbox.vault.wait_for_index(&never).unwrap();
    let shown = sandbox.vault.change_tags(&all, &change, ChangeMode::Preview, &never).unwrap();
    assert_eq!((shown.notes.len(), sandbox.bytes("0.md")), (5000, b"#old\n".into()));
}

#[test]
fn names_that_no_tag_can_have_are_refused() {
    for text in ["", "#", "2026", "a b", "a,b", "a.b", "a//b", "a/", "##a", "a\u{2013}b"] {
        assert!(TagName::parse(text).is_err(), "{text}");
    }
    for text in ["a", "#a", "2026/a", "a-b_c", "straße", "🏡", "y1984"] {
        assert!(TagName::parse(text).is_ok(), "{text}");
    }
}
