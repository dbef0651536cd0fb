//! Turns from the command line, and what else `chat` does.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::servers::model::Response;
use toolwrit_tests::waiting::{Lines, until};

use crate::chat::desk::{AUDIT, Desk, Done, stable};

#[test]
fn a_model_reads_the_vault_and_answers_in_the_note() {
    let desk = Desk::new([
        Response::text("I'll look.")
            .call("vault_search", json!({ "query": "audit" }))
            .call("vault_read", json!({ "path": "Audit" })),
        Response::text("In May, by [[Audit]]."),
    ]);
    let done = desk.chat(&["When is the audit?"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(0), "I'll look.\nIn May, by [[Audit]].\n"),
        "{}",
        done.err
    );
    let text = desk.text("Chat.md");
    let shown = stable(&text);
    let shown: Vec<&str> = shown.lines().filter(|line| !line.contains("etag")).collect();
    insta::assert_snapshot!(shown.join("\n"));
    let requests = desk.model.requests();
    let results = requests[1]["messages"].to_string();
    assert!(results.contains("The audit is due in May."), "{results}");
    // The calls are in the audit, under the name of the note.
    let audit = desk.run(&["audit", "--note", "Chat.md", "--json"]);
    let names: Vec<Value> = audit
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["operation"].clone())
        .collect();
    assert_eq!(names.len(), 2, "{}", audit.out);
    assert!(names.contains(&json!("vault.read")) && names.contains(&json!("vault.search")));
}

/// A proxy would read the text, and the key where there is one.
#[test]
fn a_model_on_this_machine_is_asked_without_a_proxy() {
    let desk = Desk::new([Response::text("Here.")]);
    let mut command = desk.command(&["chat", "Chat.md", "Hello"]);
    for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(variable, "http://127.0.0.1:9");
    }
    let done = Done::of(command.output().unwrap());
    assert_eq!((done.code, done.out.as_str()), (Some(0), "Here.\n"), "{}", done.err);
}

#[test]
fn nothing_is_changed_without_a_focus_mode_and_models_cannot_converse() {
    let desk = Desk::new([
        Response::default().call("vault_append", json!({ "path": "Audit.md", "content": "x" })),
        Response::text("I cannot."),
    ]);
    let done = desk.chat(&["Append x", "--allow", "vault"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(desk.text("Audit.md"), AUDIT);
    let text = desk.text("Chat.md");
    assert!(text.contains("WRITES_DISABLED") && text.contains("--focus"), "{text}");
    let offered = desk.model.offered();
    assert!(offered.contains(&"vault_read".to_owned()), "{offered:?}");
    let chatty = |name: &&String| name.starts_with("chat") || name.starts_with("note_");
    assert_eq!(offered.iter().find(chatty), None);
}

#[test]
fn refused_calls_are_shown_and_audited() {
    let desk = Desk::new([
        Response::default()
            .call("vault_append", json!({ "path": "Audit.md", "content": "x" }))
            .call("vault_raed", json!({ "path": "Audit.md" })),
        Response::text("I cannot."),
    ]);
    let done = desk.chat(&["Append x"]);
    for part in ["vault_append ..", "WRITES_DISABLED", "vault_raed ..", "TOOL_NOT_FOUND"] {
        assert!(done.err.contains(part), "{part} in {}", done.err);
    }
    let audit = desk.run(&["audit", "--note", "Chat.md", "--json"]).out;
    assert_eq!(audit.lines().count(), 2, "{audit}");
    assert!(audit.contains("WRITES_DISABLED") && audit.contains("TOOL_NOT_FOUND"), "{audit}");
}

#[test]
fn the_name_of_a_tool_stays_on_its_line() {
    let forged = "vault_raed\nok: approved\u{1b}[2J";
    let desk = Desk::new([
        Response::default().call(forged, json!({ "path": "Audit.md" })),
        Response::text("Done."),
    ]);
    let done = desk.chat(&["Read it"]);
    assert!(done.err.contains("vault_raed\\nok: approved\\u{1b}[2J .."), "{}", done.err);
    assert!(!done.err.lines().any(|line| line.starts_with("ok:")), "{}", done.err);
}

#[test]
fn tools_can_be_narrowed_by_flag_configuration_and_note() {
    for (chat, properties, flags) in [
        ("tools = [\"vault.read\"]", "", &[][..]),
        ("", "---\nchat-tools: [vault.read]\n---\n", &[]),
        ("", "", &["--tools", "vault.read"]),
    ] {
        let desk = Desk::with(chat, [Response::text("Yes.")]);
        desk.write("Chat.md", &format!("{properties}Hello\n"));
        assert_eq!(desk.chat(flags).code, Some(0));
        assert_eq!(desk.model.offered(), ["vault_read"]);
    }
}

#[test]
fn the_selectors_of_a_note_are_those_of_the_configuration() {
    let desk = Desk::new([Response::text("Yes.")]);
    desk.write("Chat.md", "---\nchat-tools: [effect:write, vault.read]\n---\nHello\n");
    assert_eq!(desk.chat(&["--focus", "full"]).code, Some(0));
    let offered = desk.model.offered();
    let has = |name: &str| offered.contains(&name.to_owned());
    assert!(has("vault_append") && has("vault_read") && !has("vault_search"), "{offered:?}");
    for tools in ["[nonsense]", "[vault.read, \"tag:nonsense\"]"] {
        desk.write("Chat.md", &format!("---\nstatus: open\nchat-tools: {tools}\n---\nHello\n"));
        let done = desk.chat(&[]);
        assert_eq!(done.code, Some(3), "{}", done.err);
        assert!(done.err.contains("Chat.md:3: `chat-tools`: "), "{}", done.err);
        assert!(done.err.contains("nonsense"), "{}", done.err);
    }
    assert_eq!(desk.model.requests().len(), 1);
}

#[test]
fn a_wrong_selector_shows_only_what_exists_for_the_caller() {
    let desk = Desk::with("role = \"reader\"", [Response::text("Yes.")]);
    for (selector, close) in [
        ("vault.raed", Some("vault.read")),
        ("vault.delete", None),
        ("vault.delte", None),
        ("effect:destroy", None),
        ("chat.send", None),
    ] {
        desk.write("Chat.md", &format!("---\nchat-tools: [\"{selector}\"]\n---\nHello\n"));
        let done = desk.chat(&["--focus", "full"]);
        assert_eq!(done.code, Some(3), "{}", done.err);
        let told = format!("`{selector}` selects no operation");
        assert!(done.err.contains(&told), "{}", done.err);
        assert!(close.is_none_or(|close| done.err.contains(close)), "{}", done.err);
        let hidden = done.err.replace(&told, "");
        assert!(!hidden.contains("vault.delete") && !hidden.contains("append"), "{}", done.err);
    }
    desk.configure(&fs::read_to_string(desk.config()).unwrap().replace("role =", "# role ="));
    desk.write("Chat.md", "---\nchat-tools: [effect:write, vault.read]\n---\nHello\n");
    assert_eq!(desk.chat(&[]).code, Some(0), "what only does not run now may be selected");
    assert_eq!(desk.model.offered(), ["vault_read"]);
}

#[test]
fn only_notes_are_conversations() {
    let desk = Desk::new([]);
    for (file, content) in
        [("Plan.canvas", r#"{"nodes":[],"edges":[]}"#), ("Plan.base", "views: []\n")]
    {
        desk.write(file, content);
        for command in [&["chat", file, "Hello"][..], &["chat", file], &["run", file]] {
            let done = desk.run(command);
            assert_eq!(done.code, Some(1), "{command:?}");
            assert!(done.err.contains("is not a note"), "{}", done.err);
        }
        assert_eq!(desk.text(file), content);
    }
}

#[test]
fn mistakes_are_reported_with_their_place_and_code_3() {
    let desk = Desk::new([]);
    desk.write("Chat.md", "Hello\n```\n");
    let done = desk.chat(&[]);
    assert_eq!(done.code, Some(3));
    assert!(done.err.contains("Chat.md:2: this fence of code is not closed"), "{}", done.err);
    desk.write("Chat.md", "---\nchat-model: other\n---\nHello\n");
    let done = desk.chat(&[]);
    assert_eq!(done.code, Some(3));
    assert!(done.err.contains("there is no model `other`. The models are writer."), "{}", done.err);
    let done = desk.run(&["chat", "Missing.md"]);
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("there is no note Missing.md"), "{}", done.err);
}

#[test]
fn an_answer_that_is_not_complete_fails() {
    let late = || {
        let slow = Response::text("Half").then(|| {
            loop {
                std::thread::park();
            }
        });
        Desk::with("timeout = \"1s\"", [slow.and(" more.")])
    };
    let empty = || Desk::new([Response::text(" \n")]);
    for (desk, reason) in
        [(late(), "the time of the turn is over"), (empty(), "the model gave an empty answer")]
    {
        let done = desk.chat(&["Hello"]);
        assert_eq!(done.code, Some(1), "{}", done.err);
        assert!(done.err.contains(reason), "{}", done.err);
    }
    let done = late().chat(&["Hello", "--json"]);
    assert_eq!(
        (done.code, &done.json()["reason"]),
        (Some(1), &json!("the time of the turn is over"))
    );
}

#[test]
fn what_is_refused_adds_nothing() {
    let desk = Desk::new([]);
    let flags: [&[&str]; 5] = [
        &["--model", "none"],
        &["--focus", "none"],
        &["--allow", "none"],
        &["--list"],
        &["--dry-run"],
    ];
    for flags in flags {
        let done = desk.chat(&[&["Hello"], flags].concat());
        assert!(matches!(done.code, Some(1..=3)), "{flags:?}: {}{}", done.out, done.err);
        assert!(!desk.path("Chat.md").exists(), "{flags:?}");
    }
    desk.write("Chat.md", "Hello\n");
    assert_eq!(desk.chat(&["--replay", "--model", "none"]).code, Some(3));
    assert!(!desk.path("Chat (none).md").exists());
}

#[test]
fn a_model_may_have_settings_of_its_own() {
    let desk = Desk::new([Response::text("One."), Response::text("Two.")]);
    let base = &desk.model.base;
    let model = |name: &str, own: &str| {
        format!(
            "[models.{name}]\ndialect = \"openai\"\nmodel = \"{name}\"\nbase_url = \"{base}\"\n[models.{name}.chat]\n{own}\n\n"
        )
    };
    let config = model("one", "tools = [\"vault.read\"]")
        + &model("two", "")
        + &model("off", "enabled = false");
    desk.configure(&(config + "[chat]\nmodel = \"one\"\ntools = [\"vault.tags\"]\n"));
    assert_eq!(desk.chat(&["Hello"]).code, Some(0));
    assert_eq!(desk.chat(&["Hello", "--model", "two"]).code, Some(0));
    assert_eq!(desk.chat(&["Hello", "--model", "off"]).code, Some(3));
    let requests = desk.model.requests();
    let tools = |at: usize| requests[at]["tools"][0]["function"]["name"].clone();
    assert_eq!((&requests[0]["model"], tools(0)), (&json!("one"), json!("vault_read")));
    assert_eq!((&requests[1]["model"], tools(1)), (&json!("two"), json!("vault_tags")));
    assert_eq!(requests.len(), 2);
}

#[test]
fn wrong_tables_are_reported_with_their_place() {
    let desk = Desk::new([]);
    desk.configure("[models.a]\ndialect = \"x\"\nmodel = \"m\"\n[chat]\ncals = 3\ntimeout = 3\n[models.a.chat]\nb = 1\n");
    let done = desk.chat(&["Hello"]);
    assert_eq!(done.code, Some(3));
    for part in [
        "config.toml:2:11: `x` is not a dialect",
        "config.toml:5:1: unknown field `cals`",
        "config.toml:6:11: ",
        "config.toml:8:1: unknown field `b`",
    ] {
        assert!(done.err.contains(part), "{}", done.err);
    }
    desk.configure("[chat]\nenabled = false\n");
    let done = desk.chat(&["Hello"]);
    assert_eq!(done.code, Some(3));
    assert!(done.err.contains("switched off"), "{}", done.err);
}

#[test]
fn the_request_the_tools_and_the_status_are_shown() {
    let desk = Desk::new([]);
    desk.write("Chat.md", "Hello\n");
    let request = desk.chat(&["--dry-run", "--tools", "vault.read"]).json();
    assert_eq!(request["messages"], json!([{ "role": "user", "content": "Hello" }]));
    let tools = desk.chat(&["--list", "--tools", "vault.read"]).json();
    assert_eq!(tools[0]["function"]["name"], "vault_read");
    let status = desk.chat(&["--status", "--json"]).json();
    assert_eq!(status, json!({ "note": "Chat.md", "state": "waits", "answers": 0, "calls": 0 }));
    let done = desk.chat(&["A text that would be lost", "--status"]);
    assert_eq!(done.code, Some(2), "{}", done.err);
    assert_eq!(desk.text("Chat.md"), "Hello\n");
}

#[test]
fn answers_are_made_again_and_conversations_replayed() {
    let append = || {
        Response::default().call("vault_append", json!({ "path": "Audit.md", "content": "More." }))
    };
    let desk = Desk::new([
        append(),
        Response::text("First."),
        Response::text("Second."),
        append(),
        Response::text("Replayed."),
    ]);
    let flags = ["--focus", "full", "--allow", "vault.append"];
    assert_eq!(desk.chat(&[&["Append"], &flags[..]].concat()).code, Some(0));
    assert_eq!(desk.chat(&["--retry"]).code, Some(0));
    let text = desk.text("Chat.md");
    assert!(text.contains("Second.") && !text.contains("First."), "{text}");
    let appended = desk.text("Audit.md");
    assert_eq!(appended.matches("More.").count(), 1);
    let done = desk.chat(&[&["--replay", "--model", "writer"], &flags[..]].concat());
    assert_eq!(
        (done.code, done.out.as_str()),
        (Some(0), "Chat (writer).md: answered\n"),
        "{}",
        done.err
    );
    assert!(desk.text("Chat (writer).md").contains("Replayed."));
    assert_eq!(desk.text("Audit.md"), appended);
}

#[test]
fn older_conversations_are_converted() {
    let desk = Desk::new([]);
    desk.write("Chat.md", "#user\nHello\n#assistant\nHi.\n");
    let done = desk.chat(&["--convert"]);
    assert_eq!((done.code, done.out.as_str()), (Some(0), "2 places converted\n"));
    let text = desk.text("Chat.md");
    assert!(text.contains("> [!assistant|") && text.contains("> Hi."), "{text}");
}

#[test]
fn long_results_go_to_a_note() {
    let desk = Desk::with(
        "results = \"results\"\nresult_bytes = 500",
        [
            Response::default().call("vault_read", json!({ "path": "Long" })),
            Response::text("Long."),
        ],
    );
    desk.write("Long.md", &"word ".repeat(1000));
    assert_eq!(desk.chat(&["Read it"]).code, Some(0));
    let results = std::fs::read_dir(desk.path("results")).unwrap().count();
    assert_eq!(results, 1);
    assert!(desk.text("Chat.md").contains("\"note\":\"results/"));
}

#[test]
fn watched_notes_are_answered_at_send() {
    let desk = Desk::new([Response::text("Here.")]);
    desk.write("Chat.md", "Hello\n");
    let mut watching = desk.command(&["chat", "--watch", "Chat.md"]).spawn().unwrap();
    desk.write("Chat.md", "Hello\n\n/send\n");
    until("the answer", || {
        let text = desk.text("Chat.md");
        text.contains("> Here.") && !text.contains("/send")
    });
    watching.kill().unwrap();
    watching.wait().unwrap();
}

#[test]
fn a_note_that_does_not_exist_is_made_and_watched() {
    let desk = Desk::new([Response::text("Here.")]);
    let mut watching = desk.command(&["chat", "--watch", "Chats/New"]).spawn().unwrap();
    until("the note", || desk.path("Chats/New.md").is_file());
    desk.write("Chats/New.md", "Hello\n\n/send\n");
    until("the answer", || desk.text("Chats/New.md").contains("> Here."));
    watching.kill().unwrap();
    watching.wait().unwrap();
}

#[test]
fn a_note_that_goes_ends_no_watch_and_is_watched_again_when_it_comes() {
    let desk = Desk::new([Response::text("Here."), Response::text("There.")]);
    desk.write("A.md", "Hello\n");
    desk.write("B.md", "Hello\n");
    let mut watching = desk.command(&["chat", "--watch", "A.md", "B.md"]).spawn().unwrap();
    let mut news = Lines::of(watching.stderr.take().unwrap());
    news.find("Waiting for /send");
    news.find("Waiting for /send");
    std::fs::rename(desk.path("A.md"), desk.path("A.md~")).unwrap();
    news.find("A.md: there is no note A.md");
    desk.write("B.md", "Hello\n\n/send\n");
    news.find("B.md: answered");
    desk.write("A.md", "Hello again\n\n/send\n");
    news.find("A.md: answered");
    watching.kill().unwrap();
    watching.wait().unwrap();
}

#[test]
fn doctor_tries_each_model() {
    let desk = Desk::new([Response::text("OK")]);
    let done = desk.run(&["doctor", "--json"]);
    let checks = serde_json::from_str::<Value>(&done.out).unwrap();
    let found =
        checks["checks"].as_array().unwrap().iter().find(|one| one["check"] == "model writer");
    assert_eq!(found.unwrap()["status"], "ok", "{}", done.out);
}

#[test]
fn doctor_finds_names_that_conversations_cannot_have() {
    let names = "model = \"zzz\"\nfocus = \"nope\"\nrole = \"king\"\ntools = [\"bogus\"]";
    let desk = Desk::with(names, [Response::text("OK")]);
    let done = desk.run(&["doctor", "--json"]);
    let checks = serde_json::from_str::<Value>(&done.out).unwrap();
    let checks = checks["checks"].as_array().unwrap().iter();
    let found: Vec<String> = checks
        .filter(|one| one["check"] == "table [chat]")
        .map(|one| one["message"].to_string())
        .collect();
    for name in ["zzz", "nope", "king", "bogus"] {
        assert!(found.iter().any(|message| message.contains(name)), "{name} in {found:?}");
    }
}
