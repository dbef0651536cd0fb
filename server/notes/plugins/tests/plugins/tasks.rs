//! Tasks that get another status.

use std::fs;

use jiff::civil::date;
use tempfile::TempDir;
use toolwrit_plugins::tasks::{Completion, NewStatus, TaskQuery, TaskSettings};
use toolwrit_vault::target::{BlockId, TaskTarget};
use toolwrit_vault::{
    ChangeMode, ChangedTask, Folder, Result, SearchOptions, SearchedTask, Vault, VaultError,
    VaultPath,
};

/// A vault with a note, and with the plugin Tasks if it has settings.
struct Notes {
    folder: TempDir,
    vault: Vault,
}

impl Notes {
    fn new(settings: Option<&str>, note: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        let notes = Self { folder, vault };
        if let Some(settings) = settings {
            notes.put(".obsidian/community-plugins.json", r#"["obsidian-tasks-plugin"]"#);
            let plugin = ".obsidian/plugins/obsidian-tasks-plugin";
            notes.put(&format!("{plugin}/manifest.json"), r#"{"id": "obsidian-tasks-plugin"}"#);
            notes.put(&format!("{plugin}/data.json"), settings);
        }
        notes.put("N.md", note);
        notes
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.folder.path().join("N.md")).unwrap()
    }

    fn change(
        &self,
        target: &TaskTarget,
        status: NewStatus,
        mode: ChangeMode,
    ) -> Result<ChangedTask> {
        let settings = TaskSettings::read(&self.vault).unwrap();
        let change = Completion { settings, status, date: None, today: date(2026, 3, 9) };
        self.vault.change_task(&VaultPath::parse("N").unwrap(), target, change, mode, None)
    }
}

/// A note of one line after a change.
fn changed(settings: Option<&str>, line: &str, status: NewStatus) -> Result<String> {
    let notes = Notes::new(settings, line);
    notes.change(&TaskTarget::Line(1), status, ChangeMode::Change)?;
    Ok(notes.text())
}

fn done(settings: Option<&str>, line: &str) -> String {
    changed(settings, line, NewStatus::Done).unwrap()
}

#[test]
fn without_the_plugin_only_the_box_changes() {
    for (line, status, expected) in [
        ("- [ ] a 📅 2026-03-01", NewStatus::Toggled, "- [x] a 📅 2026-03-01"),
        ("- [x] a ✅ 2026-03-01", NewStatus::Toggled, "- [ ] a ✅ 2026-03-01"),
        ("- [/] a", NewStatus::Toggled, "- [ ] a"),
        ("1. [ ] a ^id", NewStatus::Done, "1. [x] a ^id"),
        ("> \t* [x] a  ", NewStatus::Todo, "> \t* [ ] a  "),
        ("- [ ] a 🔁 every sunday", NewStatus::Symbol('ü'), "- [ü] a 🔁 every sunday"),
        ("- - [ ] a", NewStatus::Done, "- - [x] a"),
        ("- [X] a", NewStatus::Done, "- [X] a"),
    ] {
        assert_eq!(changed(None, line, status).unwrap(), expected, "{line}");
    }
}

#[test]
fn a_task_that_is_done_gets_its_date_before_a_block_id_and_loses_it_again() {
    for (settings, open, done) in [
        ("{}", "- [ ] a", "- [x] a ✅ 2026-03-09"),
        ("{}", "- [ ] a 📅 2026-03-01 #t ^id", "- [x] a 📅 2026-03-01 #t ✅ 2026-03-09 ^id"),
        ("{}", "- [ ] ✅ in the text", "- [x] ✅ in the text ✅ 2026-03-09"),
        (r#"{"setDoneDate": false}"#, "- [ ] a", "- [x] a"),
        (r##"{"globalFilter": "#task"}"##, "- [ ] a", "- [x] a"),
        (r##"{"globalFilter": "#task"}"##, "- [ ] #tasks a", "- [x] #tasks a"),
        (r##"{"globalFilter": "#task"}"##, "- [ ] #task a", "- [x] #task a ✅ 2026-03-09"),
        (
            r#"{"taskFormat": "dataview"}"#,
            "- [ ] a [due:: 2026-03-01] ^id",
            "- [x] a [due:: 2026-03-01]  [completion:: 2026-03-09] ^id",
        ),
    ] {
        assert_eq!(self::done(Some(settings), open), done, "{settings}");
        assert_eq!(changed(Some(settings), done, NewStatus::Todo).unwrap(), open, "{settings}");
        // What is done is left alone.
        assert_eq!(self::done(Some(settings), done), done, "{settings}");
    }
}

#[test]
fn a_day_that_is_given_is_written() {
    let on = |settings, line: &str, status| {
        let notes = Notes::new(settings, line);
        let settings = TaskSettings::read(&notes.vault).unwrap();
        let day = Some(date(2026, 2, 1));
        let change = Completion { settings, status, date: day, today: date(2026, 3, 9) };
        let (path, first) = (VaultPath::parse("N").unwrap(), TaskTarget::Line(1));
        let changed = notes.vault.change_task(&path, &first, change, ChangeMode::Change, None);
        changed.map(|changed| changed.after)
    };
    for (settings, line, after) in [
        (None, "- [ ] a", "- [x] a ✅ 2026-02-01"),
        (Some("{}"), "- [ ] a", "- [x] a ✅ 2026-02-01"),
        (Some("{}"), "- [x] a ✅ 2026-01-01 ^id", "- [x] a ✅ 2026-02-01 ^id"),
    ] {
        assert_eq!(on(settings, line, NewStatus::Done).unwrap(), after);
    }
    on(Some("{}"), "- [x] a", NewStatus::Todo).unwrap_err();
}

#[test]
fn statuses_are_those_of_the_settings() {
    let settings = r#"{"statusSettings": {
        "coreStatuses": [
            {"symbol": " ", "name": "Todo", "nextStatusSymbol": "/", "type": "TODO"},
            {"symbol": "x", "name": "Done", "nextStatusSymbol": " ", "type": "DONE"}],
        "customStatuses": [
            {"symbol": "/", "name": "Doing", "nextStatusSymbol": "D", "type": "IN_PROGRESS"},
            {"symbol": "D", "name": "Did", "nextStatusSymbol": " ", "type": "DONE"},
            {"symbol": "-", "name": "Not", "nextStatusSymbol": " ", "type": "CANCELLED"}]}}"#;
    for (line, status, expected) in [
        ("- [ ] a", NewStatus::Toggled, "- [/] a"),
        ("- [/] a", NewStatus::Toggled, "- [D] a ✅ 2026-03-09"),
        ("- [D] a ✅ 2026-03-01", NewStatus::Symbol('x'), "- [x] a ✅ 2026-03-01"),
        ("- [ ] a", NewStatus::Symbol('-'), "- [-] a ❌ 2026-03-09"),
        ("- [-] a ❌ 2026-03-09", NewStatus::Todo, "- [ ] a"),
    ] {
        assert_eq!(changed(Some(settings), line, status).unwrap(), expected, "{line}");
    }
}

#[test]
fn a_task_that_recurs_gets_its_next_occurrence() {
    for (open, next) in [
        ("a 🔁 every day 📅 2026-02-28", "a 🔁 every day 📅 2026-03-01"),
        ("a 🔁 every 3 days when done 📅 2026-01-01", "a 🔁 every 3 days when done 📅 2026-03-12"),
        (
            "a 🔁 every week 🛫 2026-03-01 ⏳ 2026-03-02 📅 2026-03-05",
            "a 🔁 every week 🛫 2026-03-08 ⏳ 2026-03-09 📅 2026-03-12",
        ),
        ("a 🔁 every month 📅 2026-01-31", "a 🔁 every month 📅 2026-02-28"),
        ("a 🔁 every 11 months 📅 2020-03-31", "a 🔁 every 11 months 📅 2021-02-28"),
        ("a 🔁 every year 📅 2024-02-29", "a 🔁 every year 📅 2025-02-28"),
        ("a 🔁 every week", "a 🔁 every week"),
        (
            "a ⏫ 🔁 every day ➕ 2026-01-01 🆔 abc 📅 2026-03-01 #t ^id",
            "a ⏫ 🔁 every day 📅 2026-03-02 #t",
        ),
    ] {
        let (before_id, id) = open.split_once(" ^").unwrap_or((open, ""));
        let id = if id.is_empty() { String::new() } else { format!(" ^{id}") };
        let done = format!("- [x] {before_id} ✅ 2026-03-09{id}");
        assert_eq!(
            self::done(Some("{}"), &format!("- [ ] {open}")),
            format!("- [ ] {next}\n{done}")
        );
        let below = r#"{"recurrenceOnNextLine": true}"#;
        assert_eq!(
            self::done(Some(below), &format!("> - [ ] {open}\r\n> \r\nend")),
            format!("> {done}\r\n> - [ ] {next}\r\n> \r\nend")
        );
    }
    let created = r#"{"taskFormat": "dataview", "setCreatedDate": true}"#;
    assert_eq!(
        done(Some(created), "* [ ] a [repeat:: every day]  [due:: 2026-03-01]"),
        "* [ ] a [repeat:: every day]  [due:: 2026-03-02]  [created:: 2026-03-09]\n* [x] a [repeat:: every day]  [due:: 2026-03-01]  [completion:: 2026-03-09]"
    );
}

#[test]
fn what_would_lose_an_occurrence_is_refused() {
    for line in [
        "- [ ] a 🔁 every weekday 📅 2026-03-01",
        "- [ ] a 🔁 every month on the last Friday",
        "- [ ] a 🔁 every 0 days 📅 2026-03-01",
        "- [ ] a 🔁 every day 📅 2026-13-01",
        "- [ ] a 🔁 every 9999 years 📅 2026-01-01",
        "- [ ] a 🏁 delete 🔁 every day 📅 2026-03-01",
        "- - [ ] a 🔁 every day 📅 2026-03-01",
    ] {
        let notes = Notes::new(Some("{}"), line);
        for status in [NewStatus::Done, NewStatus::Toggled, NewStatus::Symbol('x')] {
            let error = notes.change(&TaskTarget::Line(1), status, ChangeMode::Change).unwrap_err();
            assert!(error.to_string().starts_with("`N.md` was not patched: "), "{error}");
        }
        assert_eq!(notes.text(), line);
    }
}

const LIST: &str = "# Day\n\n- [ ] Buy milk\n- [x] Water plants ✅ 2026-03-01\n- [ ] Water plants\n  - [ ] Buy milk and bread ^b1\n\ntext\n";

#[test]
fn a_task_is_named_by_its_line_its_block_or_its_text() {
    let block = || TaskTarget::Block(BlockId::parse("^b1").unwrap());
    let text = |text: &str| TaskTarget::Text(text.to_owned());
    for (target, line) in [
        (TaskTarget::Line(3), 3),
        (block(), 6),
        (text("buy MILK"), 3),
        (text("bread"), 6),
        (text("water plants"), 5),
    ] {
        let notes = Notes::new(None, LIST);
        let shown = notes.change(&target, NewStatus::Done, ChangeMode::Preview).unwrap();
        assert_eq!((shown.line, notes.text()), (line, LIST.to_owned()));
        let made = notes.change(&target, NewStatus::Done, ChangeMode::Change).unwrap();
        assert_eq!((&made.before, &made.after, made.line), (&shown.before, &shown.after, line));
        assert_eq!(notes.text(), LIST.replacen(&made.before, &made.after, 1));
        assert_ne!(made.etag, shown.etag);
    }
}

#[test]
fn a_task_that_is_missing_or_not_the_only_one_is_an_error_with_lines() {
    let notes = Notes::new(None, LIST);
    let text = |text: &str| TaskTarget::Text(text.to_owned());
    for (target, said) in [
        (
            text("milk"),
            "line 3: `Buy milk`, line 6: `Buy milk and bread ^b1`; name one by its line",
        ),
        (text("bye milk"), "there is no task at text `bye milk`; the note has: line 3: `Buy milk`"),
        (TaskTarget::Line(2), "there is no task at line 2; the note has: line 3: `Buy milk`"),
        (TaskTarget::Line(999), "the note has: line 6"),
    ] {
        let error = notes.change(&target, NewStatus::Toggled, ChangeMode::Change).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    assert_eq!(notes.text(), LIST);
}

#[test]
fn conditions_find_tasks() {
    let notes = Notes::new(
        Some("{}"),
        "- [ ] a #garden/bed 📅 2026-03-08\n- [x] b ⏫ ✅ 2026-03-01\n\t- [/] c 📅 2026-03-09 ⏳ 2026-03-01\n> 1. [-] d 🔺 #x\n- plain\n```\n- [ ] code\n```\n- [ ] e 🛫 2026-03-20 ➕ 2026-02-01\n",
    );
    let found = |query: &str| {
        let settings = TaskSettings::read(&notes.vault).unwrap();
        let query = TaskQuery::parse(query, settings, date(2026, 3, 9))?;
        let options = SearchOptions { limit: 100, per_note: None };
        let accepts = |task: &SearchedTask<'_>| query.accepts(task);
        let found = notes.vault.find_tasks(&accepts, &Folder::ROOT, options, &|| false)?;
        assert_eq!(found.total_hits, found.hits.len());
        let lines = found.hits.into_iter().filter_map(|hit| hit.excerpt);
        Ok::<_, VaultError>(lines.map(|excerpt| excerpt.line).collect::<Vec<_>>())
    };
    for (query, lines) in [
        ("status = todo", &[1, 9][..]),
        ("status in (done, cancelled)", &[2, 4]),
        ("status = /", &[3]),
        ("status = \" \"", &[1, 9]),
        ("due < today", &[1]),
        ("due <= today and status != done", &[1, 3]),
        ("due = today or due = yesterday", &[1, 3]),
        ("scheduled exists", &[3]),
        ("done >= 2026-03-01", &[2]),
        ("start > tomorrow and created = 2026-02-01", &[9]),
        ("priority = high or priority = highest", &[2, 4]),
        ("tag = garden", &[1]),
        ("tag = \"#garden/bed\"", &[1]),
        ("text = c", &[3]),
        ("text contains e and not tag exists", &[9]),
    ] {
        assert_eq!(found(query).unwrap(), lines, "{query}");
    }
    for (query, said) in [
        ("done = true", "`done` is a date"),
        ("priority > low", "no order"),
        ("deadline < today", "expected status, done, due"),
        ("status =", "a value"),
    ] {
        let error = found(query).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
