//! `plugin.dataview.query`: offered while the plugin is on, and paged.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;

use crate::vault::Session;

/// The files of a vault in which Dataview is on.
pub(crate) const PLUGIN: [(&str, &[u8]); 2] = [
    (".obsidian/community-plugins.json", br#"["dataview"]"#),
    (".obsidian/plugins/dataview/manifest.json", br#"{"id": "dataview", "version": "0.5.68"}"#),
];
/// Notes to query.
const NOTES: [(&str, &[u8]); 3] = [
    ("A.md", b"---\nrating: 7\n---\n#book\n- [ ] Read it\n- [x] Buy it\n"),
    ("B.md", b"---\nrating: 9\n---\n#book by [author:: Ann]\n"),
    ("C.md", b"---\nrating: high\n---\n#book\n"),
];

fn session() -> Session {
    Session::with(&[&PLUGIN[..], &NOTES[..]].concat())
}

fn query(session: &mut Session, arguments: &Value) -> Value {
    session.client.call("plugin_dataview_query", arguments).ok()
}

#[test]
fn every_kind_of_query_gives_its_rows() {
    let mut vault = session();
    let table = "TABLE WITHOUT ID file.name AS note, author FROM #book WHERE rating > 8";
    let table = query(&mut vault, &json!({ "query": table }));
    assert_eq!(table["kind"], "table");
    assert_eq!(
        table["rows"],
        json!([{"note": "B", "author": "Ann"}, {"note": "C", "author": null}])
    );
    let list = query(&mut vault, &json!({"query": "LIST rating + 1 FROM #book WHERE author"}));
    assert_eq!((&list["kind"], &list["rows"][0]["value"]), (&json!("list"), &json!(10)));
    let task = query(&mut vault, &json!({"query": "TASK WHERE !completed"}));
    assert_eq!((&task["kind"], &task["rows"][0]["text"]), (&json!("task"), &json!("Read it")));
    let days = query(&mut vault, &json!({"query": "CALENDAR file.mtime FROM \"A\""}));
    assert_eq!((&days["kind"], &days["total"]), (&json!("calendar"), &json!(1)));
}

#[test]
fn markdown_and_pages_follow_the_order_of_the_query() {
    let mut vault = session();
    let text = "TABLE rating FROM #book SORT file.name";
    let first = query(&mut vault, &json!({"query": text, "format": "markdown", "limit": 2}));
    let markdown = first["markdown"].as_str().unwrap();
    assert!(
        markdown.contains("| [[A.md\\|A]] | 7 |") && !markdown.contains("[[C.md"),
        "{markdown}"
    );
    assert_eq!((&first["rows"], &first["total"]), (&json!([]), &json!(3)));
    let cursor = &first["next_cursor"];
    let rest = query(
        &mut vault,
        &json!({"query": text, "format": "markdown", "limit": 2, "cursor": cursor}),
    );
    assert!(rest["markdown"].as_str().unwrap().contains("| [[C.md\\|C]] | high |"), "{rest}");
    assert_eq!(rest.get("next_cursor"), None);
}

#[test]
fn rows_that_fail_are_counted_and_a_wrong_query_is_located() {
    let mut vault = session();
    let failed = query(&mut vault, &json!({"query": "LIST FROM #book WHERE round(rating) > 1"}));
    assert_eq!(failed["total"], 2, "{failed}");
    assert!(failed["skipped"].as_str().unwrap().starts_with("WHERE left out"), "{failed}");
    let error =
        vault.client.call("plugin_dataview_query", &json!({"query": "TABLE rating FORM #book"}));
    let error = error.error();
    assert_eq!((&error["code"], &error["path"]), (&json!("VALIDATION_ERROR"), &json!("/query")));
    assert!(error["message"].as_str().unwrap().contains("line 1, column 14"), "{error}");
}

#[test]
fn without_the_plugin_it_is_not_listed_and_says_what_would_enable_it() {
    let mut vault = Session::with(&NOTES);
    let listed = vault.client.request("tools/list", json!({}));
    assert!(!listed.to_string().contains("dataview"), "{listed}");
    let error = vault.client.call("plugin_dataview_query", &json!({"query": "LIST"})).error();
    assert_eq!(error["code"], "PROVIDER_UNAVAILABLE");
    assert!(error["hint"].as_str().unwrap().contains("Install Dataview"), "{error}");
}

#[test]
fn every_surface_runs_it_in_each_spelling() {
    let vault = session();
    let text = json!({"query": "LIST FROM #book"});
    let total = |surface: &[&str], tool: &str, arguments: Value| {
        let mut client = Client::vault(vault.folder.path(), surface);
        client.call(tool, &arguments).ok()["total"].clone()
    };
    let dispatch = ["--surface", "dispatch", "--split", "none"];
    let named = json!({"operation": "dataview.query", "params": text});
    assert_eq!(total(&dispatch, "plugin", named), 3);
    let by_plugin = json!({"plugin": "dataview", "operation": "query", "params": text});
    assert_eq!(total(&dispatch, "plugin", by_plugin), 3);
    for tool in ["plugin.dataview.query", "dataview.query"] {
        let arguments = json!({"tool": tool, "args": text});
        assert_eq!(total(&["--surface", "meta"], "execute_read", arguments), 3);
    }
}
