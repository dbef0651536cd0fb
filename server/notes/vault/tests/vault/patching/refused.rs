//! Patches that are refused and change nothing.

use serde_json::json;
use toolwrit_vault::patch::{
    Action, IfPresent, Patch, PatchContent, PatchError, PatchScope, PatchTarget,
};
use toolwrit_vault::target::{BlockId, HeadingPath, TargetError};

use super::{apply, block, creating, heading, patch, property, scoped_patch, text};

#[test]
fn missing_or_ambiguous_targets_are_refused_with_suggestions() {
    let note = "# Plan\n## Monday\nx\n## Tuesday\n# Other\n## Monday\n# Plan\ny ^b-1\n\nz ^twice\n\nw ^twice\n";
    let near = |target: PatchTarget| match apply(note, &patch(target, Action::Append(text("n")))) {
        Err(PatchError::Target(TargetError::Missing { near, .. })) => near,
        other => panic!("{other:?}"),
    };
    assert_eq!(near(heading("Tusday"))[0], "Plan::Tuesday");
    assert_eq!(near(heading("Plan::monday"))[0], "Plan::Monday");
    assert!(near(heading("Plan::Tuesday::x")).len() <= 5);
    assert_eq!(near(block("b1"))[0], "b-1");
    let lines = |target: PatchTarget| match apply(note, &patch(target, Action::Append(text("n")))) {
        Err(PatchError::Target(TargetError::Ambiguous { places, .. })) => {
            places.iter().map(|place| place.line).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(lines(heading("Plan")), [1, 7]);
    assert_eq!(lines(block("twice")), [10, 12]);
    assert!(matches!(
        apply(note, &creating(heading("Plan::New"), Action::Append(text("n")))),
        Err(PatchError::Target(TargetError::Ambiguous { .. }))
    ));
    for malformed in ["", " ", "[]", "[1]", "[\"A\",0]", "[\"A\",1,2]"] {
        assert!(HeadingPath::parse(malformed).is_err(), "{malformed:?}");
    }
    for malformed in ["", "^", "a b", "ü", "a_b"] {
        assert!(BlockId::parse(malformed).is_err(), "{malformed:?}");
    }
    for malformed in ["A::", "::A"] {
        assert!(matches!(
            apply(note, &creating(heading(malformed), Action::Append(text("n")))),
            Err(PatchError::Target(TargetError::Malformed { .. }))
        ));
    }
}

/// Text may mean a heading with `::`; a list cannot.
#[test]
fn a_list_of_headings_names_only_these() {
    let note = "# C :: D\ny\n";
    let append = |path| patch(heading(path), Action::Append(text("n")));
    assert_eq!(apply(note, &append("C::D")).unwrap(), "# C :: D\ny\n\nn\n");
    assert_eq!(apply(note, &append("[\"C :: D\"]")).unwrap(), "# C :: D\ny\n\nn\n");
    let list = "[\"C\",\"D\"]";
    let refused = apply(note, &append(list));
    assert!(matches!(refused, Err(PatchError::Target(TargetError::Missing { .. }))), "{refused:?}");
    let created = apply(note, &creating(heading(list), Action::Append(text("n")))).unwrap();
    assert_eq!(created, "# C :: D\ny\n\n# C\n## D\nn\n");
}

#[test]
fn patches_that_do_not_fit_their_target_are_refused() {
    let note = "# A\nx ^x\n\n- one ^i\n  - two\n\n```\nc\n```\n^c\n\n###### Deep\n";
    let unfit = |patch: Patch| {
        let refused = apply(note, &patch);
        assert!(matches!(refused, Err(PatchError::Unsupported(_))), "{patch:?} {refused:?}");
    };
    unfit(patch(block("x"), Action::Delete));
    unfit(patch(block("x"), Action::Append(text("\n"))));
    unfit(patch(block("x"), Action::Append(text("- item"))));
    unfit(patch(block("x"), Action::Append(text("a\n\nb"))));
    unfit(patch(block("c"), Action::Append(text("a"))));
    unfit(patch(block("x"), Action::Append(PatchContent::Value(json!([["a"]])))));
    unfit(scoped_patch(PatchScope::MarkerAndContent, block("i"), Action::Delete));
    unfit(scoped_patch(PatchScope::Marker, block("x"), Action::Replace(text("i"))));
    unfit(scoped_patch(PatchScope::Marker, heading("A"), Action::Replace(text("a\nb"))));
    unfit(scoped_patch(PatchScope::Marker, heading("A"), Action::Append(text("a"))));
    unfit(scoped_patch(PatchScope::Marker, property("A"), Action::Replace(text("a"))));
    unfit(patch(heading("A"), Action::Append(PatchContent::Value(json!([["a"]])))));
    unfit(creating(heading("A::Deep::Deeper"), Action::Append(text("a"))));
    unfit(creating(block("n"), Action::Append(text("```\na"))));
    let reject = Patch {
        if_present: IfPresent::Reject,
        ..patch(heading("A"), Action::Append(text(" one\n")))
    };
    assert_eq!(apply(note, &reject), Err(PatchError::AlreadyPresent));
}

#[test]
fn text_that_would_hide_later_sections_is_refused() {
    let note = "# A\nx\n\n# B\ny\n";
    for open in ["```\ncode", "~~~", "<!-- open", "<script>\n"] {
        for action in [Action::Append(text(open)), Action::Replace(text(open))] {
            let refused = apply(note, &patch(heading("A"), action));
            assert!(matches!(refused, Err(PatchError::Unsupported(_))), "{open:?} {refused:?}");
        }
        assert!(apply(note, &patch(heading("B"), Action::Append(text(open)))).is_ok());
    }
    let whole =
        scoped_patch(PatchScope::MarkerAndContent, block("x"), Action::Replace(text("```")));
    let refused = apply("x ^x\n\n# B\n", &whole);
    assert!(matches!(refused, Err(PatchError::Unsupported(_))), "{refused:?}");
}
