//! The same conversation with every provider.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::requirement::{Need, met};

use crate::chat::desk::{AUDIT, Desk};
use crate::chat::providers::{DIALECTS, Providers, vendors};

const CHAT: &str = "[chat]\nfocus = \"full\"\nallow = [\"vault\"]\nretries = 0\n";

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "name": tool, "arguments": arguments.to_string() })
}

fn append() -> Value {
    call("vault_append", &json!({ "path": "Audit.md", "content": "\nSeen." }))
}

/// The note without what differs from run to run and from provider to provider: ids, times and tokens.
fn comparable(note: &str) -> String {
    let mut ids: Vec<&str> = Vec::new();
    for line in note.lines().filter(|line| line.starts_with("> [!")) {
        ids.extend(line.split_once('|').map(|(_, rest)| &rest[..9]));
    }
    let mut text = String::new();
    for line in note.lines().filter(|line| !line.contains("etag")) {
        let state = line.split(", ").next().unwrap_or_default();
        let kept = match line.split_once("` · ") {
            Some((before, _)) if line.starts_with("> [!assistant") => before,
            _ if line.starts_with("> [!") => state,
            _ => line,
        };
        text.push_str(kept);
        text.push('\n');
    }
    for (number, id) in ids.iter().enumerate() {
        text = text.replace(id, &number.to_string());
    }
    text
}

#[test]
fn the_same_conversation_goes_with_every_provider() {
    let search = call("vault_search", &json!({ "query": "audit" }));
    let read = call("vault_read", &json!({ "path": "Audit" }));
    let Some(providers) = Providers::new(&[
        json!({
            "match": { "userMessage": "audit", "toolResultContains": "created" },
            "response": { "content": "In May, by [[Audit]]. I noted it." },
        }),
        json!({
            "match": { "userMessage": "audit", "hasToolResult": true },
            "response": { "toolCalls": [append()] },
        }),
        json!({
            "match": { "userMessage": "audit" },
            "response": { "content": "I'll look.", "toolCalls": [search, read] },
        }),
        json!({ "match": { "userMessage": "Thanks" }, "response": { "content": "With pleasure." } }),
    ]) else {
        return;
    };
    let mut first = None;
    let mut sent = String::new();
    for (dialect, path) in DIALECTS {
        let desk = Desk::new([]);
        desk.configure(&(providers.config(dialect, path) + CHAT));
        let done = desk.chat(&["When is the audit?"]);
        assert_eq!(done.code, Some(0), "{dialect}: {}\n{}", done.err, desk.text("Chat.md"));
        assert_eq!(done.out, "I'll look.\nIn May, by [[Audit]]. I noted it.\n", "{dialect}");
        let done = desk.chat(&["Thanks"]);
        assert_eq!((done.code, done.out.as_str()), (Some(0), "With pleasure.\n"), "{dialect}");
        assert_eq!(desk.text("Audit.md"), format!("{AUDIT}\nSeen."), "{dialect}");
        let note = comparable(&desk.text("Chat.md"));
        assert_eq!(&note, first.get_or_insert(note.clone()), "{dialect}");
        // Ollama is asked about its model, too, because these requests are long.
        let mut requests = providers.take();
        requests.retain(|request| request != &json!({ "model": request["model"] }));
        assert_eq!(requests.len(), 4, "{dialect}");
        for request in requests {
            let _ = writeln!(sent, "{}", json!({ "kind": dialect, "request": request }));
        }
    }
    checked_by_vendors(&sent);
}

/// What was sent is valid by the types that providers publish.
fn checked_by_vendors(requests: &str) {
    let python = vendors(".venv/bin/python");
    if !met(&[Need::File(&python)], "server/chat/tests/vendors/install") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("requests.jsonl");
    std::fs::write(&file, requests).unwrap();
    let checked = Command::new(python).arg(vendors("check.py")).arg(file).output().unwrap();
    let shown = String::from_utf8_lossy(&checked.stdout).into_owned()
        + &String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{shown}");
    assert_eq!(shown.matches(" ok\n").count(), requests.lines().count(), "{shown}");
}

/// Streams that are torn after each of their chunks. The last one is whole.
#[test]
fn nothing_is_called_of_a_torn_stream() {
    const MOST: usize = 24;
    let torn = |chunks: usize| {
        json!({
            "match": { "userMessage": format!("Add it, {chunks} chunks") },
            "response": { "content": "I'll add it.", "toolCalls": [append()] },
            "truncateAfterChunks": chunks, "latency": 1, "chunkSize": 8,
        })
    };
    let added = json!({ "match": { "hasToolResult": true }, "response": { "content": "Added." } });
    let fixtures: Vec<Value> = std::iter::once(added).chain((1..=MOST).map(torn)).collect();
    let Some(providers) = Providers::new(&fixtures) else { return };
    for (dialect, path) in &DIALECTS[..5] {
        let desk = Desk::new([]);
        desk.configure(&(providers.config(dialect, path) + CHAT));
        let whole = (1..=MOST).find(|chunks| {
            let note = format!("{chunks}.md");
            let done = desk.run(&["chat", &note, &format!("Add it, {chunks} chunks")]);
            let (text, audit) = (desk.text(&note), desk.text("Audit.md"));
            if done.code != Some(0) {
                assert_eq!(done.code, Some(1), "{dialect} after {chunks}: {}", done.err);
                assert!(text.contains("· UPSTREAM_ERROR"), "{dialect} after {chunks}: {text}");
                assert_eq!(audit, AUDIT, "{dialect} after {chunks}: {text}");
            }
            done.code == Some(0)
        });
        assert!(whole.is_some_and(|chunks| chunks > 2), "{dialect}: {whole:?}");
        assert_eq!(desk.text("Audit.md"), format!("{AUDIT}\nSeen."), "{dialect}");
    }
}
