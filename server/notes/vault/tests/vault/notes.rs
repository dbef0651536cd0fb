//! Reading, writing and appending.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use toolwrit_vault::note::{Encoding, Newline};
use toolwrit_vault::target::{BlockId, HeadingPath, TargetError};
use toolwrit_vault::{Etag, IfMissing, NotePart, VaultError, VaultPath, WriteMode};

use crate::{Sandbox, never, path};

#[test]
fn a_new_note_is_stored_as_given_in_new_folders() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let written =
        vault.write(&path("A/B/Plan"), "one\r\ntwo", WriteMode::CreateOnly, None).unwrap();
    assert_eq!(written.path.as_str(), "A/B/Plan.md");
    assert!(written.created);
    assert_eq!(sandbox.bytes("A/B/Plan.md"), b"one\r\ntwo");
    let note = vault.read(&path("A/B/Plan"), None).unwrap();
    assert_eq!((note.content.as_str(), note.etag, note.size), ("one\ntwo", written.etag, 8));
}

#[test]
fn an_exact_name_wins_over_the_one_with_md() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    sandbox.put("Inbox.md", "note");
    assert_eq!(vault.read(&path("Inbox"), None).unwrap().path.as_str(), "Inbox.md");
    sandbox.put("Inbox", "exact");
    assert_eq!(vault.read(&path("Inbox"), None).unwrap().path.as_str(), "Inbox");
}

#[test]
fn a_folder_note_is_found_beside_its_folder() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    fs::create_dir(sandbox.file("Projects")).unwrap();
    let error = vault.read(&path("Projects"), None).unwrap_err();
    assert!(error.to_string().contains("`Projects` is a folder"), "{error}");
    sandbox.put("Projects.md", "index");
    assert_eq!(vault.read(&path("Projects"), None).unwrap().content, "index");
}

#[test]
fn whole_writes_keep_encoding_mark_and_line_endings() {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let cases: [(&str, Vec<u8>, Vec<u8>); 7] = [
        ("lf", b"a\nb\n".into(), "é\ny\n".into()),
        ("crlf", b"a\r\nb\r\n".into(), "é\r\ny\r\n".into()),
        ("mark", b"\xEF\xBB\xBFa\n".into(), "\u{FEFF}é\ny\n".into()),
        ("mark and crlf", b"\xEF\xBB\xBFa\r\n".into(), "\u{FEFF}é\r\ny\r\n".into()),
        ("mixed, mostly crlf", b"a\r\nb\nc\r\n".into(), "é\r\ny\r\n".into()),
        ("utf-16 le", utf16("a\r\n", u16::to_le_bytes), utf16("é\r\ny\r\n", u16::to_le_bytes)),
        ("utf-16 be", utf16("a\n", u16::to_be_bytes), utf16("é\ny\n", u16::to_be_bytes)),
    ];
    for (name, before, after) in cases {
        for content in ["é\ny\n", "é\r\ny\r\n", "\u{FEFF}é\ny\n"] {
            let sandbox = Sandbox::new();
            let vault = &sandbox.vault;
            let file = sandbox.file("n.md");
            fs::write(&file, &before).unwrap();
            vault.write(&path("n"), content, WriteMode::Overwrite, None).unwrap();
            assert_eq!(fs::read(&file).unwrap(), after, "{name}: {content:?}");
            assert_eq!(vault.read(&path("n"), None).unwrap().content, "é\ny\n", "{name}");
        }
    }
}

#[test]
fn appending_touches_no_existing_byte() {
    let cases: [(&[u8], &[u8]); 7] = [
        (b"a\nb\n", b"a\nb\nx\ny"),
        (b"a\nb", b"a\nb\nx\ny"),
        (b"a\r\nb", b"a\r\nb\r\nx\r\ny"),
        (b"a\r\nb\nc\r\n", b"a\r\nb\nc\r\nx\r\ny"),
        (b"", b"x\ny"),
        (b"\xEF\xBB\xBF", b"\xEF\xBB\xBFx\ny"),
        (b"\xFE\xFF\0a\0\r\0\n\0b", b"\xFE\xFF\0a\0\r\0\n\0b\0\r\0\n\0x\0\r\0\n\0y"),
    ];
    for (before, after) in cases {
        let sandbox = Sandbox::new();
        let vault = &sandbox.vault;
        let file = sandbox.file("n.md");
        fs::write(&file, before).unwrap();
        let written = vault.append(&path("n"), "x\r\ny", IfMissing::Fail, None).unwrap();
        assert_eq!(fs::read(&file).unwrap(), after, "{before:?}");
        assert_eq!(vault.read(&path("n"), None).unwrap().etag, written.etag);
    }
}

#[test]
fn files_that_are_not_text_are_refused_and_unchanged() {
    for bytes in [&b"caf\xE9\n"[..], b"PNG\0\n", b"\xFF\xFEa", b"\xFF\xFE\x00\xD8a\0"] {
        let sandbox = Sandbox::new();
        let vault = &sandbox.vault;
        let file = sandbox.file("n.md");
        fs::write(&file, bytes).unwrap();
        let refused = |result: Result<(), VaultError>| {
            assert!(matches!(result, Err(VaultError::NotText { .. })), "{bytes:?}: {result:?}");
        };
        refused(vault.read(&path("n"), None).map(drop));
        refused(vault.append(&path("n"), "x", IfMissing::Create, None).map(drop));
        refused(vault.write(&path("n"), "x", WriteMode::Overwrite, None).map(drop));
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
}

#[test]
fn content_that_cannot_be_read_back_is_refused() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let result = vault.write(&path("n"), "a\0b", WriteMode::Overwrite, None);
    assert!(matches!(result, Err(VaultError::NotText { .. })), "{result:?}");
    let large = "x".repeat(16 * 1024 * 1024 + 1);
    let result = vault.write(&path("n"), &large, WriteMode::Overwrite, None);
    assert!(matches!(result, Err(VaultError::TooLarge { .. })), "{result:?}");
    assert!(!sandbox.file("n.md").exists());
}

#[test]
fn reads_report_format_and_are_cut_at_a_character() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    sandbox.put("n.md", "\u{FEFF}aéb\r\n");
    let note = vault.read(&path("n"), Some(2)).unwrap();
    assert_eq!((note.content.as_str(), note.truncated), ("a", true));
    assert_eq!(note.format.encoding, Encoding::Utf8Bom);
    assert_eq!(note.format.newline, Newline::Crlf);
    assert!(note.format.final_newline);
    let whole = vault.read(&path("n"), Some(5)).unwrap();
    assert_eq!((whole.content.as_str(), whole.truncated), ("aéb\n", false));
    assert_eq!(whole.etag, note.etag);
}

#[test]
fn changes_based_on_an_old_version_conflict() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let first = vault.write(&path("n"), "1", WriteMode::CreateOnly, None).unwrap().etag;
    let quoted = Etag::from(format!("\"{first}\"").as_str());
    let second = vault.write(&path("n"), "2", WriteMode::Overwrite, Some(&quoted)).unwrap().etag;
    let results = [
        vault.write(&path("n"), "3", WriteMode::Overwrite, Some(&first)).map(drop),
        vault.append(&path("n"), "3", IfMissing::Create, Some(&first)).map(drop),
        vault.move_note(&path("n"), &path("m"), Some(&first), &never).map(drop),
        vault.rename(&path("n"), "m", Some(&first), &never).map(drop),
        vault.delete(&path("n"), Some(&first)).map(drop),
    ];
    for result in results {
        let Err(VaultError::Conflict { current, .. }) = result else { panic!("{result:?}") };
        assert_eq!(current, second);
    }
    assert_eq!(sandbox.bytes("n.md"), b"2");
}

#[test]
fn an_etag_for_a_missing_note_creates_nothing() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let etag = Etag::from("0123456789abcdef");
    let written = vault.write(&path("n"), "x", WriteMode::Overwrite, Some(&etag));
    assert!(matches!(written, Err(VaultError::NotFound { .. })), "{written:?}");
    let appended = vault.append(&path("n"), "x", IfMissing::Create, Some(&etag));
    assert!(matches!(appended, Err(VaultError::NotFound { .. })), "{appended:?}");
    assert!(!sandbox.file("n.md").exists());
}

#[test]
fn create_only_overwrites_nothing() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    sandbox.put("n.md", "mine");
    let result = vault.write(&path("n"), "x", WriteMode::CreateOnly, None);
    assert!(matches!(result, Err(VaultError::AlreadyExists { .. })), "{result:?}");
    assert_eq!(sandbox.bytes("n.md"), b"mine");
}

#[test]
fn a_rewrite_keeps_the_mode_and_respects_read_only() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let file = sandbox.file("n.md");
    fs::write(&file, "a").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    vault.write(&path("n"), "b", WriteMode::Overwrite, None).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
    let result = vault.append(&path("n"), "c", IfMissing::Create, None);
    assert!(matches!(result, Err(VaultError::ReadOnly { .. })), "{result:?}");
    assert_eq!(fs::read(&file).unwrap(), b"b");
}

#[test]
fn composed_and_decomposed_names_are_the_same_name() {
    let (composed, decomposed) = ("Caf\u{e9}", "Cafe\u{301}");
    for (stored, asked) in [(composed, decomposed), (decomposed, composed)] {
        let sandbox = Sandbox::new();
        let vault = &sandbox.vault;
        let folder = sandbox.file(stored);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(format!("{stored}.md")), "a").unwrap();
        let asked = path(&format!("{asked}/{asked}"));
        let note = vault.read(&asked, None).unwrap();
        assert_eq!(note.path.as_str(), format!("{stored}/{stored}.md"));
        vault.write(&asked, "b", WriteMode::Overwrite, None).unwrap();
        vault.append(&asked, "c", IfMissing::Create, None).unwrap();
        let created = vault.write(&asked, "d", WriteMode::CreateOnly, None);
        assert!(matches!(created, Err(VaultError::AlreadyExists { .. })), "{created:?}");
        assert_eq!(sandbox.files().len(), 1);
        assert_eq!(fs::read(folder.join(format!("{stored}.md"))).unwrap(), b"b\nc");
    }
}

#[test]
fn a_missing_note_gets_suggestions() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    for name in ["Projects/Plan", "Projects/Planning", "Archive/Roadmap", "Zebra"] {
        vault.write(&path(name), "", WriteMode::CreateOnly, None).unwrap();
    }
    for (asked, meant) in [
        ("Projects/plan", "Projects/Plan.md"),
        ("Projects/Pln", "Projects/Plan.md"),
        ("Roadmap.md", "Archive/Roadmap.md"),
        ("Nowhere/roadmap", "Archive/Roadmap.md"),
    ] {
        let Err(VaultError::NotFound { similar, path }) = vault.read(&path(asked), None) else {
            panic!("{asked} exists")
        };
        assert_eq!(path, asked);
        assert_eq!(similar.first().map(VaultPath::as_str), Some(meant), "{asked}");
        assert!(similar.len() <= 3);
    }
    let Err(VaultError::NotFound { similar, .. }) = vault.read(&path("Qwerty"), None) else {
        panic!()
    };
    assert_eq!(similar, []);
}

#[test]
fn writing_identical_content_does_not_touch_the_file() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    let file = sandbox.file("n.md");
    fs::write(&file, "a\r\n").unwrap();
    let before = fs::metadata(&file).unwrap().ino();
    let written = vault.write(&path("n"), "a\n", WriteMode::Overwrite, None).unwrap();
    assert_eq!(written.etag, vault.read(&path("n"), None).unwrap().etag);
    assert_eq!(fs::metadata(&file).unwrap().ino(), before);
}

#[test]
fn a_part_of_a_note_can_be_read() {
    let sandbox = Sandbox::new();
    sandbox.put("Note.md", "\u{FEFF}# A\r\none\r\n## B\r\ntwo ^b\r\n# C");
    let whole = sandbox.vault.read(&path("Note"), None).unwrap();
    let read = |part: &NotePart, max| sandbox.vault.read_part(&path("Note"), part, max);
    let lines = |first, last| read(&NotePart::Lines { first, last }, None).map(|note| note.content);
    assert_eq!(lines(2, Some(3)).unwrap(), "one\n## B\n");
    assert_eq!(lines(5, None).unwrap(), "# C");
    assert_eq!(lines(4, Some(99)).unwrap(), "two ^b\n# C");
    assert_eq!(lines(3, Some(2)).unwrap(), "");
    for beyond in [0, 6] {
        let error = lines(beyond, None).unwrap_err();
        assert!(matches!(
            error,
            VaultError::NoSuchPart { reason: TargetError::BeyondEnd { lines: 5, .. }, .. }
        ));
    }
    let section = read(&NotePart::Heading(HeadingPath::parse("A::B").unwrap()), None).unwrap();
    assert_eq!(
        (section.content.as_str(), &section.etag, section.size),
        ("## B\ntwo ^b\n", &whole.etag, whole.size)
    );
    let linked = |subpath: &str| read(&NotePart::Linked(subpath.to_owned()), None);
    assert_eq!(linked("b").unwrap().content, "## B\ntwo ^b\n");
    let block = NotePart::Block(BlockId::parse("b").unwrap());
    assert_eq!(read(&block, None).unwrap().content, "two");
    let cut = read(&block, Some(2)).unwrap();
    assert!(cut.truncated && cut.content == "tw");
    let by_end = read(&NotePart::Heading(HeadingPath::parse("B").unwrap()), None).unwrap();
    assert_eq!(by_end.content, section.content);
    let missing = read(&NotePart::Heading(HeadingPath::parse("C::B").unwrap()), None).unwrap_err();
    assert!(matches!(missing, VaultError::NoSuchPart { reason: TargetError::Missing { .. }, .. }));
}

#[test]
fn a_link_leads_to_the_first_section_of_its_name() {
    let sandbox = Sandbox::new();
    let note = "# \n## Tasks\n1\n# Plan\n## Log\n2\n### Two: \"Monday\"\n3\n## Log\n4\n# Éa\n## Log\n5\n## Plan\n6\n";
    sandbox.put("Note.md", note);
    let section = |subpath: &str| {
        let part = NotePart::Linked(subpath.to_owned());
        sandbox.vault.read_part(&path("Note"), &part, None).map(|note| note.content)
    };
    for (subpath, expected) in [
        ("Tasks", "## Tasks\n1\n"),
        ("log", "## Log\n2\n### Two: \"Monday\"\n3\n"),
        ("Plan#Log", "## Log\n2\n### Two: \"Monday\"\n3\n"),
        ("Plan#Two  Monday", "### Two: \"Monday\"\n3\n"),
        ("Plan#Log#Two Monday", "### Two: \"Monday\"\n3\n"),
        ("e\u{301}a#Log", "## Log\n5\n"),
        ("ÉA#plan", "## Plan\n6\n"),
    ] {
        assert_eq!(section(subpath).unwrap(), expected, "{subpath}");
    }
    for subpath in ["Log#Plan", "Tasks#Tasks", "Two", "Monday"] {
        let missing = section(subpath).unwrap_err();
        let VaultError::NoSuchPart { reason: TargetError::Missing { name, near, .. }, .. } =
            missing
        else {
            panic!("{missing:?}")
        };
        assert_eq!((name.as_str(), near.is_empty()), (subpath, false));
    }
}
