//! `vault.base`.

use serde_json::json;

use crate::vault::Session;

const FILES: [(&str, &[u8]); 4] = [
    (
        "Books.base",
        br#"filters: file.hasTag("book")
formulas: { half: price / 2, broken: price.lower() }
properties: { note.price: { displayName: Price } }
views:
  - { type: table, name: All, order: [file.basename, price, formula.half], sort: [{ property: price, direction: DESC }] }
  - { type: table, name: Cheap, filters: price < 5, groupBy: { property: price }, order: [formula.broken] }
  - { type: map, name: Places }
"#,
    ),
    ("A.md", b"---\ntags: [book]\nprice: 4\n---\n"),
    ("B.md", b"---\ntags: [book]\nprice: 9\n---\n"),
    ("C.md", b"no book\n"),
];

#[test]
fn a_view_is_a_table_of_typed_values_in_pages() {
    let mut vault = Session::with(&FILES);
    let view = vault.call("base", json!({"path": "Books.base"})).ok();
    assert_eq!((&view["view"], &view["total"]), (&json!("All"), &json!(2)));
    assert_eq!(view["columns"][1], json!({"property": "note.price", "name": "Price"}));
    let rows =
        json!([{"path": "B.md", "values": ["B", 9, 4.5]}, {"path": "A.md", "values": ["A", 4, 2]}]);
    assert_eq!(view["rows"], rows);
    let page = vault.call("base", json!({"path": "Books.base", "limit": 1, "offset": 1})).ok();
    assert_eq!((&page["rows"][0], &page["total"]), (&rows[1], &json!(2)));
}

#[test]
fn groups_and_what_fails_are_in_the_answer() {
    let mut vault = Session::with(&FILES);
    let view = vault.call("base", json!({"path": "Books.base", "view": "Cheap"})).ok();
    assert_eq!(view["rows"], json!([{"path": "A.md", "group": 4, "values": [null]}]));
    let failed = json!([{"place": "formula.broken", "files": 1, "reason": "`lower` does not apply to number"}]);
    assert_eq!(view["failed"], failed);
}

#[test]
fn what_is_wrong_is_named_with_what_was_expected() {
    let mut vault = Session::with(&FILES);
    let error = vault.call("base", json!({"path": "Books.base", "view": "Every"})).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("NOT_FOUND"), &json!("/view")));
    assert_eq!(error["did_you_mean"], json!(["All", "Cheap", "Places"]));
    let error = vault.call("base", json!({"path": "A.txt"})).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("VALIDATION_ERROR"), &json!("/path")));
    let error = vault.call("base", json!({"path": "A.md"})).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("NOT_FOUND"), &json!("/block")));
    let error = vault.call("base", json!({"path": "Books.base", "origin": "None.md"})).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("NOT_FOUND"), &json!("/origin")));
    let error = vault.call("base", json!({"path": "None.base"})).error();
    assert_eq!(error["code"], "NOT_FOUND");
    let mut vault = Session::with(&BROKEN);
    let error = vault.call("base", json!({"path": "X.base"})).error();
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("The base is invalid at line"), "{message}");
}

#[test]
fn one_fault_is_reported_and_leaves_the_rest() {
    let mut vault = Session::with(&FILES);
    let broken = "formulas: {bad: foo(1)}\nviews: [{type: table, order: [file.ext, formula.bad]}]";
    vault.call("write", json!({"path": "X.base", "content": broken, "mode": "overwrite"})).ok();
    let view = vault.call("base", json!({"path": "X.base", "limit": 1})).ok();
    assert_eq!(view["rows"], json!([{"path": "A.md", "values": ["md", null]}]));
    let failed = json!([
        {"place": "formula.bad", "files": 1, "reason": "formulas.bad, column 1: there is no function `foo`"}
    ]);
    assert_eq!(view["failed"], failed);
}

/// A base that is no YAML, which no operation writes.
const BROKEN: [(&str, &[u8]); 1] = [("X.base", b"views: [")];

const HUB: &str = "[[A]]

```base
filters: 'this.file.hasLink(file)'
views:
  - { type: cards, name: Linked, order: [file.basename, price], image: note.cover, summaries: { price: Sum } }
```

```base
views: [{ type: table, name: Priced, filters: price > 0, groupBy: { property: price, direction: DESC }, order: [file.basename] }]
```
";

#[test]
fn blocks_of_notes_origins_and_references_choose_a_view() {
    let mut vault = Session::with(&FILES);
    vault.call("write", json!({"path": "Hub.md", "content": HUB, "mode": "overwrite"})).ok();
    let view = vault.call("base", json!({"path": "Hub.md"})).ok();
    assert_eq!((&view["view"], &view["type"]), (&json!("Linked"), &json!("cards")));
    assert_eq!(view["rows"], json!([{"path": "A.md", "values": ["A", 4]}]));
    assert_eq!(view["settings"], json!({"image": "note.cover"}));
    assert_eq!(view["summaries"], json!({"note.price": {"Sum": 4}}));
    let view = vault.call("base", json!({"path": "Hub.md", "block": 2})).ok();
    assert_eq!(view["groups"], json!([{"key": 9, "rows": 1}, {"key": 4, "rows": 1}]));
    let other = vault.call("base", json!({"path": "Hub.md", "origin": "B.md"})).ok();
    assert_eq!((&other["rows"], &other["total"]), (&json!([]), &json!(0)));
    let view = vault.call("base", json!({"path": "Books.base#Places"})).ok();
    assert_eq!((&view["view"], &view["type"]), (&json!("Places"), &json!("map")));
}

#[test]
fn rows_are_values_or_a_text() {
    let mut vault = Session::with(&FILES);
    let view = vault.call("base", json!({"path": "Books.base", "format": "csv"})).ok();
    assert_eq!((&view["rows"], &view["total"]), (&json!([]), &json!(2)));
    assert_eq!(view["text"], "file.basename,Price,half\nB,9,4.5\nA,4,2\n");
    let view = vault.call("base", json!({"path": "Books.base", "format": "markdown"})).ok();
    let table =
        "| file.basename | Price | half |\n| --- | --- | --- |\n| B | 9 | 4.5 |\n| A | 4 | 2 |\n";
    assert_eq!(view["text"], table);
}
