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
    let error = vault.call("base", json!({"path": "A.md"})).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("VALIDATION_ERROR"), &json!("/path")));
    let error = vault.call("base", json!({"path": "None.base"})).error();
    assert_eq!(error["code"], "NOT_FOUND");
    let broken =
        json!({"path": "X.base", "content": "filters: file.hasTagg('a')\nviews: [{type: table}]"});
    vault.call("write", broken).ok();
    let error = vault.call("base", json!({"path": "X.base"})).error();
    assert_eq!(
        error["message"],
        "The base is invalid at filters, column 6: there is no function `hasTagg`; did you mean `hasTag`?"
    );
}
