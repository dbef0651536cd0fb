//! Changing and archiving entities.

use serde_json::json;
use toolwrit_project::ErrorCode;
use toolwrit_vault::Etag;

use crate::{Sandbox, id, map, never, parse_time};

#[test]
fn an_update_changes_its_fields_and_no_other_byte() {
    let mut sandbox = Sandbox::new();
    let text = "---\r\nid: T-001 # the first\r\ntype: task\r\ntitle: 'Old'\r\nstatus: todo\r\nowner: Ada\r\n\
                depends_on: [\"[[T-002]]\"]\r\n---\r\nText  \r\nmixed\nends";
    sandbox.put("T-001", text);
    sandbox.put("T-002", "---\nid: T-002\ntype: task\ntitle: x\nstatus: todo\n---\n");
    sandbox.now = parse_time("2026-03-05T10:00:00.25Z");
    let data =
        json!({ "title": "New", "status": "Done", "priority": "low", "depends_on": ["T-002"] });
    let changed = sandbox.update("T-001", data).unwrap();
    let expected = text
        .replace("'Old'", "'New'")
        .replace("status: todo", "status: completed")
        .replace("---\r\nText", "priority: low\r\nupdated: 2026-03-05T10:00:00Z\r\n---\r\nText");
    assert_eq!(sandbox.text("T-001"), expected);
    assert_eq!(sandbox.get("T-001", &["etag"])["etag"], changed.etag.as_str());

    sandbox.now = parse_time("2026-03-06T10:00:00Z");
    let same = json!({ "title": "New", "status": "completed", "type": "task", "id": "T-1" });
    assert_eq!(sandbox.update("T-001", same).unwrap(), changed);
    assert_eq!(sandbox.text("T-001"), expected, "nothing changes, nor does `updated`");
    sandbox.update("T-001", json!({ "owner": null, "priority": null, "enables": null })).unwrap();
    let text = sandbox.text("T-001");
    assert!(!text.contains("owner") && !text.contains("priority"), "{text}");
    assert!(text.contains("updated: 2026-03-06T10:00:00Z"), "{text}");
}

#[test]
fn a_stale_version_is_refused() {
    let sandbox = Sandbox::new();
    let made = sandbox.create("task", json!({ "title": "x" })).unwrap();
    let update = |etag: &Etag, title: &str| {
        let data = map(json!({ "title": title }));
        sandbox.workspace().update(
            made.id,
            &data,
            Some(etag),
            &crate::NO_CANVAS,
            sandbox.now,
            &never,
        )
    };
    let second = update(&made.etag, "y").unwrap();
    let error = update(&made.etag, "z").unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
    let expected = format!("T-001 has changed: its etag is now {}; ", second.etag);
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert_eq!(sandbox.get("T-001", &["title"])["title"], "y");
}

#[test]
fn what_creation_refuses_is_refused_in_updates() {
    let sandbox = Sandbox::new();
    for _ in 0..3 {
        sandbox.made("task", json!({ "title": "x" }));
    }
    sandbox.update("T-001", json!({ "depends_on": ["T-002"], "parent": "T-003" })).unwrap();
    sandbox.update("T-002", json!({ "depends_on": "T-003" })).unwrap();
    for (changed, data, expected) in [
        (
            "T-003",
            json!({ "depends_on": ["T-001"] }),
            "`depends_on` would close a cycle: T-003 -> T-001 -> T-002 -> T-003",
        ),
        (
            "T-001",
            json!({ "enables": ["T-003"] }),
            "`enables` would close a cycle: T-001 -> T-002 -> T-003 -> T-001",
        ),
        ("T-001", json!({ "enables": ["T-001"] }), "`enables` would close a cycle: T-001 -> T-001"),
        (
            "T-003",
            json!({ "parent": "T-001" }),
            "`parent` would close a cycle: T-003 -> T-001 -> T-003",
        ),
        ("T-001", json!({ "title": null }), "`title`: it cannot be removed"),
        ("T-001", json!({ "created": "2020-01-01" }), "`created`: it is set with each change"),
        ("T-001", json!({ "updated": null }), "`updated`: it is set with each change"),
        ("T-001", json!({ "owner": "Ada" }), "there is no field `owner`; expected one of "),
    ] {
        let before = sandbox.text(changed);
        let error = sandbox.update(changed, data.clone()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{data}: {error}");
        assert_eq!(sandbox.text(changed), before);
    }
    let error = sandbox.update("T-004", json!({})).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
}

#[test]
fn an_entity_with_a_dangling_reference_can_be_changed_otherwise() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "T-001",
        "---\nid: T-001\ntype: task\ntitle: x\nstatus: todo\ndepends_on: T-009\n---\n",
    );
    sandbox.update("T-001", json!({ "status": "completed" })).unwrap();
    assert_eq!(sandbox.get("T-001", &["depends_on"])["depends_on"], json!(["T-009"]));
}

#[test]
fn archiving_moves_nothing_and_takes_descendants_if_asked() {
    let sandbox = Sandbox::new();
    sandbox.made("milestone", json!({ "title": "x" }));
    sandbox.made("story", json!({ "title": "x", "parent": "M-001" }));
    sandbox.made("task", json!({ "title": "x", "parent": "S-001" }));
    sandbox.made("task", json!({ "title": "x", "parent": "S-001", "archived": true }));
    sandbox.made("task", json!({ "title": "x" }));
    let archive = |of: &str, cascade| {
        let changed =
            sandbox.workspace().archive(id(of), cascade, None, sandbox.now, &never).unwrap();
        changed.into_iter().map(|entity| entity.id.to_string()).collect::<Vec<_>>()
    };
    let archived = |of: &str| sandbox.get(of, &["archived"])["archived"].clone();
    assert_eq!(archive("M-001", false), ["M-001"]);
    assert_eq!(archived("S-001"), json!(null));
    assert_eq!(archive("M-001", true), ["M-001", "S-001", "T-001"]);
    assert_eq!(archived("T-001"), json!(true));
    assert_eq!(archived("T-003"), json!(null));
    sandbox.update("S-001", json!({ "archived": false })).unwrap();
    assert_eq!(archived("S-001"), json!(false));
    assert_eq!(sandbox.get("S-001", &["path"])["path"], "Projects/S-001.md");
}

#[test]
fn superseding_links_both_ways() {
    let sandbox = Sandbox::new();
    for _ in 0..2 {
        sandbox.made("decision", json!({ "title": "x", "status": "decided" }));
    }
    sandbox.made("decision", json!({ "title": "y", "supersedes": "DEC-001" }));
    let fields = ["status", "superseded_by"];
    let superseded = json!({ "status": "superseded", "superseded_by": "DEC-003" });
    assert_eq!(sandbox.get("DEC-001", &fields), superseded);
    let error = sandbox.update("DEC-002", json!({ "supersedes": "DEC-001" })).unwrap_err();
    assert_eq!(error.to_string(), "`supersedes`: DEC-001 is superseded by DEC-003 already");
    sandbox.update("DEC-003", json!({ "supersedes": "DEC-002" })).unwrap();
    assert_eq!(sandbox.get("DEC-002", &fields), superseded);
    assert_eq!(sandbox.get("DEC-001", &fields)["superseded_by"], json!(null));
    let error = sandbox.update("DEC-002", json!({ "supersedes": "DEC-003" })).unwrap_err();
    let expected = "`supersedes` would close a cycle: DEC-002 -> DEC-003 -> DEC-002";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn items_that_stay_are_written_as_they_were() {
    let sandbox = Sandbox::new();
    for number in 2..6 {
        sandbox.put(
            &format!("T-00{number}"),
            &format!(
                "---\nid: T-00{number}\ntype: task\ntitle: Number {number}\nstatus: todo\n---\n"
            ),
        );
    }
    let text = "---\nid: T-001\ntype: task\ntitle: x\nstatus: todo\n\
        depends_on:\n  - \"[[T-002|the first]]\"   # why\n  # a remark\n  - T-3\n  - 'T-004' # last\n\
        tags: [ \"#ui\" , web,  'api' ]\nlabels:\n- 5\n- \"two words\"\n---\n";
    sandbox.put("T-001", text);
    let data = json!({
        "depends_on": ["T-002", "T-005", "T-004"], "tags": ["ui", "api", "new"], "labels": ["5", "three"],
    });
    sandbox.update("T-001", data).unwrap();
    let expected = text
        .replace("T-3", "T-005")
        .replace(" , web,  'api' ]", ",  'api', new ]")
        .replace("\"two words\"", "\"three\"")
        .replace("\n---\n", "\nupdated: 2026-03-01T00:00:00Z\n---\n");
    assert_eq!(sandbox.text("T-001"), expected);
}

#[test]
fn single_items_are_added_and_removed() {
    let sandbox = Sandbox::new();
    for number in 2..5 {
        sandbox.put(
            &format!("T-00{number}"),
            &format!(
                "---\nid: T-00{number}\ntype: task\ntitle: Number {number}\nstatus: todo\n---\n"
            ),
        );
    }
    let text = "---\nid: T-001\ntype: task\ntitle: x\nstatus: todo\nreviewers:\n  - Ben # too\n  - Ada\n\
        depends_on:\n  - \"[[T-002]]\" # why\n  - T-003\nlabels: [ui]\n---\n- [ ] It works\n";
    sandbox.put("T-001", text);
    let data = json!({
        "add_to": { "depends_on": ["T-004", "T-2"], "labels": "urgent", "tags": ["now"], "reviewers": ["Cem"] },
        "remove_from": { "depends_on": ["[[T-003]]"], "labels": ["none"], "reviewers": ["Ada"] },
    });
    sandbox.update("T-001", data).unwrap();
    let expected = text
        .replace("  - T-003\n", "  - T-004\n")
        .replace("[ui]", "[ui, urgent]")
        .replace("  - Ada\n", "  - Cem\n")
        .replace("\n---\n", "\ntags:\n  - now\nupdated: 2026-03-01T00:00:00Z\n---\n");
    assert_eq!(sandbox.text("T-001"), expected);
    for (data, field) in [
        (json!({ "add_to": { "title": ["y"] } }), "title"),
        (json!({ "add_to": ["T-002"] }), "add_to"),
        (json!({ "remove_from": { "status": "todo" } }), "status"),
        (json!({ "add_to": { "depends_on": ["T-009"] } }), "depends_on"),
        (json!({ "add_to": { "colours": ["red"] } }), "colours"),
    ] {
        let error = sandbox.update("T-001", data.clone()).unwrap_err();
        assert_eq!(error.field(), Some(field), "{data}: {error}");
    }
    assert_eq!(sandbox.text("T-001"), expected);
}
