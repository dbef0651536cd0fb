//! Views: filters, columns, sorting, grouping, limits, and what is wrong in a file.

use serde_json::json;
use toolwrit_dataview::bases::{BaseError, Column, ViewOptions};

use super::sandbox::{Sandbox, options, paths, values};

const BASE: &str = r#"
filters:
  and:
    - file.hasTag("book")
    - not: ['file.inFolder("Old")']
formulas:
  double: price * 2
  shown: 'if(price, formula.double.toFixed(1) + " dollars")'
properties:
  status: { displayName: Status }
  formula.shown: { displayName: Price }
views:
  - type: table
    name: All
    order: [file.name, note.status, formula.shown]
    sort:
      - { property: price, direction: DESC }
      - { property: file.name, direction: ASC }
  - type: table
    name: Open
    filters: 'status != "done"'
    limit: 1
    order: [file.basename]
  - type: table
    name: Groups
    filters: { or: ['status == "done"', 'status == "open"'] }
    groupBy: { property: note.status, direction: DESC }
    order: [price]
    sort: [{ property: price }]
  - type: cards
    name: Gallery
  - { type: table, name: Bare, filters: 'price == 3' }
"#;

fn books() -> Sandbox {
    Sandbox::with_files(&[
        ("Books.base", BASE),
        ("Books/A.md", "---\ntags: book\nstatus: done\nprice: 3\n---\n"),
        ("Books/B.md", "---\ntags: [book/new]\nstatus: open\nprice: 10\n---\n"),
        ("Books/C.md", "#book\n"),
        ("Books/D.md", "---\ntags: [book]\nstatus: done\nprice: 10\n---\n"),
        ("Books/E.md", "no tag\n"),
        ("Old/F.md", "#book\n"),
        ("Books/picture.png", "x"),
    ])
}

#[test]
fn filters_columns_and_sorting_apply() {
    let view = books().view("Books.base", None);
    assert_eq!(view.name, "All");
    let column =
        |property: &str, name: &str| Column { property: property.to_owned(), name: name.into() };
    let columns = [
        column("file.name", "file.name"),
        column("note.status", "Status"),
        column("formula.shown", "Price"),
    ];
    assert_eq!(view.columns, columns);
    assert_eq!(
        values(&view),
        json!([
            ["B.md", "open", "20.0 dollars"],
            ["D.md", "done", "20.0 dollars"],
            ["A.md", "done", "6.0 dollars"],
            ["C.md", null, null],
        ])
    );
    assert_eq!((view.total, view.failed.len()), (4, 0));
}

#[test]
fn a_view_is_chosen_by_name_and_has_its_own_filters_and_limit() {
    let sandbox = books();
    let view = sandbox.view("Books.base", Some("Open"));
    assert_eq!((values(&view), view.total), (json!([["B"]]), 1));
    let view = sandbox.view("Books.base", Some("Bare"));
    assert_eq!((paths(&view), &*view.columns[0].property), (vec!["Books/A.md"], "file.name"));
}

#[test]
fn groups_come_in_their_order_and_are_sorted_inside() {
    let view = books().view("Books.base", Some("Groups"));
    let groups: Vec<_> = view
        .rows
        .iter()
        .map(|row| (row.path.name(), row.group.as_ref().map(toolwrit_dataview::Value::to_json)))
        .collect();
    let (open, done) = (Some(json!("open")), Some(json!("done")));
    assert_eq!(groups, [("B.md", open), ("A.md", done.clone()), ("D.md", done)]);
}

#[test]
fn a_part_of_the_rows_can_be_requested() {
    let sandbox = books();
    for (range, expected) in
        [(1..3, vec!["Books/D.md", "Books/A.md"]), (4..9, vec![]), (9..12, vec![])]
    {
        let options = ViewOptions { rows: range, ..options() };
        let view = sandbox.run("Books.base", None, &options).unwrap();
        assert_eq!((paths(&view), view.total), (expected, 4));
    }
}

#[test]
fn a_base_without_filters_shows_all_files() {
    let sandbox = Sandbox::with_files(&[
        ("a.md", ""),
        ("b.png", "x"),
        ("c.base", "views: [{type: table, order: [file.ext]}]"),
    ]);
    assert_eq!(values(&sandbox.view("c.base", None)), json!([["md"], ["png"], ["base"]]));
}

#[test]
fn a_view_of_another_type_has_the_rows_of_a_table() {
    let sandbox = books();
    let view = sandbox.view("Books.base", Some("Gallery"));
    assert_eq!((values(&view), view.total), (json!([["A.md"], ["B.md"], ["C.md"], ["D.md"]]), 4));
    let map = "views: [{type: map, name: Where, order: [place], coordinates: note.place}]";
    let sandbox = Sandbox::with_files(&[("a.md", "---\nplace: [1, 2]\n---\n"), ("b.base", map)]);
    assert_eq!(values(&sandbox.view("b.base", None)), json!([[[1, 2]], [null]]));
}

#[test]
fn the_older_name_of_a_property_to_sort_by_is_read() {
    let base =
        "views: [{type: table, order: [file.basename], sort: [{column: note.n, direction: DESC}]}]";
    let sandbox = Sandbox::with_files(&[
        ("a.md", "---\nn: 1\n---\n"),
        ("b.md", "---\nn: 2\n---\n"),
        ("c.base", base),
    ]);
    assert_eq!(values(&sandbox.view("c.base", None)), json!([["b"], ["a"], ["c"]]));
}

#[test]
fn names_of_columns_are_found_in_any_case() {
    let base = "properties: {Status: {displayName: State}}
views: [{type: table, order: [status, note.STATUS, FILE.name, file.Name]}]";
    let sandbox = Sandbox::with_files(&[("a.md", "---\nstatus: x\n---\n"), ("c.base", base)]);
    let view = sandbox.view("c.base", None);
    let names: Vec<_> = view.columns.iter().map(|column| &*column.name).collect();
    assert_eq!(names, ["State", "State", "FILE.name", "file.name"]);
    assert_eq!(values(&view)[0], json!(["x", "x", null, "a.md"]));
}

#[test]
fn views_that_do_not_exist_are_named() {
    let sandbox = books();
    let error = sandbox.error("Books.base", Some("open"));
    assert_eq!(error.to_string(), "the base has no view named `open`");
    let BaseError::NoView { views, .. } = error else { panic!("{error}") };
    assert_eq!(views, ["All", "Open", "Groups", "Gallery", "Bare"]);
    let empty = Sandbox::with_files(&[("B.base", "")]).error("B.base", None);
    assert_eq!(empty.to_string(), "the base has no view");
}

#[test]
fn files_for_which_the_filters_fail_are_left_out_and_counted() {
    let base = "filters: 'file.name * size > 1'\nviews: [{type: table}]";
    let sandbox =
        Sandbox::with_files(&[("a.md", "---\nsize: 3\n---\n"), ("b.md", ""), ("c.base", base)]);
    let view = sandbox.view("c.base", None);
    assert_eq!((view.total, view.failed.len()), (0, 1));
    assert_eq!((&*view.failed[0].place, view.failed[0].files), ("filters", 1));
}
