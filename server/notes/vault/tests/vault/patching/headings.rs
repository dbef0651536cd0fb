//! How sections are named. Suggestions and lists of an error are names that are taken as they are.

use toolwrit_vault::document::Document;
use toolwrit_vault::patch::{Action, PatchError};
use toolwrit_vault::target::{HeadingPath, TargetError};

use super::{apply, creating, heading, patch, text};

/// The text of the line of the heading that a path leads to.
fn find<'t>(note: &'t str, path: &str) -> Result<&'t str, TargetError> {
    let document = Document::parse(note).unwrap();
    let path = HeadingPath::parse(path)?;
    path.find(&document).map(|heading| heading.span.slice(note).trim_end())
}

#[test]
fn sections_are_named_by_their_path_its_end_or_with_their_level() {
    let note = "# Meeting:\n## Present:\n## Log\n# Rust\n## std::vec\n# \n## Log\n### Deep\n# Week  ::  1\n";
    for (path, line) in [
        ("Meeting:::Present:", "## Present:"),
        ("Meeting: :: Present:", "## Present:"),
        ("[\"Meeting:\",\"Present:\"]", "## Present:"),
        ("Present:", "## Present:"),
        ("Rust::std::vec", "## std::vec"),
        ("std::vec", "## std::vec"),
        ("## std::vec", "## std::vec"),
        ("Meeting:::Log", "## Log"),
        ("::Log", "## Log"),
        ("[\"\",\"Log\"]", "## Log"),
        ("Log::Deep", "### Deep"),
        ("### Deep", "### Deep"),
        ("Week::1", "# Week  ::  1"),
        ("# Rust", "# Rust"),
    ] {
        assert_eq!(find(note, path), Ok(line), "{path}");
    }
    for missing in ["vec", "# Log", "Rust::vec", "[\"Log\"]", "[\"Rust\",\"std\",\"vec\"]"] {
        assert!(matches!(find(note, missing), Err(TargetError::Missing { .. })), "{missing}");
    }
}

#[test]
fn equal_headings_are_told_apart_by_a_number() {
    let note = "# Log\n## Notes\na\n# Log\n## Notes\nb\n## Notes\nc\n";
    let Err(TargetError::Ambiguous { places, .. }) = find(note, "Log::Notes") else { panic!() };
    let lines: Vec<_> = places.iter().map(|place| place.line).collect();
    let names: Vec<_> = places.iter().filter_map(|place| place.name.clone()).collect();
    assert_eq!(lines, [2, 5, 7]);
    assert_eq!(
        names,
        ["[\"Log\",1,\"Notes\"]", "[\"Log\",2,\"Notes\",1]", "[\"Log\",2,\"Notes\",2]"]
    );
    let append = |name: &str| patch(heading(name), Action::Append(text("x")));
    let written: Vec<_> = names.iter().map(|name| apply(note, &append(name)).unwrap()).collect();
    assert_eq!(written[1], note.replace("b\n", "b\n\nx\n"));
    assert_eq!(written[2], note.replace("c\n", "c\n\nx\n"));
    assert!(matches!(find(note, "[\"Log\",3]"), Err(TargetError::Missing { .. })));
}

#[test]
fn suggestions_are_taken_as_they_are_given() {
    for note in [
        "# Meeting:\n## Present:\n",
        "# [\"Log\"]\n# Log\n",
        "# A\n## B\n# A\n## C\n",
        "# \n# x\n",
        "# ## Log\n## Log\n",
        "# a::b\n# a\n## b\n",
    ] {
        let document = Document::parse(note).unwrap();
        let Err(TargetError::Missing { near, .. }) = find(note, "Missing") else {
            panic!("{note}")
        };
        let found: Vec<_> = near.iter().map(|name| HeadingPath::parse(name).unwrap()).collect();
        for path in found {
            assert!(path.find(&document).is_ok(), "{note:?}: {path}");
        }
    }
}

#[test]
fn no_second_section_of_a_name_is_created_by_mistake() {
    let note = "# A\n## Log\nx\n";
    let create = |name: &str| apply(note, &creating(heading(name), Action::Append(text("n"))));
    let Err(PatchError::Target(TargetError::Elsewhere { there, .. })) = create("Log") else {
        panic!()
    };
    assert_eq!(there, ["[\"A\",\"Log\"]"]);
    assert_eq!(create("[\"Log\"]").unwrap(), "# A\n## Log\nx\n\n# Log\nn\n");
    assert_eq!(create("A::Log").unwrap(), "# A\n## Log\nx\n\nn\n");
    assert_eq!(create("## New").unwrap(), "# A\n## Log\nx\n\n## New\nn\n");
    assert_eq!(create("A::New").unwrap(), "# A\n## Log\nx\n\n## New\nn\n");
}
