//! `vault.links`.

use serde_json::json;

use crate::vault::{Session, paths};

const NOTES: [(&str, &[u8]); 4] = [
    ("A.md", b"# A\n[[B]] and [[B|again]] and [[Gone]]\n"),
    ("B.md", b"[[In/C]]"),
    ("In/C.md", b"[[gone]] [[A]]"),
    ("D.md", b"alone"),
];

#[test]
fn links_lead_out_of_a_note_to_its_neighbours_and_nowhere() {
    let mut vault = Session::with(&NOTES);
    let out = vault.call("links", json!({"kind": "out", "path": "A"})).ok();
    assert_eq!(
        out,
        json!({"links": [
            {"path": "B.md", "target": "B", "line": 2, "count": 2},
            {"target": "Gone", "line": 2, "count": 1},
        ], "total": 2})
    );
    let arguments = json!({"kind": "neighbours", "path": "A", "direction": "out", "depth": 2});
    let near = vault.call("links", arguments).ok();
    assert_eq!(paths(&near["links"]), ["B.md", "In/C.md"]);
    assert_eq!(
        (&near["links"][1]["depth"], &near["links"][1]["sources"]),
        (&json!(2), &json!(["B.md"]))
    );
    let near = vault.call("links", json!({"kind": "neighbours", "path": "A", "limit": 1})).ok();
    assert_eq!((paths(&near["links"]), &near["total"]), (vec!["B.md"], &json!(2)));
    let broken = vault.call("links", json!({"kind": "unresolved"})).ok();
    assert_eq!(
        broken["links"],
        json!([{"target": "Gone", "count": 2, "sources": ["A.md", "In/C.md"]}])
    );
    let broken = vault.call("links", json!({"kind": "unresolved", "folder": "In"})).ok();
    assert_eq!(broken["links"][0]["sources"], json!(["In/C.md"]));
    let broken = vault.call("links", json!({"kind": "unresolved", "path": "A"})).ok();
    assert_eq!(broken["links"], json!([{"target": "Gone", "line": 2, "count": 1}]));
}

#[test]
fn a_question_without_its_note_is_refused() {
    let mut vault = Session::with(&NOTES);
    for (arguments, code, path) in [
        (json!({"kind": "out"}), "VALIDATION_ERROR", "/path"),
        (json!({"kind": "neighbours"}), "VALIDATION_ERROR", "/path"),
        (json!({"kind": "out", "path": "A", "folder": "In"}), "VALIDATION_ERROR", "/folder"),
        (json!({"kind": "out", "path": "Nobody"}), "NOT_FOUND", ""),
        (json!({"kind": "unresolved", "folder": "Nowhere"}), "NOT_FOUND", ""),
    ] {
        let error = vault.call("links", arguments).error();
        assert_eq!(error["code"], code, "{error}");
        assert_eq!(error["path"].as_str().unwrap_or_default(), path, "{error}");
    }
}
