//! Turns: rounds, wrong calls, links, replays, and results that are used again.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolwrit_chat::conversation::{Decision, Ended, ReadTool, TurnOptions, replay, wait_for_send};
use toolwrit_chat::format::Document;
use toolwrit_chat::notebook::Notebook;
use toolwrit_chat::provider::{Message, Script};

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
    let edits = read().then_do(move || {
        let notebook = Arc::clone(&notebook);
        async move {
            notebook.edit(NOTE, |text| {
                text.replace("{\"tool\":\"vault.read\"", "{\"tool\":\"edited\"")
            });
        }
    });
    let (_, model) = desk.turn([read(), edits, Script::new().text("Done.")]).await;
    assert_eq!(desk.tools.made().len(), 1, "the note was read before the edit");
    assert!(format!("{:?}", model.requests()[2].messages).contains("edited"));
    desk.notebook.edit(NOTE, |text| text.to_owned() + "Again.\n");
    desk.turn([read(), Script::new().text("Done.")]).await;
    assert_eq!(desk.tools.made().len(), 2, "another turn reads again");
    let desk = Desk::with(ASK);
    let notebook = Arc::clone(&desk.notebook);
    let edits = call(Script::new(), "vault_search", "b").then_do(move || {
        notebook
            .edit(NOTE, |text| text.replace("{\"tool\":\"vault.read\"", "{\"tool\":\"edited\""));
        async {}
    });
    desk.turn([read(), edits, read(), Script::new().text("Done.")]).await;
    assert_eq!(desk.tools.made().len(), 3, "{}", desk.text());
}

#[tokio::test(start_paused = true)]
async fn a_result_is_not_used_again_under_another_authority() {
    let desk = Desk::with(ASK);
    let tools = Arc::clone(&desk.tools);
    let read = || call(Script::new(), "vault_read", "a");
    let replaced = read().then_do(move || {
        "another role".clone_into(&mut tools.identity.lock().unwrap());
        async {}
    });
    desk.turn([read(), replaced, read(), Script::new().text("Done.")]).await;
    assert_eq!(desk.tools.made().len(), 2, "{}", desk.text());
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
async fn a_watched_note_is_sent_by_a_line() {
    let desk = Desk::with("Hello\n/send later\n");
    let cancellation = CancellationToken::new();
    let notebook: Arc<dyn Notebook> = Arc::clone(&desk.notebook) as Arc<dyn Notebook>;
    let later = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        desk.notebook.edit(NOTE, |text| text.to_owned() + "/send\n");
    };
    let (found, ()) = tokio::join!(wait_for_send(notebook, NOTE, &cancellation), later);
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

#[tokio::test(start_paused = true)]
async fn a_replay_asks_only_before_what_the_note_lacks_reaches_out() {
    let mut desk = Desk::with(ASK);
    desk.consent = Person::who(Decision::Approve);
    let read = || call(Script::new(), "vault_read", "a");
    let fetch = |url| call(Script::new(), "web_fetch", url);
    let done = || Script::new().text("Done.");
    desk.turn([read(), fetch("https://a.example"), done()]).await;
    let text = desk.text();
    let earlier = replay(&Document::parse(&text));
    let mut again = Desk::with(ASK);
    let person = Person::who(Decision::Decline);
    again.consent = person.clone();
    let within = json!({ "tool": "web.fetch", "args": { "path": "https://c.example" } });
    let batch = json!({ "calls": [within] });
    let model = Arc::new(toolwrit_chat::provider::ScriptedModel::new([
        read(),
        fetch("https://a.example"),
        fetch("https://b.example"),
        Script::new().call("system_batch_get", batch),
        done(),
    ]));
    let tools = toolwrit_chat::conversation::ReplayTools::new(
        desk.tools.clone(),
        &earlier,
        CancellationToken::new(),
    );
    let mut conversation = again.conversation_with(model, Arc::new(tools));
    let ended = conversation.turn(TurnOptions::default()).await.unwrap();
    assert_eq!((ended, desk.tools.made().len()), (Ended::Answered, 2), "{}", again.text());
    let asked = person.asked.lock().unwrap();
    let asked: Vec<&str> =
        asked.iter().map(|question| question.calls[0].arguments.as_str()).collect();
    assert_eq!(asked, ["{\"path\":\"https://b.example\"}", "{\"path\":\"https://c.example\"}"]);
}
