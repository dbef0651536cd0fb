//! What is wrong in a base: it leaves everything else, and is reported with its place.

use serde_json::{Value, json};

use super::sandbox::{Sandbox, invalid, paths, values};

/// What is reported for the first view of a base.
fn failed(base: &str) -> Vec<(String, usize, String)> {
    let view = Sandbox::with_files(&[("B.base", base)]).view("B.base", None);
    view.failed.into_iter().map(|failed| (failed.place, failed.files, failed.reason)).collect()
}

#[test]
fn what_is_no_yaml_is_no_base() {
    assert_eq!(
        invalid("- a"),
        "the base is invalid at line 1, column 1: expected `key: value` lines"
    );
    assert!(invalid("views: [").starts_with("the base is invalid at line"));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (base, place, files, reason) in [
        (
            "filters: {and: [[x]]}",
            "filters",
            1,
            "filters.and[0]: expected an expression in quotes, or exactly one of `and`, `or` and `not`, found a list",
        ),
        (
            "filters: {xor: []}",
            "filters",
            1,
            "filters.xor: expected `and`, `or` or `not`, found `xor`",
        ),
        ("filters: {and: 'a'}", "filters", 1, "filters.and: expected a list, found text"),
        (
            "filters: {and: [a], or: [b]}",
            "filters",
            1,
            "filters: expected an expression in quotes, or exactly one of `and`, `or` and `not`, found a mapping",
        ),
        (
            "filters: {or: [a, 'foo(1)']}",
            "filters",
            1,
            "filters.or[1], column 1: there is no function `foo`",
        ),
        ("formulas: [1]", "formulas", 0, "expected `key: value` lines, found a list"),
        ("summaries: 3", "summaries", 0, "expected `key: value` lines, found a number"),
    ] {
        let found = failed(&format!("{base}\nviews: [{{type: table}}]"));
        assert_eq!(found, [(place.to_owned(), files, reason.to_owned())], "{base}");
    }
    for (view, place, files, reason) in [
        ("name: x", "views[0]", 0, "expected a `type`, such as `type: table`"),
        ("type: table, limit: -1", "views[0].limit", 0, "expected a whole number, found a number"),
        ("type: table, limit: many", "views[0].limit", 0, "expected a whole number, found text"),
        ("type: table, order: file.name", "views[0].order", 0, "expected a list, found text"),
        ("type: table, order: [formula.x]", "formula.x", 1, "there is no formula `x`"),
        (
            "type: table, order: [file.nme]",
            "file.nme",
            1,
            "there is no property `file.nme`; expected one of file.name, file.basename, file.path, file.folder, file.ext, file.size, file.properties, file.tags, file.links, file.embeds, file.backlinks, file.ctime, file.mtime, file.file",
        ),
        (
            "type: table, order: [[a]]",
            "views[0].order[0]",
            0,
            "expected the name of a property, found a list",
        ),
        (
            "type: table, sort: [{property: a, direction: up}]",
            "views[0].sort[0].direction",
            0,
            "expected `ASC` or `DESC`, found `up`",
        ),
        (
            "type: table, groupBy: {}",
            "views[0].groupBy",
            0,
            "expected a `property`, such as `property: file.name`",
        ),
        (
            "type: table, summaries: {a: Totals}",
            "summaries.note.a",
            1,
            "there is no summary `Totals`",
        ),
    ] {
        let found = failed(&format!("views: [{{{view}}}]"));
        assert_eq!(found, [(place.to_owned(), files, reason.to_owned())], "{view}");
    }
}

#[test]
fn formulas_that_use_themselves_fail_and_leave_the_others() {
    let base = "formulas: {a: formula.b, b: formula.a, c: '1', d: 'formula.D + 1'}
views: [{type: table, order: [formula.a, formula.b, formula.c, formula.d]}]";
    let sandbox = Sandbox::with_files(&[("B.base", base)]);
    let view = sandbox.view("B.base", None);
    assert_eq!(values(&view), json!([[null, null, 1, null]]));
    let reasons: Vec<_> = view.failed.iter().map(|failed| &*failed.reason).collect();
    assert_eq!(
        reasons,
        [
            "formulas.a: the formula uses itself: a -> b -> a",
            "formulas.b: the formula uses itself: b -> a -> b",
            "formulas.d: the formula uses itself: d -> d",
        ]
    );
}

const FAULTY: &str = "
formulas: {good: n * 2, bad: 'n.foo()', worse: '1 +'}
views:
  - {type: table, name: One, order: [n, formula.good, formula.bad, formula.none], sort: [{property: n, direction: desc}], limit: '2'}
  - {type: table, name: Two, filters: {and: ['not(empty(n))']}}
  - {type: table, name: Three, filters: {and: [null, 'n > 1', ]}, order: [n]}
  - {type: table, name: Four, filters: {or: ['foo(n)', 'n == 1']}, order: [n]}
  - {type: table, name: Five, filters: {or: []}}
";

#[test]
fn one_fault_leaves_the_other_formulas_columns_and_views() {
    let sandbox = Sandbox::with_files(&[
        ("a.md", "---\nn: 1\n---\n"),
        ("b.md", "---\nn: 2\n---\n"),
        ("B.base", FAULTY),
    ]);
    let one = sandbox.view("B.base", Some("One"));
    assert_eq!(values(&one), json!([[2, 4, null, null], [1, 2, null, null]]));
    let places: Vec<_> = one.failed.iter().map(|f| (&*f.place, f.files, &*f.reason)).collect();
    assert_eq!(
        places,
        [
            ("formula.bad", 2, "formulas.bad, column 3: there is no function `foo`"),
            ("formula.none", 2, "there is no formula `none`"),
        ]
    );
    let two = sandbox.view("B.base", Some("Two"));
    assert_eq!((two.total, &*two.failed[0].place, two.failed[0].files), (0, "filters", 3));
    let three = sandbox.view("B.base", Some("Three"));
    assert_eq!((values(&three), three.failed.len()), (json!([[2]]), 0));
    let four = sandbox.view("B.base", Some("Four"));
    assert_eq!((values(&four), four.failed[0].files), (json!([[1]]), 2));
    let five = sandbox.view("B.base", Some("Five"));
    assert_eq!(paths(&five), ["B.base", "a.md", "b.md"]);
}

#[test]
fn a_place_that_fails_counts_each_file_once() {
    let base = "formulas: {bad: 'n.round()'}
views: [{type: table, order: [formula.bad], sort: [{property: formula.bad}], groupBy: {property: formula.bad}}]";
    let sandbox = Sandbox::with_files(&[("a.md", "---\nn: x\n---\n"), ("B.base", base)]);
    let view = sandbox.view("B.base", None);
    assert_eq!((view.failed.len(), view.failed[0].files), (1, 1));
    assert_eq!(values(&view), Value::from(vec![vec![Value::Null]; 2]));
}
