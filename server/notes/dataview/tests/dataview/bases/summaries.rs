//! Summaries, groups, settings, and other forms of the result.

use serde_json::{Map, Value, json};
use toolwrit_dataview::bases::{Summary, ViewOptions};

use super::sandbox::{Sandbox, options, paths, values};

const BASE: &str = r#"
filters: 'file.ext == "md"'
formulas: { link: 'link("A", "a|b")' }
summaries:
  spread: 'values.mean().round(3)'
  broken: 'values.foo()'
views:
  - type: table
    name: All
    order: [file.basename, n]
    summaries: { n: Average, note.on: Latest, done: checked, kind: Unique, file.name: Filled, none: Empty, N: spread }
  - type: cards
    name: Groups
    groupBy: { property: kind, direction: ASC }
    order: [n]
    image: formula.cover
    cardSize: 70
    summaries: { n: Sum }
  - { type: table, name: Page, order: [file.basename, n], sort: [{ property: n, direction: DESC }], limit: 3, summaries: { n: Max } }
  - { type: table, name: Broken, summaries: { n: broken, kind: Sum } }
  - { type: table, name: Text, order: [file.basename, formula.link, t] }
  - { type: table, name: Checkboxes, order: [file.basename, done], sort: [{ property: done, direction: DESC }, { property: file.basename }] }
  - { type: table, name: Dates, summaries: { on: Range } }
"#;

fn notes() -> Sandbox {
    Sandbox::with_files(&[
        ("B.base", BASE),
        ("A.md", "---\nn: 1\nkind: x\non: 2024-01-01\ndone: true\nt: \"a, \\\"b\\\"\"\n---\n"),
        ("B.md", "---\nn: 2\nkind: y\non: 2024-01-03\ndone: false\nt: \"c\\nd\"\n---\n"),
        ("C.md", "---\nn: 6\nkind: x\n---\n"),
        ("D.md", "---\nn: text\n---\n"),
    ])
}

fn summary(summaries: &[Summary]) -> Value {
    let entry = |summary: &Summary| {
        (format!("{} {}", summary.property, summary.name), summary.value.to_json())
    };
    Value::Object(summaries.iter().map(entry).collect::<Map<_, _>>())
}

#[test]
fn summaries_are_about_all_rows_of_a_view() {
    let sandbox = notes();
    let view = sandbox.view("B.base", Some("All"));
    assert_eq!(view.failed, []);
    assert_eq!(
        summary(&view.summaries),
        json!({
            "note.n Average": 3, "note.on Latest": "2024-01-03", "note.done checked": 1, "note.kind Unique": 2,
            "file.name Filled": 4, "note.none Empty": 4, "note.N spread": 3,
        })
    );
    let options = ViewOptions { rows: 0..1, ..options() };
    let page = sandbox.run("B.base", Some("Page"), &options).unwrap();
    assert_eq!((values(&page), page.total), (json!([["D", "text"]]), 3));
    assert_eq!(summary(&page.summaries), json!({"note.n Max": 6}));
    let dates = sandbox.view("B.base", Some("Dates"));
    assert_eq!(summary(&dates.summaries), json!({"note.on Range": "2 days"}));
}

#[test]
fn summaries_that_fail_are_null_and_reported() {
    let view = notes().view("B.base", Some("Broken"));
    assert_eq!(summary(&view.summaries), json!({"note.n broken": null, "note.kind Sum": null}));
    let [failed] = &*view.failed else { panic!("{:?}", view.failed) };
    assert_eq!(&*failed.place, "summaries.note.n");
    assert_eq!(failed.reason, "summaries.broken, column 8: there is no function `foo`");
}

#[test]
fn groups_have_their_keys_rows_and_summaries() {
    let view = notes().view("B.base", Some("Groups"));
    let groups: Vec<_> = view
        .groups
        .iter()
        .map(|group| (group.key.to_json(), group.rows, summary(&group.summaries)))
        .collect();
    assert_eq!(
        groups,
        [
            (json!("x"), 2, json!({"note.n Sum": 7})),
            (json!("y"), 1, json!({"note.n Sum": 2})),
            (json!(null), 1, json!({"note.n Sum": null})),
        ]
    );
    assert_eq!(summary(&view.summaries), json!({"note.n Sum": 9}));
    assert_eq!(paths(&view), ["A.md", "C.md", "B.md", "D.md"]);
}

#[test]
fn the_type_and_the_settings_of_a_view_are_returned() {
    let view = notes().view("B.base", Some("Groups"));
    assert_eq!(view.kind, "cards");
    assert_eq!(Value::Object(view.settings), json!({"image": "formula.cover", "cardSize": 70}));
    let view = notes().view("B.base", Some("All"));
    assert_eq!((&*view.kind, view.settings.len()), ("table", 0));
}

#[test]
fn a_checkbox_that_was_never_set_is_sorted_as_false() {
    let view = notes().view("B.base", Some("Checkboxes"));
    assert_eq!(values(&view), json!([["A", true], ["B", false], ["C", null], ["D", null]]));
}

#[test]
fn rows_are_written_as_markdown_and_csv() {
    let view = notes().view("B.base", Some("Text"));
    assert_eq!(
        view.to_markdown(),
        "| file.basename | link | t |\n| --- | --- | --- |\n\
         | A | [[A.md\\|a\\|b]] | a, \"b\" |\n| B | [[A.md\\|a\\|b]] | c<br>d |\n\
         | C | [[A.md\\|a\\|b]] |  |\n| D | [[A.md\\|a\\|b]] |  |\n"
    );
    assert_eq!(
        view.to_csv(),
        "file.basename,link,t\nA,[[A.md|a|b]],\"a, \"\"b\"\"\"\nB,[[A.md|a|b]],\"c\nd\"\n\
         C,[[A.md|a|b]],\nD,[[A.md|a|b]],\n"
    );
    let groups = notes().view("B.base", Some("Groups")).to_markdown();
    assert_eq!(
        groups,
        "### x\n\n| n |\n| --- |\n| 1 |\n| 6 |\n\n### y\n\n| n |\n| --- |\n| 2 |\n\n\
         ### None\n\n| n |\n| --- |\n| text |\n"
    );
}
