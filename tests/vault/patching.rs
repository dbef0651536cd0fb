//! `vault.patch`.

use serde_json::{Value, json};

use crate::vault::Session;

const PLAN: &[u8] = b"---\nstatus: todo # soon\n---\n# Plan\n\n## Week 1\n\n- a\n\n# Notes\n\nsum ^total\n\n| k | v |\n|---|---|\n| a | 1 |\n\n^rates\n";

fn plan() -> String {
    String::from_utf8(PLAN.to_vec()).unwrap()
}

#[test]
fn a_target_is_named_as_text_or_as_a_list() {
    for target in
        [json!("Plan::Week 1"), json!(["Plan", "Week 1"]), json!("[\"Plan\", \"Week 1\"]")]
    {
        let mut session = Session::with(&[("Plan.md", PLAN)]);
        let call = json!({
            "path": "Plan", "target_type": "heading", "target": target, "operation": "append",
            "content": "- b",
        });
        let written = session.call("patch", call).ok();
        assert_eq!(
            (written["path"].as_str(), written["created"].as_bool()),
            (Some("Plan.md"), Some(false))
        );
        assert_eq!(session.bytes("Plan.md"), plan().replace("- a\n", "- a\n- b\n").as_bytes());
        assert_eq!(written["etag"], session.etag("Plan.md"));
    }
}

#[test]
fn blocks_tables_and_properties_are_patched() {
    let cases: [(Value, [&str; 2]); 6] = [
        (
            json!({"target_type": "block", "target": "total", "operation": "replace", "content": "5"}),
            ["sum", "5"],
        ),
        (
            json!({"target_type": "block", "target": "^rates", "operation": "append", "content": [["b", 2]]}),
            ["| 1 |\n", "| 1 |\n| b | 2 |\n"],
        ),
        (
            json!({"target_type": "frontmatter", "target": "status", "operation": "replace", "content": "done"}),
            ["todo", "done"],
        ),
        (
            json!({"target_type": "frontmatter", "target": "tags", "operation": "append", "content": ["x"], "create_if_missing": true}),
            ["soon\n", "soon\ntags:\n  - x\n"],
        ),
        (
            json!({"target_type": "frontmatter", "target": "status", "operation": "delete"}),
            ["---\nstatus: todo # soon\n---\n", ""],
        ),
        (
            json!({"target_type": "heading", "target": "Plan", "operation": "replace", "scope": "marker", "content": "Plans"}),
            ["# Plan\n", "# Plans\n"],
        ),
    ];
    for (mut call, [old, new]) in cases {
        let mut session = Session::with(&[("Plan.md", PLAN)]);
        call["path"] = json!("Plan.md");
        session.call("patch", call.clone()).ok();
        let now = String::from_utf8(session.bytes("Plan.md")).unwrap();
        assert_eq!(now, plan().replacen(old, new, 1), "{call}");
    }
}

/// Command lines give text that looks like a number as one.
#[test]
fn sections_and_blocks_take_whole_numbers_and_booleans_as_text() {
    let call = |kind: &str, target: &str, content: Value| {
        json!({
            "path": "Plan.md", "target_type": kind, "target": target, "operation": "replace", "content": content,
        })
    };
    for (kind, target, content, [old, new]) in [
        ("heading", "Plan::Week 1", json!(2026), ["- a\n", "2026\n"]),
        ("block", "total", json!(true), ["sum ^total", "true ^total"]),
    ] {
        let mut session = Session::with(&[("Plan.md", PLAN)]);
        session.call("patch", call(kind, target, content)).ok();
        let now = String::from_utf8(session.bytes("Plan.md")).unwrap();
        assert_eq!(now, plan().replacen(old, new, 1), "{kind}");
    }
    let mut session = Session::with(&[("Plan.md", PLAN)]);
    let error = session.call("patch", call("heading", "Plan::Week 1", json!(1.5))).error();
    assert!(error["message"].as_str().unwrap().contains("in quotes"), "{error}");
    assert_eq!(session.bytes("Plan.md"), PLAN);
}

#[test]
fn a_list_of_one_name_is_that_name() {
    for (kind, target) in [
        ("frontmatter", json!(["status"])),
        ("frontmatter", json!("[\"status\"]")),
        ("block", json!(["total"])),
    ] {
        let mut session = Session::with(&[("Plan.md", PLAN)]);
        let call = json!({
            "path": "Plan", "target_type": kind, "target": target, "operation": "replace",
            "content": "new", "create_if_missing": true,
        });
        session.call("patch", call).ok();
        let old = if kind == "block" { "sum" } else { "todo" };
        assert_eq!(session.bytes("Plan.md"), plan().replacen(old, "new", 1).as_bytes());
    }
}

#[test]
fn an_invalid_patch_is_refused_with_the_reason() {
    let cases = [
        (
            json!({"target_type": "heading", "target": "Week 9", "operation": "append", "content": "x"}),
            "NOT_FOUND",
        ),
        (
            json!({"target_type": "block", "target": "totals", "operation": "append", "content": "x"}),
            "NOT_FOUND",
        ),
        (
            json!({"target_type": "frontmatter", "target": "state", "operation": "replace", "content": "x"}),
            "NOT_FOUND",
        ),
        (
            json!({"target_type": "block", "target": "rates", "operation": "append", "content": [["b"]]}),
            "VALIDATION_ERROR",
        ),
        (
            json!({"target_type": "heading", "target": "Notes", "operation": "append"}),
            "VALIDATION_ERROR",
        ),
        (
            json!({"target_type": "heading", "target": "", "operation": "append", "content": "x"}),
            "VALIDATION_ERROR",
        ),
        (
            json!({"target_type": "frontmatter", "target": "", "operation": "replace", "content": "x", "create_if_missing": true}),
            "VALIDATION_ERROR",
        ),
        (
            json!({"target_type": "frontmatter", "target": ["a", "b"], "operation": "replace", "content": "x", "create_if_missing": true}),
            "VALIDATION_ERROR",
        ),
        (
            json!({"target_type": "block", "target": "rates", "operation": "append", "content": "[[\"b\"]]"}),
            "VALIDATION_ERROR",
        ),
        (
            json!({"target_type": "block", "target": "total", "operation": "append", "content": "sum", "reject_if_present": true}),
            "ALREADY_EXISTS",
        ),
        (
            json!({"target_type": "heading", "target": "Notes", "operation": "append", "content": "x", "if_match": "0"}),
            "CONFLICT",
        ),
    ];
    let mut session = Session::with(&[("Plan.md", PLAN)]);
    for (mut call, code) in cases {
        call["path"] = json!("Plan.md");
        let error = session.call("patch", call.clone()).error();
        assert_eq!(error["code"], code, "{call}: {error}");
        assert_eq!(session.bytes("Plan.md"), PLAN, "{call}");
    }
    let call = json!({"path": "Plan", "target_type": "heading", "target": "Week 7", "operation": "delete"});
    let near = session.call("patch", call).error();
    assert_eq!(near["did_you_mean"][0], "Plan::Week 1", "{near}");
}
