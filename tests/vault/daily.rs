//! `vault.daily`.

use jiff::Zoned;
use serde_json::{Value, json};

use crate::vault::Session;

/// Daily notes with a folder, a format and a template.
const FILES: [(&str, &[u8]); 2] = [
    (
        ".obsidian/daily-notes.json",
        br#"{"folder": "Log", "format": "YYYY/DD.MM.YYYY", "template": "Forms/Day"}"#,
    ),
    ("Forms/Day.md", b"# {{title}}, a {{date:dddd}}\n"),
];

#[test]
fn the_daily_note_is_created_once_by_the_settings() {
    let mut vault = Session::with(&FILES);
    let first = vault.call("daily", json!({"date": "2026-03-09"})).ok();
    assert_eq!(first["path"], "Log/2026/09.03.2026.md");
    assert_eq!((&first["outcome"], &first["date"]), (&json!("created"), &json!("2026-03-09")));
    assert_eq!(first["content"], "# 09.03.2026, a Monday\n");
    assert_eq!(vault.bytes("Log/2026/09.03.2026.md"), b"# 09.03.2026, a Monday\n");
    let second = vault.call("daily", json!({"date": "2026-03-09"})).ok();
    assert_eq!((&second["outcome"], &second["etag"]), (&json!("found"), &first["etag"]));
    let changed = json!({"path": first["path"], "content": "- tea", "if_match": second["etag"]});
    vault.call("append", changed).ok();
    let third = vault.call("daily", json!({"date": "2026-03-09"})).ok();
    assert_eq!(third["content"], "# 09.03.2026, a Monday\n- tea");
}

#[test]
fn days_are_named_by_words_and_today_is_the_usual_one() {
    assert_eq!(outcomes_of_words(), ["created", "created", "created", "found"]);
}

/// Asks for today, yesterday and tomorrow, and then for no day. Midnight may come between these, so it asks on one day.
fn outcomes_of_words() -> [Value; 4] {
    let words = ["today", "yesterday", "tomorrow"].map(|day| json!({ "date": day }));
    let [today, yesterday, tomorrow] = words;
    loop {
        let mut vault = Session::with(&FILES);
        let begun = Zoned::now().date();
        let asked = [&today, &yesterday, &tomorrow, &json!({})];
        let outcomes = asked.map(|day| vault.call("daily", day.clone()).ok()["outcome"].take());
        if Zoned::now().date() == begun {
            return outcomes;
        }
    }
}

#[test]
fn a_dry_run_shows_the_note_and_writes_nothing() {
    let mut vault = Session::with(&FILES);
    let arguments = json!({"date": "2026-03-09", "dry_run": true});
    let shown = vault.call("daily", arguments.clone()).ok();
    assert_eq!(shown["outcome"], "would_create");
    assert_eq!(shown["content"], "# 09.03.2026, a Monday\n");
    assert_eq!(shown["etag"], Value::Null);
    assert!(!vault.exists("Log"));
    vault.call("daily", json!({"date": "2026-03-09"})).ok();
    assert_eq!(vault.call("daily", arguments).ok()["outcome"], "found");
}

#[test]
fn what_is_no_day_no_setting_or_no_template_is_refused() {
    let mut vault = Session::with(&[]);
    for date in ["soon", "2026-02-30"] {
        let error = vault.call("daily", json!({ "date": date })).error();
        assert_eq!(
            (&error["code"], &error["path"]),
            (&json!("VALIDATION_ERROR"), &json!("/date")),
            "{error}"
        );
    }
    for (settings, code, named) in [
        ("{", "VALIDATION_ERROR", ".obsidian/daily-notes.json"),
        (r#"{"template": "Forms/Day"}"#, "NOT_FOUND", "Forms/Day"),
        (r#"{"folder": "../out"}"#, "INVALID_PATH", ".."),
    ] {
        let mut vault = Session::with(&[(".obsidian/daily-notes.json", settings.as_bytes())]);
        let error = vault.call("daily", json!({"date": "2026-03-09"})).error();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().unwrap().contains(named), "{error}");
        assert!(!vault.exists("2026-03-09.md"));
    }
}

const PERIODIC: [(&str, &[u8]); 3] = [
    (".obsidian/community-plugins.json", br#"["periodic-notes"]"#),
    (".obsidian/plugins/periodic-notes/manifest.json", br#"{"id": "periodic-notes"}"#),
    (
        ".obsidian/plugins/periodic-notes/data.json",
        br#"{"weekly": {"enabled": true, "folder": "Weeks"}}"#,
    ),
];

#[test]
fn notes_of_other_periods_need_periodic_notes() {
    let mut vault = Session::with(&PERIODIC);
    let arguments = json!({"period": "week", "date": "2026-03-09"});
    let week = vault.call("daily", arguments.clone()).ok();
    assert_eq!((&week["path"], &week["date"]), (&json!("Weeks/2026-W11.md"), &json!("2026-03-08")));
    let again = vault.client.call("vault.periodic", &arguments).ok();
    assert_eq!(again["outcome"], "found");
    let error = vault.call("daily", json!({"period": "month"})).error();
    assert_eq!(error["code"], "PROVIDER_UNAVAILABLE");
    assert!(error["message"].as_str().unwrap().contains("`Monthly Notes`"), "{error}");
}
