//! Canvases as other programs write them: links in them follow a move, every other byte stays.

use std::fs;

use proptest::prelude::*;

use crate::{Sandbox, never, path};

/// The canvas after `Old.md` is renamed to `New.md`.
fn rename_target(canvas: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.put("Old.md", "");
    sandbox.put("board.canvas", canvas);
    sandbox.vault.rename(&path("Old.md"), "New.md", None, &never).unwrap();
    fs::read_to_string(sandbox.file("board.canvas")).unwrap()
}

#[test]
fn a_quoted_path_is_replaced_in_any_formatting() {
    let canvas = r#"{"nodes":[ {"id":"1","type":"text","text":"a","file":null}, 7, {"text":["b"]},
        {"id":"2", "type":"file", "file" : "\u004fld.md", "subpath":"h"},
        {"type":"file","file":"b.png"},{"file":3}],"edges":[]}"#;
    assert_eq!(rename_target(canvas), canvas.replace(r"\u004fld.md", "New.md"));
}

#[test]
fn a_file_that_is_not_a_canvas_is_unchanged() {
    for text in ["", "[\"Old.md\"]", "{", r#"{"nodes":{"file":"Old.md"}}"#, r#"{"file":"Old.md"}"#]
    {
        assert_eq!(rename_target(text), text);
    }
}

#[test]
fn a_node_gets_the_new_path_of_its_file_even_where_a_link_would_still_find_it() {
    let canvas =
        r#"{"nodes":[{"type":"file","file":"root.md"},{"type":"text","text":"[[root]]"}]}"#;
    let moves =
        [("root", "Archive/root"), ("Archive/root", "Archive/Root"), ("Archive/Root", "root")];
    let sandbox = Sandbox::new();
    sandbox.put("root.md", "");
    sandbox.put("b.canvas", canvas);
    for (from, to) in moves {
        sandbox.vault.wait_for_index(&never).unwrap();
        let done = sandbox.vault.move_note(&path(from), &path(to), None, &never).unwrap();
        assert_eq!(done.rewritten, [path("b.canvas")], "{to}");
        let expected = canvas.replace("root.md", &format!("{to}.md"));
        assert_eq!(fs::read_to_string(sandbox.file("b.canvas")).unwrap(), expected);
    }
}

#[test]
fn a_node_with_a_name_in_place_of_a_path_gets_the_path_once_its_file_moves() {
    let canvas = r#"{"nodes":[{"type":"file","file":"plan.md"}]}"#;
    let sandbox = Sandbox::new();
    sandbox.put("Work/plan.md", "");
    sandbox.put("other.md", "");
    sandbox.put("b.canvas", canvas);
    sandbox.vault.move_note(&path("other"), &path("Work/other"), None, &never).unwrap();
    assert_eq!(sandbox.bytes("b.canvas"), canvas.as_bytes());
    sandbox.vault.move_note(&path("Work/plan"), &path("Archive/plan"), None, &never).unwrap();
    let expected = canvas.replace("plan.md", "Archive/plan.md");
    assert_eq!(fs::read_to_string(sandbox.file("b.canvas")).unwrap(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_link_is_replaced_between_any_characters_and_escapes(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("[[Old]]"),
                Just("x"),
                Just(" é😀"),
                Just(r"\n"),
                Just(r#"\""#),
                Just(r"\u00e9"),
                Just(r"\uD83D\ude00"),
            ],
            1..8,
        ),
    ) {
        let canvas = format!(r#"{{"nodes":[{{"text":"{}"}}]}}"#, parts.concat());
        prop_assert_eq!(rename_target(&canvas), canvas.replace("Old", "New"));
    }
}
