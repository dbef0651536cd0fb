//! Daily and other periodic notes.

use toolwrit_plugins::periodic::{
    Day, IfAbsent, NoteState, Period, PeriodicError, PeriodicNote, periodic_note,
};

use super::{Notes, now};

fn today(notes: &Notes, day: &Day) -> Result<PeriodicNote, PeriodicError> {
    find(notes, Period::Day, day)
}

fn find(notes: &Notes, period: Period, day: &Day) -> Result<PeriodicNote, PeriodicError> {
    periodic_note(&notes.vault, (period, day), &now(), IfAbsent::Create, &|| false)
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
    assert!(matches!(first.state, NoteState::Created(_)), "{first:?}");
    assert_eq!(first.content, "# 2026-03-09\nMonday <% tp.file.title %>\n");
    notes.put("Log/Daily/2026/03/2026-03-09.md", "mine");
    let second = today(&notes, &Day::Date("2026-03-09".to_owned())).unwrap();
    assert_eq!(second.content, "mine");
    assert!(matches!(second.state, NoteState::Found(_)), "{second:?}");
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
    let shown =
        periodic_note(&notes.vault, (Period::Day, &Day::Today), &now(), IfAbsent::Preview, &|| {
            false
        })
        .unwrap();
    assert_eq!((shown.content.as_str(), shown.state), ("2026-03-09", NoteState::Absent));
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
    assert!(matches!(today(&notes, &Day::Today), Err(PeriodicError::Vault(_))));
    assert_eq!(notes.text("2026-03-09.md"), None);
    notes.put(".obsidian/daily-notes.json", "[");
    let error = today(&notes, &Day::Today).unwrap_err().to_string();
    assert!(error.contains(".obsidian/daily-notes.json"), "{error}");
    notes.put(".obsidian/daily-notes.json", r#"{"format": "[..]/YYYY"}"#);
    today(&notes, &Day::Today).unwrap_err();
}

const RELEASED: &str = r#"{
    "daily": {"enabled": true, "folder": "D"},
    "weekly": {"enabled": true, "format": "", "folder": "W", "template": "Templates/Week"},
    "monthly": {"enabled": false},
    "quarterly": {"enabled": true}}"#;
const BETA: &str = r#"{"activeCalendarSet": "b", "calendarSets": [
    {"id": "a", "week": {"enabled": true, "folder": "no"}},
    {"id": "b", "week": {"enabled": true, "folder": "W", "templatePath": "Templates/Week.md"},
        "month": {"enabled": true, "format": "YYYY/MMMM"}, "year": {"enabled": false}}]}"#;

/// A vault with the plugin Periodic Notes and these settings of it.
fn with_periods(settings: &str, files: &[(&str, &str)]) -> Notes {
    let notes = Notes::new(files);
    notes.put(".obsidian/community-plugins.json", r#"["periodic-notes", "calendar"]"#);
    let plugin = ".obsidian/plugins/periodic-notes";
    notes.put(&format!("{plugin}/manifest.json"), r#"{"id": "periodic-notes"}"#);
    notes.put(&format!("{plugin}/data.json"), settings);
    notes
}

#[test]
fn notes_of_other_periods_are_those_of_periodic_notes() {
    let week = ("Templates/Week.md", "{{title}} {{sunday:DD}} {{Monday:MM-DD}} {{date}}");
    for settings in [RELEASED, BETA] {
        let notes = with_periods(settings, &[week]);
        let note = |period, day: &str| {
            find(&notes, period, &Day::from(day)).map(|note| note.path.to_string())
        };
        let weekly = find(&notes, Period::Week, &Day::Today).unwrap();
        assert_eq!((weekly.path.as_str(), weekly.date.as_str()), ("W/2026-W11.md", "2026-03-08"));
        assert_eq!(weekly.content, "2026-W11 08 03-09 2026-W11");
        assert_eq!(note(Period::Week, "previous").unwrap(), "W/2026-W10.md");
        assert_eq!(note(Period::Week, "next").unwrap(), "W/2026-W12.md");
        assert_eq!(note(Period::Week, "2025-12-31").unwrap(), "W/2026-W01.md");
        if settings == RELEASED {
            assert_eq!(note(Period::Day, "tomorrow").unwrap(), "D/2026-03-10.md");
            assert_eq!(note(Period::Quarter, "previous").unwrap(), "2025-Q4.md");
            let off = note(Period::Month, "today").unwrap_err();
            assert!(off.to_string().contains("`Monthly Notes`"), "{off}");
        } else {
            assert_eq!(note(Period::Day, "previous").unwrap(), "2026-03-08.md");
            assert_eq!(note(Period::Month, "next").unwrap(), "2026/April.md");
            assert!(matches!(note(Period::Year, "today"), Err(PeriodicError::Off(_))));
        }
    }
    let off = find(&Notes::new(&[]), Period::Week, &Day::Today).unwrap_err();
    assert!(off.to_string().contains("Periodic Notes"), "{off}");
}

/// The expected weeks are those of moment.js 2.30 after `updateLocale("en", {week: {dow}})`.
#[test]
fn weeks_begin_where_the_settings_say() {
    let weekly = r#"{"weekly": {"enabled": true}}"#;
    for (first, day, name) in [
        ("sunday", "2026-03-08", "2026-W11"),
        ("monday", "2026-03-08", "2026-W10"),
        ("monday", "2026-03-09", "2026-W11"),
        ("monday", "2023-01-01", "2022-W53"),
        ("monday", "2023-01-02", "2023-W01"),
        ("saturday", "2026-03-06", "2026-W09"),
        ("locale", "2026-03-08", "2026-W11"),
    ] {
        let calendar = ".obsidian/plugins/calendar";
        let saved = format!(r#"{{"weekStart": "{first}"}}"#);
        for place in [format!("{calendar}/data.json"), ".obsidian/app.json".to_owned()] {
            let notes = with_periods(weekly, &[]);
            notes.put(&format!("{calendar}/manifest.json"), r#"{"id": "calendar"}"#);
            notes.put(&place, &saved);
            let note = find(&notes, Period::Week, &Day::from(day)).unwrap();
            assert_eq!(note.path.as_str(), format!("{name}.md"), "{first} {day}");
        }
    }
}

#[test]
fn templates_have_dates_that_are_moved() {
    for (template, text) in [
        ("{{date+1d:YYYY-MM-DD}}", "2026-03-10"),
        ("{{ date -1w : DD.MM. }}", "02.03."),
        ("{{month-1m:MMMM}} {{year+1y:YYYY}}", "February 2027"),
        ("{{quarter+1q:[Q]Q}}", "Q2"),
        ("{{yesterday}} {{tomorrow:DD}}", "2026-03-08 10"),
        ("{{sunday:DD}} {{SATURDAY:DD}}", "08 14"),
        ("{{time}} {{time+1h:HH}} {{date:dddd}}", "14:05 15 Monday"),
        ("{{date+1x:DD}} {{monday}} {{date+d}}", "{{date+1x:DD}} {{monday}} {{date+d}}"),
    ] {
        let notes = Notes::new(&[
            (".obsidian/daily-notes.json", r#"{"template": "Templates/Day"}"#),
            ("Templates/Day.md", template),
        ]);
        assert_eq!(today(&notes, &Day::Today).unwrap().content, text);
    }
}
