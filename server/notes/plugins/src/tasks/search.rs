//! Conditions on tasks.

use jiff::civil::Date;
use serde_json::{Map, Value as Json, json};
use toolwrit_vault::{FieldCondition, FieldValues, Result, SearchedTask};

use super::fields::{FieldKind, TaskText};
use super::settings::{StatusKind, TaskSettings};

/// The names of the fields that a condition can test.
const FIELDS: [(&str, FieldValues); 9] = [
    ("status", FieldValues::Text),
    ("done", FieldValues::Date),
    ("due", FieldValues::Date),
    ("scheduled", FieldValues::Date),
    ("start", FieldValues::Date),
    ("created", FieldValues::Date),
    ("priority", FieldValues::Text),
    ("tag", FieldValues::Tag),
    ("text", FieldValues::Text),
];

const DATES: [(&str, FieldKind); 5] = [
    ("done", FieldKind::Done),
    ("due", FieldKind::Due),
    ("scheduled", FieldKind::Scheduled),
    ("start", FieldKind::Start),
    ("created", FieldKind::Created),
];

/// A condition on tasks: `status = todo and due < today`.
///
/// `status` is the character of the box, and what it means: `todo`, `in_progress`, `done`, `cancelled` or `non_task`. `done`,
/// `due`, `scheduled`, `start` and `created` are dates; `priority` is `highest`, `high`, `medium`, `low` or `lowest`; `tag`
/// also stands for the tags around a nested one; `text` has no fields.
#[derive(Debug, Clone)]
pub struct TaskQuery {
    condition: FieldCondition,
    settings: TaskSettings,
}

impl TaskQuery {
    /// Parses a condition on tasks of a vault with these settings.
    ///
    /// # Errors
    /// [`BadPattern`](toolwrit_vault::VaultError::BadPattern).
    pub fn parse(query: &str, settings: TaskSettings, today: Date) -> Result<Self> {
        Ok(Self { condition: FieldCondition::parse(query, &FIELDS, today)?, settings })
    }

    /// Whether a task meets the condition.
    pub fn accepts(&self, task: &SearchedTask<'_>) -> bool {
        let text = TaskText::parse(task.line.body, self.settings.format());
        let kind = match self.settings.kind(task.line.status) {
            StatusKind::Todo => "todo",
            StatusKind::InProgress => "in_progress",
            StatusKind::Done => "done",
            StatusKind::Cancelled => "cancelled",
            StatusKind::NonTask => "non_task",
        };
        let mut values = Map::new();
        values.insert("status".to_owned(), json!([task.line.status.to_string(), kind]));
        for (name, kind) in DATES {
            if let Some(date) = text.date(kind) {
                values.insert(name.to_owned(), date.to_string().into());
            }
        }
        if let Some(priority) = text.priority() {
            values.insert("priority".to_owned(), priority.into());
        }
        if !task.tags.is_empty() {
            values.insert("tag".to_owned(), with_outer_tags(&task.tags));
        }
        values.insert("text".to_owned(), text.description().into());
        self.condition.holds(&values)
    }
}

/// Tags, and the tags that they are nested in.
fn with_outer_tags(tags: &[&str]) -> Json {
    let outer = |tag: &&str| -> Vec<String> {
        let ends = tag.match_indices('/').map(|(at, _)| at).chain([tag.len()]);
        ends.map(|end| tag[..end].to_owned()).collect()
    };
    tags.iter().flat_map(outer).collect::<Vec<_>>().into()
}
