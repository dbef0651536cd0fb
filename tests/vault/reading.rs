//! `vault.read`.

use serde_json::{Value, json};

use crate::vault::Session;

#[test]
fn text_is_decoded_from_every_encoding() {
    let utf16: Vec<u8> = "\u{feff}# Höhe\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let notes: [(&str, &[u8], &str); 4] = [
        ("Plain.md", b"# Head\nbody\n", "# Head\nbody\n"),
        ("Windows.md", b"\xef\xbb\xbf# Head\r\nbody\r\n", "# Head\nbody\n"),
        ("Wide.md", &utf16, "# Höhe\n"),
        ("Empty.md", b"", ""),
    ];
    let mut session = Session::with(&notes.map(|(path, bytes, _)| (path, bytes)));
    for (path, bytes, expected) in notes {
        let answer = session.call("read", json!({ "path": path }));
        assert_eq!(answer.0["structuredContent"], answer.json(), "text and structure differ");
        let note = answer.ok();
        assert_eq!(note["content"], expected, "{path}");
        assert_eq!(note["size"], bytes.len(), "{path}");
        assert_eq!(note["path"], path);
        assert!(note["modified"].is_string() && note.get("truncated").is_none(), "{note}");
    }
}

#[test]
fn the_extension_may_be_left_out() {
    let mut session = Session::with(&[("Plan.md", b"md"), ("Data", b"bare"), ("Data.md", b"note")]);
    let note = session.call("read", json!({"path": "Plan"})).ok();
    assert_eq!((note["path"].as_str(), note["content"].as_str()), (Some("Plan.md"), Some("md")));
    let exact = session.call("read", json!({"path": "Data"})).ok();
    assert_eq!(exact["content"], "bare", "the exact name comes first");
    assert_eq!(session.call("read", json!({"path": "Data.md"})).ok()["content"], "note");
}

#[test]
fn format_json_adds_the_frontmatter() {
    let mut session = Session::with(&[
        ("Unix.md", b"---\ntitle: Plan\ntags: [a, b]\ncount: 3\n---\nBody\n"),
        ("Windows.md", b"\xef\xbb\xbf---\r\ntitle: Plan\r\n---\r\nBody\r\n"),
        ("Bare.md", b"# No frontmatter\n---\nx: 1\n---\n"),
        ("Broken.md", b"---\ntitle: [\n---\nBody\n"),
    ]);
    let mut read = |path: &str| session.call("read", json!({"path": path, "format": "json"})).ok();
    let unix = read("Unix");
    assert_eq!(unix["frontmatter"], json!({"title": "Plan", "tags": ["a", "b"], "count": 3}));
    assert!(unix["content"].as_str().unwrap().starts_with("---\n"), "the text is whole: {unix}");
    assert_eq!(read("Windows")["frontmatter"], json!({"title": "Plan"}));
    for (path, line) in [("Bare", None), ("Broken", Some("line 2, column 8"))] {
        let note = read(path);
        assert!(note.get("frontmatter").is_none(), "{note}");
        assert!(note["content"].as_str().unwrap().contains("---"), "{note}");
        let error = note.get("frontmatter_error").and_then(Value::as_str);
        assert_eq!(error.is_some(), line.is_some(), "{note}");
        assert!(error.zip(line).is_none_or(|(error, line)| error.contains(line)), "{note}");
    }
    let plain = session.call("read", json!({"path": "Unix"})).ok();
    assert!(plain.get("frontmatter").is_none(), "only when asked for: {plain}");
}

#[test]
fn format_json_has_the_structure_of_the_note() {
    let text = "---\ntags: [a]\nup: \"[[Top]]\"\n---\n# One\nsee [[Two#H|two]] #b #A\n\n## Sub\n![p](p%20q.png) `[[no]]` [u](https://example.com/a)\n";
    let mut session = Session::with(&[("Note.md", text.as_bytes())]);
    let note = session.call("read", json!({"path": "Note", "format": "json"})).ok();
    assert_eq!(note["tags"], json!(["a", "b"]));
    assert_eq!(
        note["links"],
        json!([
            {"target": "Top", "embed": false, "line": 3},
            {"target": "Two", "subpath": "H", "text": "two", "embed": false, "line": 6},
            {"target": "p q.png", "text": "p", "embed": true, "line": 9},
        ])
    );
    assert_eq!(
        note["headings"],
        json!([{"level": 1, "text": "One", "line": 5}, {"level": 2, "text": "Sub", "line": 8}])
    );
}

#[test]
fn a_part_can_be_read() {
    let text = "# One\r\na ^x\r\n## Sub\r\nb\r\n# Two\r\n";
    let mut session = Session::with(&[("Note.md", text.as_bytes())]);
    let etag = session.etag("Note.md");
    for (part, value, expected) in [
        ("lines", json!("2"), "a ^x\n"),
        ("lines", json!("2-3"), "a ^x\n## Sub\n"),
        ("lines", json!("4-"), "b\n# Two\n"),
        ("heading", json!("One::Sub"), "## Sub\nb\n"),
        ("heading", json!("[\"Two\"]"), "# Two\n"),
        ("block", json!("x"), "a"),
    ] {
        let mut call = json!({"path": "Note"});
        call[part] = value;
        let read = session.call("read", call).ok();
        assert_eq!((read["content"].as_str(), &read["etag"]), (Some(expected), &json!(etag)));
    }
    for (call, code) in [
        (json!({"path": "Note", "heading": "Two::Sub"}), "NOT_FOUND"),
        (json!({"path": "Note", "lines": "9"}), "NOT_FOUND"),
        (json!({"path": "Note", "lines": "x"}), "VALIDATION_ERROR"),
        (json!({"path": "Note", "lines": "3-2"}), "VALIDATION_ERROR"),
        (json!({"path": "Note", "lines": "1", "block": "x"}), "VALIDATION_ERROR"),
    ] {
        let error = session.call("read", call).error();
        assert_eq!(error["code"], code, "{error}");
    }
}

#[test]
fn max_bytes_cuts_between_characters_and_marks_truncation() {
    let mut session = Session::with(&[("Note.md", "aé日".as_bytes())]);
    let whole = session.call("read", json!({"path": "Note"})).ok();
    for (limit, kept) in [(1, "a"), (2, "a"), (3, "aé"), (5, "aé"), (6, "aé日"), (7, "aé日")]
    {
        let note = session.call("read", json!({"path": "Note", "max_bytes": limit})).ok();
        assert_eq!(note["content"], kept, "at {limit}");
        assert_eq!(note["size"], 6);
        let cut = kept.len() < 6;
        let etag = whole.get("etag").filter(|_| !cut);
        assert_eq!(note.get("etag"), etag, "a part cannot be written back as the whole note");
        assert_eq!(note.get("truncated").and_then(Value::as_bool), cut.then_some(true));
    }
}

/// Written back with an etag, the rest would be lost.
#[test]
fn a_note_whose_answer_is_cut_has_no_etag() {
    let links = "- [[Harbour|the harbour]] and some words\n".repeat(4_000);
    let tabs = "\t".repeat(200_000);
    let files = [("Links.md", links.as_bytes()), ("Tabs.md", tabs.as_bytes())];
    let mut session = Session::with(&files);
    for (path, format) in [("Links", "json"), ("Tabs", "markdown"), ("Tabs", "json")] {
        let note = session.call("read", json!({"path": path, "format": format})).ok();
        assert_eq!((&note["truncated"], note.get("etag")), (&json!(true), None), "{path} {format}");
    }
    let whole = session.call("read", json!({"path": "Links"})).ok();
    assert_eq!((&whole["content"], whole["etag"].is_string()), (&json!(links), true));
}

#[test]
fn a_note_that_is_cut_says_how_to_get_the_rest() {
    let text = "a line of text\n".repeat(40_000);
    let mut session = Session::with(&[("Note.md", text.as_bytes())]);
    let cut = session.call("read", json!({"path": "Note"})).ok();
    assert_eq!(cut["truncated"], true);
    assert_eq!(cut["hint"], "Ask for less at once with `lines`.");
    let rest = session.call("read", json!({"path": "Note", "lines": "39999-"})).ok();
    assert_eq!(
        (&rest["content"], rest.get("truncated")),
        (&json!("a line of text\n".repeat(2)), None)
    );
}

#[test]
fn unreadable_files_are_refused_with_the_reason() {
    let mut session = Session::with(&[
        ("Projects/Lantern.md", b"x"),
        ("Picture.png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("Latin.md", b"caf\xe9"),
    ]);
    // A typing error in the right folder, and the right name in the wrong folder.
    for path in ["Projects/Lantrn.md", "lantern"] {
        let missing = session.call("read", json!({ "path": path })).error();
        assert_eq!(missing["code"], "NOT_FOUND");
        assert_eq!(missing["did_you_mean"], json!(["Projects/Lantern.md"]), "{path}");
    }
    let folder = session.call("read", json!({"path": "Projects"})).error();
    assert_eq!(folder["code"], "INVALID_PATH");
    assert!(folder["message"].as_str().unwrap().contains("is a folder"), "{folder}");
    for path in ["Picture.png", "Latin.md"] {
        let error = session.call("read", json!({ "path": path })).error();
        assert_eq!(error["code"], "VALIDATION_ERROR");
        assert!(error["message"].as_str().unwrap().contains("not a text note"), "{error}");
    }
}
