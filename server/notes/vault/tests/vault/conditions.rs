//! Conditions on frontmatter: which notes they find, and how their errors name the place.

use proptest::prelude::*;
use toolwrit_vault::{BulkMode, BulkOutcome, Folder, SearchPattern, VaultError};

use crate::{Sandbox, never};

const NOTE: &str = "---\nstatus: Todo\npriority: 3\ndone: false\ndue: 2026-11-22\nempty:\n\
    tags: [project, work]\nauthor: {name: Zoe\u{301}}\nzip: '00123'\nmy key: it's\nrating: 4.5\n\
    year: '2026'\n---\n";

fn holds(sandbox: &Sandbox, condition: &str) -> bool {
    let pattern = SearchPattern::frontmatter(condition)
        .unwrap_or_else(|error| panic!("{condition}: {error}"));
    let found = sandbox.vault.search(&pattern, &Folder::ROOT, 1, &never).unwrap();
    found.total_hits == 1
}

/// Why a text is not a condition.
fn fault(condition: &str) -> Option<String> {
    match SearchPattern::frontmatter(condition) {
        Ok(_) => None,
        Err(VaultError::BadPattern { reason, .. }) => Some(reason),
        Err(other) => panic!("{condition}: {other}"),
    }
}

#[test]
fn matching_conditions_find_the_note() {
    let sandbox = Sandbox::new();
    sandbox.put("note.md", NOTE);
    for condition in [
        "status = todo",
        "STATUS = TODO and priority > 2",
        "status = done or priority >= 3",
        "status = done or priority = 3 and done = false",
        "not (status = done or priority < 3)",
        "priority != 2",
        "nothing != 2",
        "priority<=3.0",
        "rating > 4 and rating < 5",
        "due < 2026-12-01 and due >= 2026-11-22",
        "due > '2026-11'",
        "tags = work and tags contains Project",
        "status in (done, todo)",
        "author.name = \"zo\u{e9}\"",
        "author contains name",
        "'my key' = \"it's\"",
        "status contains od",
        "empty exists and empty = null",
        "nothing missing and nothing = null",
        "not not done = false",
        "zip = 00123",
        "done != true",
    ] {
        assert!(holds(&sandbox, condition), "{condition}");
    }
}

#[test]
fn other_conditions_do_not_find_the_note() {
    let sandbox = Sandbox::new();
    sandbox.put("note.md", NOTE);
    for condition in [
        "status = done",
        "status > 2",
        "priority = \"3\"",
        "priority > high",
        "due > 2",
        "due < later",
        "zip = 123",
        "year > 2000",
        "empty missing",
        "nothing < 3",
        "author = name",
        "tags contains wor",
        "status in (a, b)",
        "(status = todo) and (priority = 1 or priority = 2)",
    ] {
        assert!(!holds(&sandbox, condition), "{condition}");
    }
}

#[test]
fn a_note_with_invalid_frontmatter_meets_no_condition_and_is_counted() {
    let sandbox = Sandbox::new();
    sandbox.put("bad.md", "---\nstatus: keep\ntitle: a: b\n---\n#idea\n");
    sandbox.put("in/good.md", "---\nstatus: keep\n---\n");
    sandbox.put("bare.md", "");
    for (condition, folder, total, not_searched) in [
        ("status != keep", "", 1, 1),
        ("status missing", "", 1, 1),
        ("status = keep", "", 1, 1),
        ("not tags exists", "", 2, 1),
        ("tags = idea", "", 0, 1),
        ("status = keep", "in", 1, 0),
    ] {
        let pattern = SearchPattern::frontmatter(condition).unwrap();
        let folder = Folder::parse(folder).unwrap();
        let found = sandbox.vault.search(&pattern, &folder, 1, &never).unwrap();
        assert_eq!((found.total_hits, found.not_searched), (total, not_searched), "{condition}");
        let bulk = sandbox.vault.bulk_delete(&pattern, BulkMode::DryRun, &never).unwrap();
        let is_bad = |outcome: &BulkOutcome| matches!(outcome, BulkOutcome::Would(file) if file.path.as_str() == "bad.md");
        assert!(!bulk.outcomes.iter().any(is_bad), "{condition}");
    }
}

#[test]
fn an_error_names_the_column_and_what_was_expected() {
    for (condition, expected) in [
        ("", "at column 1, expected the name of a property, `not` or `(`, found the end"),
        ("status", "at column 7, expected `=`, `!=`"),
        ("status =", "at column 9, expected a value, found the end"),
        ("é = ü or or", "at column 12, expected `=`, `!=`"),
        ("status == todo", "at column 9, expected a value, found `=`"),
        ("(a = 1", "at column 7, expected `and`, `or` or `)`, found the end"),
        ("a = 1 b = 2", "at column 7, expected `and`, `or` or the end, found `b`"),
        ("a = 'x", "at column 5, the text has no closing '"),
        ("a in 1", "at column 6, expected `(` and the values, found `1`"),
        ("a in (1 2)", "at column 9, expected `,` or `)`, found `2`"),
        ("!a", "at column 1, `!` alone is not an operator"),
        (&"(".repeat(1000), "at column 65, it is nested more than 64 deep"),
    ] {
        let found = fault(condition).unwrap();
        assert!(found.starts_with(expected), "{condition}: {found}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_condition_or_has_an_error_at_one_of_its_columns(
        text in r#"([a-z0-9é'"=!<>(), ]|and|or|not|in){0,60}"#,
    ) {
        if let Some(fault) = fault(&text) {
            let column = fault.strip_prefix("at column ").and_then(|rest| rest.split(',').next());
            let column: usize = column.unwrap().parse().unwrap();
            prop_assert!((1..=text.chars().count() + 1).contains(&column), "{fault}");
        }
    }
}
