//! Models and notes that are made to harm: the server serves others meanwhile, its memory stays within its limit, and nothing
//! acts in a note.

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::memory::peak;
use toolwrit_tests::servers::model::Response;

use crate::chat::desk::Desk;
use crate::chat::over_mcp::client;

/// The memory limit of the server.
const MEMORY: u64 = 300 << 20;

/// An event with a call of this number.
fn called(number: u64, argument: &str) -> String {
    let function =
        json!({ "name": "vault_read", "arguments": json!({ "path": argument }).to_string() });
    let call = json!({ "index": number, "id": format!("call_{number}"), "type": "function", "function": function });
    let choice = json!({ "index": 0, "delta": { "tool_calls": [call] }, "finish_reason": null });
    format!("data: {}\n\n", json!({ "choices": [choice] }))
}

#[test]
fn a_server_outlives_the_answers_of_its_models() {
    let large = |bytes: usize| "x".repeat(bytes);
    let nested = format!("data: {{\"choices\":{}\n\n", "[".repeat(100_000));
    let words = |text: &str| {
        let choice = json!({ "index": 0, "delta": { "content": text }, "finish_reason": null });
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let answers = [
        called(4_000_000_000, "Audit.md"),
        format!("data: {}", large(16 << 20)),
        (0..40).map(|number| called(number, &large(1 << 20))).collect(),
        words(&large(1 << 20)).repeat(20),
        words("x").repeat(200_000),
        ": ping\n\n".repeat(2_000_000),
        nested,
        "\u{0}".repeat(1 << 20),
    ];
    let desk = Desk::with("retries = 0", answers.clone().map(Response::raw));
    let mut client = client(&desk, Era::Initialize);
    for at in 0..answers.len() {
        let note = format!("Chat {at}.md");
        let answer = client.call("chat_send", &json!({ "note": note, "text": "What?" })).ok();
        assert_eq!(answer["outcome"], "failed", "{at}: {answer}");
        let read = client.call("vault_read", &json!({ "path": "Audit.md" }));
        assert!(!read.is_error(), "{at}: {}", read.text());
    }
    assert!(peak(client.pid()).is_none_or(|peak| peak < MEMORY), "{:?}", peak(client.pid()));
}

#[test]
fn blocks_that_are_hard_to_parse_are_refused() {
    let desk = Desk::new([]);
    let blocks = [
        "[".repeat(20_000),
        "{a: ".repeat(20_000),
        format!("tool: vault.read\npath: {}", "[".repeat(200_000)),
        format!("a: &a [x]\n{}", "b: *a\n".repeat(5_000)),
        "- ".repeat(50_000),
    ];
    let mut client = client(&desk, Era::Initialize);
    for block in blocks {
        desk.write("Board.md", &format!("```toolwrit\n{block}\n```\n"));
        let ran = client.call("note_run", &json!({ "note": "Board.md" }));
        let is_refused = ran.is_error() || ran.json()["blocks"][0]["outcome"] == "VALIDATION_ERROR";
        assert!(is_refused, "{:.40}: {}", block, ran.text());
        desk.write("Chat.md", &format!("---\nchat-tools: {block}\n---\nWhat?\n"));
        let sent = client.call("chat_send", &json!({ "note": "Chat.md" }));
        let is_refused = sent.is_error() || sent.json()["outcome"] == "failed";
        assert!(is_refused, "{:.40}: {}", block, sent.text());
    }
    assert!(peak(client.pid()).is_none_or(|peak| peak < MEMORY), "{:?}", peak(client.pid()));
}

/// What a renderer of CommonMark would load.
fn loaded(note: &str) -> Vec<String> {
    let events = Parser::new_ext(note, Options::ENABLE_TABLES);
    let acting = events.filter_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Some(html.to_string()),
        Event::Start(Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    acting.collect()
}

#[test]
fn an_answer_does_nothing_by_standing_in_a_note() {
    let attacks = [
        "\\![a](https://evil.example/2.png)",
        "\\<img src=https://evil.example/3>",
        "<details>\n<img src=https://evil.example/4>",
        "| a |\n|---|\n| `x | ![c](https://evil.example/5.png)` |",
    ];
    for attack in attacks {
        // The pieces of an answer end anywhere.
        let pieces: Vec<char> = attack.chars().collect();
        let response =
            pieces.iter().fold(Response::text(""), |answer, c| answer.and(&c.to_string()));
        let desk = Desk::new([response]);
        let done = desk.chat(&["What?"]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        let note = desk.text("Chat.md");
        assert_eq!(loaded(&note), Vec::<String>::new(), "{note}");
    }
}
