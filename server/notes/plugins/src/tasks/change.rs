//! A change of the status of a task, with what the plugin Tasks does then.

use jiff::civil::Date;
use toolwrit_vault::{AddedPlace, AddedTask, TaskChange, TaskEdit, TaskLine};

use super::fields::{FieldKind, TaskText};
use super::recurrence::{Recurrence, shift};
use super::settings::{PluginSettings, StatusKind, TaskSettings};

/// The status that a task gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewStatus {
    /// The next one.
    Toggled,
    Done,
    Todo,
    /// The one with this character.
    Symbol(char),
}

/// Gives a task a status. If the plugin is on, a task that gets done also gets the date and its next occurrence, and one
/// that is no longer done loses the date.
#[derive(Debug, Clone)]
pub struct Completion {
    pub settings: TaskSettings,
    pub status: NewStatus,
    /// The day on which it is done, instead of today; written even if the plugin writes none.
    pub date: Option<Date>,
    pub today: Date,
}

impl TaskChange for Completion {
    fn applies(&self, status: char) -> bool {
        match self.status {
            NewStatus::Toggled => true,
            NewStatus::Done => self.settings.kind(status) != StatusKind::Done,
            NewStatus::Todo => self.settings.kind(status) != StatusKind::Todo,
            NewStatus::Symbol(symbol) => status != symbol,
        }
    }

    fn edit(&self, task: &TaskLine<'_>) -> Result<TaskEdit, String> {
        let status = self.new_status(task.status);
        let unchanged = TaskEdit { status, body: task.body.to_owned(), added: None };
        let (was, is) = (self.settings.kind(task.status), self.settings.kind(status));
        if self.date.is_some() && !matches!(is, StatusKind::Done | StatusKind::Cancelled) {
            let reason = "a date is for a task that gets done or cancelled; leave it out";
            return Err(reason.to_owned());
        }
        if status == task.status && self.date.is_none() {
            return Ok(unchanged);
        }
        let text = TaskText::parse(task.body, self.settings.format());
        let plugin = self.settings.plugin.as_ref().filter(|plugin| plugin.covers(task.body));
        let gets_done = is == StatusKind::Done && was != StatusKind::Done;
        let added = match plugin {
            Some(plugin) if gets_done => self.next_occurrence(&text, status, plugin)?,
            _ => None,
        };
        let mut edits = Edits::new(&text);
        for (kind, field) in
            [(StatusKind::Done, FieldKind::Done), (StatusKind::Cancelled, FieldKind::Cancelled)]
        {
            let sets = match field {
                FieldKind::Done => plugin.is_some_and(|plugin| plugin.sets_done_date),
                _ => plugin.is_some_and(|plugin| plugin.sets_cancelled_date),
            };
            if is == kind && (self.date.is_some() || (was != kind && sets)) {
                edits.remove(field);
                let day = self.date.unwrap_or(self.today).to_string();
                edits.added = self.settings.format().write(field, &day);
            } else if is != kind && plugin.is_some() {
                edits.remove(field);
            }
        }
        Ok(TaskEdit { body: edits.apply(), added, ..unchanged })
    }
}

impl Completion {
    fn new_status(&self, status: char) -> char {
        let kind = self.settings.kind(status);
        match self.status {
            NewStatus::Toggled => self.settings.next(status),
            NewStatus::Done if kind == StatusKind::Done => status,
            NewStatus::Done => self.settings.symbol(StatusKind::Done, 'x'),
            NewStatus::Todo if kind == StatusKind::Todo => status,
            NewStatus::Todo => self.settings.symbol(StatusKind::Todo, ' '),
            NewStatus::Symbol(symbol) => symbol,
        }
    }

    /// The next occurrence of a task that recurs.
    fn next_occurrence(
        &self,
        text: &TaskText<'_>,
        status: char,
        plugin: &PluginSettings,
    ) -> Result<Option<AddedTask>, String> {
        if text
            .find(FieldKind::OnCompletion)
            .is_some_and(|field| field.value.eq_ignore_ascii_case("delete"))
        {
            let reason = "the plugin would delete its line once it is done; let the user complete it in Obsidian";
            return Err(reason.to_owned());
        }
        let Some(rule) = text.find(FieldKind::Recurrence) else { return Ok(None) };
        let today = self.date.unwrap_or(self.today);
        let days = Recurrence::parse(rule.value)?.days_later(text, today)?;
        let mut edits = Edits::new(text);
        for kind in [FieldKind::Start, FieldKind::Scheduled, FieldKind::Due] {
            edits.shift(kind, days)?;
        }
        let has_other = text.find(FieldKind::Due).or(text.find(FieldKind::Start)).is_some();
        if plugin.drops_scheduled && has_other {
            edits.remove(FieldKind::Scheduled);
        }
        for kind in [
            FieldKind::Done,
            FieldKind::Cancelled,
            FieldKind::Created,
            FieldKind::Id,
            FieldKind::DependsOn,
        ] {
            edits.remove(kind);
        }
        if plugin.sets_created_date {
            edits.added = plugin.format.write(FieldKind::Created, &self.today.to_string());
        }
        edits.keeps_id = false;
        let place = if plugin.next_below { AddedPlace::Below } else { AddedPlace::Above };
        let status = self.settings.next_occurrence(status);
        Ok(Some(AddedTask { status, body: edits.apply(), place }))
    }
}

/// Changes of the fields of a task. All else stays as it is.
struct Edits<'t, 'a> {
    text: &'t TaskText<'a>,
    /// What replaces parts of the text.
    changes: Vec<(std::ops::Range<usize>, String)>,
    /// What comes behind the fields.
    added: String,
    keeps_id: bool,
}

impl<'t, 'a> Edits<'t, 'a> {
    fn new(text: &'t TaskText<'a>) -> Self {
        Self { text, changes: Vec::new(), added: String::new(), keeps_id: true }
    }

    fn remove(&mut self, kind: FieldKind) {
        for field in self.text.fields.iter().filter(|field| field.kind == kind) {
            self.changes.retain(|(range, _)| {
                range.start < field.span.start || range.start >= field.span.end
            });
            self.changes.push((field.span.into(), String::new()));
        }
    }

    fn shift(&mut self, kind: FieldKind, days: i64) -> Result<(), String> {
        for field in self.text.fields.iter().filter(|field| field.kind == kind) {
            self.changes.push((field.value_span.into(), shift(field.value, days)?));
        }
        Ok(())
    }

    fn apply(mut self) -> String {
        self.changes.sort_by_key(|(range, _)| range.start);
        let mut written = String::new();
        let mut at = 0;
        for (range, new) in &self.changes {
            written.push_str(&self.text.text[at..range.start]);
            written.push_str(new);
            at = range.end;
        }
        written.push_str(&self.text.text[at..self.text.end.max(at)]);
        written.push_str(&self.added);
        if self.keeps_id {
            written.push_str(&self.text.text[self.text.end..]);
        }
        written
    }
}
