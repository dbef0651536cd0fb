//! Items of lists whose text has an id.

use toolwrit_vault::patch::{Action, PatchError, PatchScope};

use super::{apply, block, patch, scoped_patch, text};

const NOTE: &str = "- [ ] top ^t0\n- [ ] other\n\n> [!todo] Box\n> - [ ] in box ^t1\n> - [ ] last\n\n1. [ ] numbered ^t2\n\n* [/] half\n\t- [ ] child ^t3\n\n- plain ^i0\n\n- parent ^t4\n  - kid\n";

/// The line with an id after a replacement of its block, if nothing else changed.
fn replace(id: &str, scope: PatchScope, content: &str) -> Result<String, PatchError> {
    let patched = apply(NOTE, &scoped_patch(scope, block(id), Action::Replace(text(content))))?;
    let changed: Vec<(&str, &str)> =
        NOTE.lines().zip(patched.lines()).filter(|(old, new)| old != new).collect();
    assert_eq!(NOTE.lines().count(), patched.lines().count(), "{patched}");
    match changed[..] {
        [] => Ok(String::new()),
        [(_, new)] => Ok(new.to_owned()),
        _ => panic!("{patched}"),
    }
}

#[test]
fn a_task_is_ticked_by_text_with_its_marker_or_its_checkbox() {
    let content = |id, given| replace(id, PatchScope::Content, given).unwrap();
    for (id, given, line) in [
        ("t0", "- [x] top", "- [x] top ^t0"),
        ("t0", "[x] top", "- [x] top ^t0"),
        ("t0", "top", ""),
        ("t0", "done", "- [ ] done ^t0"),
        ("t0", "- plain", "- plain ^t0"),
        ("t1", "- [x] in box", "> - [x] in box ^t1"),
        ("t1", "[x] in box", "> - [x] in box ^t1"),
        ("t2", "1. [x] numbered", "1. [x] numbered ^t2"),
        ("t2", "[x] numbered", "1. [x] numbered ^t2"),
        ("t3", "- [x] child", "\t- [x] child ^t3"),
        ("t3", "[-] child", "\t- [-] child ^t3"),
        ("i0", "- new", "- new ^i0"),
        ("i0", "[x] new", "- [x] new ^i0"),
        ("t4", "- [x] parent", "- [x] parent ^t4"),
    ] {
        assert_eq!(content(id, given), line, "{id} {given:?}");
    }
}

#[test]
fn a_whole_item_is_its_line() {
    let whole = |id, given| replace(id, PatchScope::MarkerAndContent, given).unwrap();
    for (id, given, line) in [
        ("t0", "- [x] top ^t0", "- [x] top ^t0"),
        ("t0", "- [x] top", "- [x] top"),
        ("t0", "[x] top ^t0", "- [x] top ^t0"),
        ("t0", "new ^t9", "- [ ] new ^t9"),
        ("t1", "- [x] in box ^t1", "> - [x] in box ^t1"),
        ("t2", "1. [x] numbered ^t2", "1. [x] numbered ^t2"),
        ("t3", "- [x] child ^t3", "\t- [x] child ^t3"),
        ("i0", "- new item", "- new item"),
    ] {
        assert_eq!(whole(id, given), line, "{id} {given:?}");
    }
}

#[test]
fn text_of_which_the_id_would_name_another_part_is_refused() {
    for given in ["- [x] top\n- [ ] more", "- [x] top\n  - deeper"] {
        let refused = apply(NOTE, &patch(block("t0"), Action::Replace(text(given))));
        assert!(matches!(refused, Err(PatchError::Unsupported(_))), "{given:?}: {refused:?}");
    }
}
