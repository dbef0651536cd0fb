//! Daily notes.

use toolwrit_plugins::daily::{Daily, DailyError, DailyState, Day, IfAbsent, daily};

use super::{Notes, now};

fn today(notes: &Notes, day: &Day) -> Result<Daily, DailyError> {
    daily(&notes.vault, day, &now(), IfAbsent::Create, &|| false)
}

#[test]
fn a_daily_note_is_created_once_by_the_plugin_s_settings() {
    let notes = Notes::new(&[
        (
            ".obsidian/daily-notes.json",
            r#"{"folder": "Log/Daily/", "format": "YYYY/MM/YYYY-MM-DD", "template": "Templates/Day"}"#,
        ),
        ("Templates/Day.md", "# {{title}}\n{{date:dddd}} <% tp.file.title %>\n"),
    ]);
    let first = today(&notes, &Day::Today).unwrap();
    assert_eq!(first.path.as_str(), "Log/Daily/2026/03/2026-03-09.md");
    assert_eq!(first.date, "2026-03-09");
    assert!(matches!(first.state, DailyState::Created(_)), "{first:?}");
    assert_eq!(first.content, "# 2026-03-09\nMonday <% tp.file.title %>\n");
    notes.put("Log/Daily/2026/03/2026-03-09.md", "mine");
    let second = today(&notes, &Day::Date("2026-03-09".to_owned())).unwrap();
    assert_eq!(second.content, "mine");
    assert!(matches!(second.state, DailyState::Found(_)), "{second:?}");
}

#[test]
fn templater_runs_in_daily_notes_if_it_runs_in_new_notes() {
    let notes = Notes::new(&[
        (
            ".obsidian/plugins/templater/data.json",
            r#"{"templates_folder": "Templates", "trigger_on_file_creation": true}"#,
        ),
        (".obsidian/daily-notes.json", r#"{"template": "Templates/Day.md"}"#),
        ("Templates/Day.md", "{{date}} <% tp.file.title %> <% tp.date.now('HH') %>"),
    ]);
    let done = today(&notes, &Day::Tomorrow).unwrap();
    assert_eq!(done.path.as_str(), "2026-03-10.md");
    assert_eq!(done.content, "2026-03-10 2026-03-10 14");
    assert_eq!(today(&notes, &Day::Yesterday).unwrap().date, "2026-03-08");
}

#[test]
fn a_preview_writes_nothing() {
    let notes = Notes::new(&[
        (".obsidian/daily-notes.json", r#"{"template": "Templates/Day"}"#),
        ("Templates/Day.md", "{{title}}"),
    ]);
    let shown = daily(&notes.vault, &Day::Today, &now(), IfAbsent::Preview, &|| false).unwrap();
    assert_eq!((shown.content.as_str(), shown.state), ("2026-03-09", DailyState::Absent));
    assert_eq!(notes.text("2026-03-09.md"), None);
}

#[test]
fn without_settings_daily_notes_are_empty_and_at_the_root() {
    let notes = Notes::new(&[]);
    let done = today(&notes, &Day::Date("2024-02-29".to_owned())).unwrap();
    assert_eq!((done.path.as_str(), done.content.as_str()), ("2024-02-29.md", ""));
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let notes = Notes::new(&[]);
    let error = today(&notes, &Day::Date("2026-02-30".to_owned())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`2026-02-30` is not a valid date; expected one such as 2026-03-09"
    );
    notes.put(".obsidian/daily-notes.json", r#"{"template": "Templates/Missing"}"#);
    assert!(matches!(today(&notes, &Day::Today), Err(DailyError::Vault(_))));
    assert_eq!(notes.text("2026-03-09.md"), None);
    notes.put(".obsidian/daily-notes.json", "[");
    let error = today(&notes, &Day::Today).unwrap_err().to_string();
    assert!(error.contains(".obsidian/daily-notes.json"), "{error}");
    notes.put(".obsidian/daily-notes.json", r#"{"format": "[..]/YYYY"}"#);
    today(&notes, &Day::Today).unwrap_err();
}
