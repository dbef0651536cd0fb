//! Changing one place in a note.

mod headings;
mod items;
mod random;
mod refused;

use serde_json::{Value, json};
use toolwrit_vault::patch::{
    Action, IfPresent, IfTargetMissing, Patch, PatchContent, PatchError, PatchScope, PatchTarget,
};
use toolwrit_vault::target::{BlockId, HeadingPath, TargetError};
use toolwrit_vault::{Etag, VaultError};

use crate::{Sandbox, path};

fn text(text: &str) -> PatchContent {
    PatchContent::Text(text.to_owned())
}

fn heading(path: &str) -> PatchTarget {
    PatchTarget::Heading(HeadingPath::parse(path).unwrap())
}

fn block(id: &str) -> PatchTarget {
    PatchTarget::Block(BlockId::parse(id).unwrap())
}

fn property(key: &str) -> PatchTarget {
    PatchTarget::Property(key.to_owned())
}

fn patch(target: PatchTarget, action: Action) -> Patch {
    Patch {
        target,
        action,
        scope: PatchScope::default(),
        if_missing: IfTargetMissing::default(),
        if_present: IfPresent::default(),
    }
}

fn scoped_patch(scope: PatchScope, target: PatchTarget, action: Action) -> Patch {
    Patch { scope, ..patch(target, action) }
}

fn creating(target: PatchTarget, action: Action) -> Patch {
    Patch { if_missing: IfTargetMissing::Create, ..patch(target, action) }
}

/// A note after a patch, or the error, after which the note is unchanged.
fn apply(note: &str, patch: &Patch) -> Result<String, PatchError> {
    let sandbox = Sandbox::new();
    sandbox.put("Note.md", note);
    let result = sandbox.vault.patch(&path("Note"), patch, None);
    let now = String::from_utf8(sandbox.bytes("Note.md")).unwrap();
    match result {
        Ok(written) => {
            assert_eq!(written.etag, sandbox.vault.read(&path("Note"), None).unwrap().etag);
            Ok(now)
        }
        Err(VaultError::NotPatched { reason, .. }) => {
            assert_eq!(now, note);
            Err(reason)
        }
        Err(error) => panic!("{error}"),
    }
}

fn check(cases: &[(&str, Patch, &str)]) {
    for (note, patch, expected) in cases {
        match apply(note, patch) {
            Ok(now) => assert_eq!(now, *expected, "{note:?} {patch:?}"),
            Err(error) => panic!("{error}: {note:?} {patch:?}"),
        }
    }
}

#[test]
fn text_is_added_to_a_section_and_nowhere_else() {
    let note = "---\na: 1\n---\nintro\n\n# A\n\none\n\n## B\n\ntwo\n\n\n# C\n- x\n";
    let append = |to: &str, given: &str| patch(heading(to), Action::Append(text(given)));
    let prepend = |to: &str, given: &str| patch(heading(to), Action::Prepend(text(given)));
    check(&[
        (note, append("A", "new"), &note.replace("two\n", "two\n\nnew\n")),
        (note, append("A::B", "\n\nnew\n\n"), &note.replace("two\n", "two\n\nnew\n")),
        (note, append("[\"A\", \"B\"]", "a\nb"), &note.replace("two\n", "two\n\na\nb\n")),
        (note, append("C", "- y\n- z"), &note.replace("- x\n", "- x\n- y\n- z\n")),
        (note, append("C", "\n- y"), &note.replace("- x\n", "- x\n\n- y\n")),
        (note, append("C", "text"), &note.replace("- x\n", "- x\n\ntext\n")),
        (note, append("C", " \n "), note),
        (note, prepend("A", "new"), &note.replace("one", "new\n\none")),
        (note, prepend("C", "- w"), &note.replace("- x", "- w\n- x")),
        (note, prepend("C", "- w\n\n"), &note.replace("- x", "- w\n\n- x")),
        ("# A", append("A", "x"), "# A\nx"),
        ("# A\n", append("A", "x"), "# A\nx\n"),
        ("# A\n\n\n", append("A", "x"), "# A\nx\n"),
        ("# A\n# B\n", append("A", "x"), "# A\nx\n# B\n"),
        ("# A\n\n# B", append("A", "x"), "# A\nx\n\n# B"),
        ("# A\nx\n# B", append("A", "y\n"), "# A\nx\n\ny\n# B"),
        ("# A\nx", append("A", "y\n"), "# A\nx\n\ny"),
        ("# A\nx\n\n\n", append("A", "y"), "# A\nx\n\ny\n"),
        ("A\n===\nx\n", append("A", "y"), "A\n===\nx\n\ny\n"),
        ("# A\r\nx\r\n\r\n# B\r\n", append("A", "y\nz"), "# A\r\nx\r\n\r\ny\r\nz\r\n\r\n# B\r\n"),
        ("\u{FEFF}# A\r\nx", append("A", "y"), "\u{FEFF}# A\r\nx\r\n\r\ny"),
        ("# A\n```\n# B\n```\n", append("A", "y"), "# A\n```\n# B\n```\n\ny\n"),
        (
            "# A **b** [[c]] ^d\nx\n",
            append(" A **b** [[c]] ^d ", "y"),
            "# A **b** [[c]] ^d\nx\n\ny\n",
        ),
        ("# e\u{301}\n", append("\u{e9}", "y"), "# e\u{301}\ny\n"),
    ]);
}

#[test]
fn sections_are_replaced_and_deleted() {
    let note = "# A\n\none\n\n## B\ntwo\n\n# C\n\nthree\n";
    let replace = |to: &str, given: &str| patch(heading(to), Action::Replace(text(given)));
    let delete = |scope, to: &str| scoped_patch(scope, heading(to), Action::Delete);
    let rename = |to: &str, given: &str| {
        scoped_patch(PatchScope::Marker, heading(to), Action::Replace(text(given)))
    };
    let whole = |to: &str, action| scoped_patch(PatchScope::MarkerAndContent, heading(to), action);
    check(&[
        (note, replace("A", "new\n"), "# A\n\nnew\n\n# C\n\nthree\n"),
        (note, replace("A::B", "new"), &note.replace("two", "new")),
        (note, replace("C", "new"), &note.replace("three", "new")),
        (note, replace("C", ""), "# A\n\none\n\n## B\ntwo\n\n# C\n"),
        ("# A\nx", replace("A", ""), "# A"),
        (note, delete(PatchScope::Content, "A"), "# A\n\n# C\n\nthree\n"),
        (note, delete(PatchScope::Content, "A::B"), "# A\n\none\n\n## B\n\n# C\n\nthree\n"),
        (note, delete(PatchScope::MarkerAndContent, "A::B"), "# A\n\none\n\n# C\n\nthree\n"),
        (note, delete(PatchScope::MarkerAndContent, "A"), "# C\n\nthree\n"),
        (note, delete(PatchScope::MarkerAndContent, "C"), "# A\n\none\n\n## B\ntwo\n"),
        (note, delete(PatchScope::Marker, "A::B"), "# A\n\none\n\ntwo\n\n# C\n\nthree\n"),
        (note, delete(PatchScope::Marker, "C"), "# A\n\none\n\n## B\ntwo\n\nthree\n"),
        (note, rename("A::B", "B two"), &note.replace("## B", "## B two")),
        (note, rename("A::B", "### B"), &note.replace("## B", "### B")),
        ("## A ##\nx", rename("A", "B"), "## B ##\nx"),
        ("A\n---\nx", rename("A", "B"), "B\n---\nx"),
        (
            note,
            whole("A::B", Action::Replace(text("## D\n\nfour"))),
            &note.replace("## B\ntwo", "## D\n\nfour"),
        ),
        (note, whole("A", Action::Append(text("# D"))), &note.replace("two\n", "two\n\n# D\n")),
        (note, whole("C", Action::Prepend(text("# D"))), &note.replace("# C", "# D\n\n# C")),
        ("x\n", creating(heading("A::B"), Action::Append(text("y"))), "x\n\n# A\n## B\ny\n"),
        (
            note,
            creating(heading("A::D"), Action::Append(text("y"))),
            &note.replace("two\n", "two\n\n## D\ny\n"),
        ),
        (
            note,
            creating(heading("A::B::D"), Action::Replace(text("y"))),
            &note.replace("two\n", "two\n\n### D\ny\n"),
        ),
        ("", creating(heading("A"), Action::Append(text("y"))), "# A\ny"),
        ("### A\n", creating(heading("A::B"), Action::Prepend(text("y"))), "### A\n#### B\ny\n"),
    ]);
}

#[test]
fn blocks_are_extended_replaced_and_deleted() {
    let note = "Para ^p\n\n- one ^i\n  - two ^j\n- [ ] task ^t\n\n> quote\n\n^q\n\n```\ncode\n```\n\n^c\n\nend";
    let append = |to: &str, given: &str| patch(block(to), Action::Append(text(given)));
    let prepend = |to: &str, given: &str| patch(block(to), Action::Prepend(text(given)));
    let replace = |to: &str, given: &str| patch(block(to), Action::Replace(text(given)));
    let delete = |to: &str| scoped_patch(PatchScope::MarkerAndContent, block(to), Action::Delete);
    let id = |to: &str, action| scoped_patch(PatchScope::Marker, block(to), action);
    check(&[
        (note, append("p", "more\n"), &note.replace("Para", "Para\nmore")),
        (note, append("^p", " more"), &note.replace("Para", "Para more")),
        (note, prepend("p", "a "), &note.replace("Para", "a Para")),
        (note, append("j", "a\nb"), &note.replace("two", "two\n    a\n    b")),
        (note, append("q", "> b"), &note.replace("> quote", "> quote\n> b")),
        (note, replace("t", "new"), &note.replace("task", "new")),
        (note, replace("c", "~~~\nx\n~~~"), &note.replace("```\ncode\n```", "~~~\nx\n~~~")),
        (note, delete("p"), note.strip_prefix("Para ^p\n\n").unwrap()),
        (note, delete("j"), &note.replace("  - two ^j\n", "")),
        (note, delete("q"), &note.replace("> quote\n\n^q\n\n", "")),
        (note, delete("c"), &note.replace("```\ncode\n```\n\n^c\n\n", "")),
        ("a\n\nb ^b\n", delete("b"), "a\n"),
        ("a\n\nb ^b", delete("b"), "a"),
        (note, id("p", Action::Replace(text("^n"))), &note.replace("^p", "^n")),
        (note, id("p", Action::Delete), &note.replace(" ^p", "")),
        (note, id("q", Action::Delete), &note.replace("\n\n^q", "")),
        ("> a ^x\n>\n> b\n", append("x", "c"), "> a\n> c ^x\n>\n> b\n"),
        ("a\r\n", creating(block("n"), Action::Append(text("b"))), "a\r\n\r\nb\r\n\r\n^n\r\n"),
    ]);
}

#[test]
fn rows_go_into_tables() {
    let note = "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n^t\n\n> | c |\n> |---|\n^u\n";
    let rows = |value: Value| PatchContent::Value(value);
    check(&[
        (
            note,
            patch(block("t"), Action::Append(rows(json!([["3", 4], ["x|y", "z\nw"]])))),
            &note.replace("| 2 |\n", "| 2 |\n| 3 | 4 |\n| x\\|y | z<br>w |\n"),
        ),
        (
            note,
            patch(block("t"), Action::Prepend(rows(json!(["0", null])))),
            &note.replace("| 1 |", "| 0 |  |\n| 1 |"),
        ),
        (
            note,
            patch(block("t"), Action::Replace(rows(json!([["0", 0]])))),
            &note.replace("| 1 | 2 |", "| 0 | 0 |"),
        ),
        (
            note,
            patch(block("t"), Action::Append(text("| 5 | 6 |"))),
            &note.replace("| 2 |\n", "| 2 |\n| 5 | 6 |\n"),
        ),
    ]);
    let wide = apply(note, &patch(block("t"), Action::Append(rows(json!([["1", "2"], ["3"]])))));
    assert_eq!(wide, Err(PatchError::ColumnCount { row: 2, cells: 1, columns: 2 }));
    let reject = Patch {
        if_present: IfPresent::Reject,
        ..patch(block("t"), Action::Append(rows(json!(["1", "2"]))))
    };
    assert_eq!(apply(note, &reject), Err(PatchError::AlreadyPresent));
    for value in [json!("x"), json!([["a"], "b"]), json!([[["a"]]]), json!({})] {
        let patch = patch(block("t"), Action::Append(rows(value)));
        assert!(matches!(apply(note, &patch), Err(PatchError::Unsupported(_))), "{patch:?}");
    }
}

#[test]
fn a_list_of_rows_may_be_written_as_text() {
    let note = "| a | b |\n|---|---|\n| 1 | 2 |\n\n^t\n\n| c |\n|---|\n| 1 |\n\n^u\n";
    let append = |id: &str, given: &str| patch(block(id), Action::Append(text(given)));
    check(&[
        (note, append("t", "[[\"3\", \"4\"]]\n"), &note.replace("| 2 |\n", "| 2 |\n| 3 | 4 |\n")),
        (note, append("t", "[3, 4]"), &note.replace("| 2 |\n", "| 2 |\n| 3 | 4 |\n")),
        (
            note,
            patch(block("t"), Action::Replace(text("[[\"3\", \"4\"]]"))),
            &note.replace("| 1 | 2 |", "| 3 | 4 |"),
        ),
        (note, append("t", "3 | 4"), &note.replace("| 2 |\n", "| 2 |\n3 | 4\n")),
        (note, append("u", "2"), &note.replace("| 1 |\n\n^u", "| 1 |\n2\n\n^u")),
    ]);
    let wide = apply(note, &append("t", "[[\"3\"]]"));
    assert_eq!(wide, Err(PatchError::ColumnCount { row: 1, cells: 1, columns: 2 }));
    for given in ["[[[1]]]", "[[\"3\", \"4\"]", "{\"a\": 1}", "3 4", "| 3 | 4 |\n5"] {
        let refused = apply(note, &append("t", given));
        assert!(matches!(refused, Err(PatchError::Unsupported(_))), "{given}: {refused:?}");
    }
}

#[test]
fn a_list_or_a_mapping_may_be_written_as_text() {
    let note = "---\ntags: [a]\nby: {x: 1}\nup: [\"[[1]]\"]\ntitle: t\n---\n";
    let put = |key: &str, given: &str| patch(property(key), Action::Replace(text(given)));
    check(&[
        (note, put("tags", "[\"x\",\"y\"]"), &note.replace("[a]", "[x, y]")),
        (
            note,
            patch(property("tags"), Action::Append(text("[\"x\"]"))),
            &note.replace("[a]", "[a, x]"),
        ),
        (
            note,
            patch(property("by"), Action::Append(text("{\"y\": 2}"))),
            &note.replace("{x: 1}", "{x: 1, y: 2}"),
        ),
        (note, put("up", "[[2026]]"), &note.replace("[\"[[1]]\"]", "\"[[2026]]\"")),
        (note, put("title", "[\"x\"]"), &note.replace("title: t", "title: \"[\\\"x\\\"]\"")),
        (note, put("tags", "7"), &note.replace("[a]", "\"7\"")),
    ]);
    let reject = Patch {
        if_present: IfPresent::Reject,
        ..patch(property("tags"), Action::Append(text("[\"a\"]")))
    };
    assert_eq!(apply(note, &reject), Err(PatchError::AlreadyPresent));
}

#[test]
fn a_heading_that_contains_the_separator_is_found() {
    let note = "# Rust\n## std::vec\nx\n# C :: D\ny\n# C\n## E::F\n## E\n### F\nz\n";
    let append = |to: &str| patch(heading(to), Action::Append(text("new")));
    check(&[
        (note, append("Rust::std::vec"), &note.replace("x\n", "x\n\nnew\n")),
        (note, append("[\"Rust\", \"std::vec\"]"), &note.replace("x\n", "x\n\nnew\n")),
        (note, append("C::D"), &note.replace("y\n", "y\n\nnew\n")),
        // A path of separate headings comes first.
        (note, append("C::E::F"), &note.replace("z\n", "z\n\nnew\n")),
        (
            note,
            creating(heading("Rust::std::vec::New"), Action::Append(text("new"))),
            &note.replace("x\n", "x\n\n### New\nnew\n"),
        ),
    ]);
    let twice = "# a::b\n# a::b\n";
    let refused = apply(twice, &append("a::b"));
    assert!(
        matches!(&refused, Err(PatchError::Target(TargetError::Ambiguous { places, .. })) if places.len() == 2),
        "{refused:?}"
    );
}

#[test]
fn properties_change_their_own_lines() {
    let note = "---\na: '1' # c\ntags: [x]\n---\nbody";
    check(&[
        (note, patch(property("a"), Action::Replace(text("2"))), &note.replace("'1'", "'2'")),
        (
            note,
            patch(property("tags"), Action::Append(PatchContent::Value(json!(["y"])))),
            &note.replace("[x]", "[x, y]"),
        ),
        (note, patch(property("a"), Action::Delete), &note.replace("a: '1' # c\n", "")),
        (
            note,
            scoped_patch(PatchScope::MarkerAndContent, property("a"), Action::Delete),
            &note.replace("a: '1' # c\n", ""),
        ),
        (
            note,
            creating(property("b"), Action::Append(text("n"))),
            &note.replace("[x]\n", "[x]\nb: n\n"),
        ),
        (
            "body",
            creating(property("b"), Action::Replace(PatchContent::Value(json!(1)))),
            "---\nb: 1\n---\nbody",
        ),
    ]);
    let missing = apply(note, &patch(property("tag"), Action::Replace(text("n")))).unwrap_err();
    assert!(
        matches!(&missing, PatchError::Target(TargetError::Missing { near, .. }) if near[0] == "tags"),
        "{missing}"
    );
    let reject = |value| Patch {
        if_present: IfPresent::Reject,
        ..patch(property("tags"), Action::Append(PatchContent::Value(value)))
    };
    assert_eq!(apply(note, &reject(json!(["x"]))), Err(PatchError::AlreadyPresent));
    assert!(apply(note, &reject(json!(["z"]))).is_ok());
    let broken = "---\na: [\n---\n";
    let refused = apply(broken, &patch(property("a"), Action::Replace(text("n"))));
    assert!(matches!(refused, Err(PatchError::Property(_))));
}

#[test]
fn a_patch_keeps_to_the_version_it_is_based_on() {
    let sandbox = Sandbox::new();
    sandbox.put("Note.md", "# A\n");
    let append = patch(heading("A"), Action::Append(text("x")));
    let first = sandbox.vault.patch(&path("Note"), &append, None).unwrap();
    sandbox.put("Note.md", "# A\nedited\n");
    let stale = sandbox.vault.patch(&path("Note"), &append, Some(&first.etag));
    assert!(matches!(stale, Err(VaultError::Conflict { .. })));
    assert_eq!(sandbox.bytes("Note.md"), b"# A\nedited\n");
    let current = sandbox.vault.read(&path("Note"), None).unwrap().etag;
    sandbox.vault.patch(&path("Note"), &append, Some(&current)).unwrap();
    let missing = sandbox.vault.patch(&path("Nothing"), &append, None);
    assert!(matches!(missing, Err(VaultError::NotFound { .. })));
    let no_etag = sandbox.vault.patch(&path("Note"), &append, Some(&Etag::from("0")));
    assert!(matches!(no_etag, Err(VaultError::Conflict { .. })));
}

#[test]
fn encodings_survive_a_patch() {
    let sandbox = Sandbox::new();
    let utf16: Vec<u8> =
        "\u{FEFF}# A\r\nx 🌲\n\n# B\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    sandbox.put("Note.md", &utf16);
    sandbox
        .vault
        .patch(&path("Note"), &patch(heading("A"), Action::Append(text("y"))), None)
        .unwrap();
    let expected: Vec<u8> = "\u{FEFF}# A\r\nx 🌲\r\n\r\ny\n\n# B\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(sandbox.bytes("Note.md"), expected);
    sandbox.put("Bad.md", b"# A\n\xFF");
    let refused =
        sandbox.vault.patch(&path("Bad"), &patch(heading("A"), Action::Append(text("y"))), None);
    assert!(matches!(refused, Err(VaultError::NotText { .. })));
    let nul =
        sandbox.vault.patch(&path("Note"), &patch(heading("A"), Action::Append(text("\0"))), None);
    assert!(matches!(nul, Err(VaultError::NotText { .. })));
}
