//! The consent of a person.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::servers::model::Response;

use crate::chat::desk::{AUDIT, Desk, Done};

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
fn a_text_with_a_comment_is_not_added_again_while_a_call_that_answers_it_waits() {
    let desk = Desk::new([append(), Response::text("Done.")]);
    let said = "Add it <!-- soon -->, %%not%% now\n\n%% or later %%";
    assert_eq!(desk.chat(&[said, "--focus", "full"]).code, Some(1));
    let done = desk.chat(&[said, "--focus", "full", "--approve", &waiting(&desk)]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), "Done.\n"), "{}", done.err);
    assert_eq!(desk.text("Chat.md").matches("soon").count(), 1, "{}", desk.text("Chat.md"));
    assert_eq!(desk.text("Audit.md").matches("More.").count(), 1);
}

#[test]
fn a_decision_is_refused_where_nothing_would_be_decided() {
    let desk = Desk::new([]);
    desk.write("Chat.md", "Hello\n");
    let modes: [&[&str]; 6] = [
        &["--replay", "--model", "writer"],
        &["--watch"],
        &["--convert"],
        &["--list"],
        &["--status"],
        &["--dry-run"],
    ];
    for decision in ["--approve", "--decline"] {
        for mode in modes {
            let done = desk.chat(&[mode, &[decision, "aaaaaaaaa"]].concat());
            assert_eq!(done.code, Some(2), "{mode:?}: {}{}", done.out, done.err);
        }
        for mode in ["--check", "--dry-run"] {
            let done = desk.run(&["run", "Chat.md", mode, decision, "aaaaaaaaa"]);
            assert_eq!(done.code, Some(2), "{mode}: {}{}", done.out, done.err);
        }
    }
}

/// A replay that goes on as a replay would begin again in another note.
#[test]
fn a_call_of_a_replay_that_waits_goes_on_as_one_of_a_conversation() {
    let read = || Response::default().call("vault_read", json!({ "path": "Audit" }));
    let url = "https://example.invalid/?May";
    let fetch = || Response::default().call("fetch", json!({ "url": url }));
    let desk = Desk::new([read(), fetch(), Response::text("In May."), read(), fetch()]);
    assert_eq!(desk.chat(&["Look it up"]).code, Some(1));
    assert_eq!(desk.chat(&["--decline", &waiting(&desk)]).code, Some(0));
    let done = desk.chat(&["--replay", "--model", "writer"]);
    assert_eq!(done.code, Some(1), "{}", done.err);
    let (_, command) = done.err.split_once("To make the call: ").unwrap();
    assert!(command.contains("chat 'Chat (writer).md' --model writer --approve"), "{command}");
    assert!(!command.contains("--replay"), "{command}");
}

/// Without the flags, the command would ask another model, or look for another vault.
#[test]
fn the_command_for_a_call_that_waits_has_the_flags_of_the_one_that_asked() {
    let desk = Desk::new([append(), Response::text("Done.")]);
    let (vault, config) =
        (desk.path("").display().to_string(), desk.config().display().to_string());
    let data = desk.config().with_file_name("the data").display().to_string();
    let flags = ["--model", "writer", "--focus", "full", "--calls", "7"];
    let places = ["--vault", &vault, "--config", &config, "--data-dir", &data];
    let done = desk.chat(&[&["Add it"], &flags[..], &places[..]].concat());
    let (_, command) = done.err.split_once("To make the call: toolwrit ").unwrap();
    let (command, _) = command.split_once(';').unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{} {command}", toolwrit().display())]).stdin(Stdio::null());
    desk.environment(&mut shell);
    for variable in ["TOOLWRIT_CONFIG", "TOOLWRIT_VAULT", "TOOLWRIT_DATA_DIR"] {
        shell.env_remove(variable);
    }
    let done = Done::of(shell.output().unwrap());
    assert_eq!((done.code, done.out.as_str()), (Some(0), "Done.\n"), "{command}: {}", done.err);
    assert_eq!(desk.text("Audit.md").matches("More.").count(), 1);
}

#[test]
fn a_call_that_cannot_be_made_now_goes_on_waiting() {
    let desk = Desk::new([append(), Response::text("Done.")]);
    desk.chat(&["Add it", "--focus", "full"]);
    let (id, text) = (waiting(&desk), desk.text("Chat.md"));
    for flags in [&["--approve", &id][..], &["--approve", &id, "--tools", "vault.read"], &[]] {
        let done = desk.chat(flags);
        assert_eq!(done.code, Some(1), "{}", done.err);
        assert!(done.err.contains("cannot be made"), "{}", done.err);
        assert_eq!(desk.text("Chat.md"), text);
    }
    assert!(desk.chat(&[]).err.contains("--focus"));
    assert_eq!(desk.chat(&["--focus", "full", "--approve", &id]).code, Some(0));
    assert_eq!(desk.text("Audit.md").matches("More.").count(), 1);
}

#[test]
fn an_unknown_call_cannot_be_approved() {
    let desk = Desk::new([]);
    desk.write("Chat.md", "Hello\n");
    desk.write("Board.md", "```toolwrit\ntool: vault.tags\n```\n");
    for command in [["chat", "Chat.md", "--approve"], ["run", "Board.md", "--decline"]] {
        let done = desk.run(&[&command[..], &["aaaaaaaaa"]].concat());
        assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
        assert!(done.err.contains("there is no call aaaaaaaaa in this note"), "{}", done.err);
    }
    assert!(desk.model.requests().is_empty());
    assert!(!desk.text("Board.md").contains("> [!tool|"));
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
