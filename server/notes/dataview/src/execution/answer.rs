//! The results of queries.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json, json};

use super::super::value::{Object, Value};
use super::operations::{Meaning, Skipped};
use super::rows::QueryRow;

/// The result of a query.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What was found.
    pub rows: Rows,
    /// What was left out because an expression failed for it.
    pub skipped: Vec<Skipped>,
}

/// The rows of a result, by the kind of the query.
#[derive(Debug, Clone)]
pub enum Rows {
    /// The rows of a `LIST` query.
    List(Vec<ListRow>),
    /// The rows of a `TABLE` query.
    Table {
        /// The names of the columns.
        columns: Vec<Arc<str>>,
        /// A value for each column.
        rows: Vec<Vec<Value>>,
    },
    /// The rows of a `TASK` query.
    Task(Vec<TaskRow>),
    /// The rows of a `CALENDAR` query.
    Calendar(Vec<CalendarRow>),
}

#[derive(Debug, Clone)]
pub struct ListRow {
    /// A link to the note or the key of the group; `None` for `LIST WITHOUT ID`.
    pub id: Option<Value>,
    /// The value, if the query has an expression.
    pub value: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct TaskRow {
    /// The keys of the groups that it is in, from the outermost.
    pub groups: Vec<Value>,
    /// Its fields and those of its note.
    pub task: Value,
}

/// A note on a day.
#[derive(Debug, Clone)]
pub struct CalendarRow {
    pub date: Value,
    /// A link to the note.
    pub link: Value,
}

impl Rows {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::List(rows) => rows.len(),
            Self::Table { rows, .. } => rows.len(),
            Self::Task(rows) => rows.len(),
            Self::Calendar(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some of the rows. A range beyond the end is cut.
    #[must_use]
    pub fn page(&self, range: Range<usize>) -> Self {
        fn slice_rows<T: Clone>(rows: &[T], range: Range<usize>) -> Vec<T> {
            let end = range.end.min(rows.len());
            rows.get(range.start.min(end)..end).unwrap_or_default().to_vec()
        }
        match self {
            Self::List(rows) => Self::List(slice_rows(rows, range)),
            Self::Table { columns, rows } => {
                Self::Table { columns: columns.clone(), rows: slice_rows(rows, range) }
            }
            Self::Task(rows) => Self::Task(slice_rows(rows, range)),
            Self::Calendar(rows) => Self::Calendar(slice_rows(rows, range)),
        }
    }

    /// The rows as JSON: the values of a list, objects by column of a table, tasks with their fields, and
    /// `{date, link}`. In a list with ids and values, a row is `{id, value}`.
    pub fn to_json(&self) -> Vec<Json> {
        match self {
            Self::List(rows) => rows.iter().map(list_row_json).collect(),
            Self::Table { columns, rows } => {
                let row = |row: &Vec<Value>| {
                    let cells = columns.iter().zip(row);
                    let cells = cells.map(|(name, value)| (name.to_string(), value.to_json()));
                    Json::Object(cells.collect::<JsonMap<_, _>>())
                };
                rows.iter().map(row).collect()
            }
            Self::Task(rows) => rows.iter().map(task_row_json).collect(),
            Self::Calendar(rows) => {
                let row = |row: &CalendarRow| json!({"date": row.date.to_json(), "link": row.link.to_json()});
                rows.iter().map(row).collect()
            }
        }
    }
}

fn list_row_json(row: &ListRow) -> Json {
    match (&row.id, &row.value) {
        (Some(id), Some(value)) => json!({"id": id.to_json(), "value": value.to_json()}),
        (Some(only), None) | (None, Some(only)) => only.to_json(),
        (None, None) => Json::Null,
    }
}

fn task_row_json(row: &TaskRow) -> Json {
    let mut task = row.task.to_json();
    if let (Json::Object(fields), false) = (&mut task, row.groups.is_empty()) {
        let groups = row.groups.iter().map(Value::to_json).collect();
        fields.insert("groups".to_owned(), Json::Array(groups));
    }
    task
}

/// The tasks in rows, with the groups that they are in.
pub(super) fn collect_tasks(rows: &[QueryRow], meaning: &Meaning) -> Vec<TaskRow> {
    let mut tasks = Vec::new();
    let values: Vec<Value> = rows.iter().map(|row| Value::Object(row.data.clone())).collect();
    collect(&values, meaning, &mut Vec::new(), &mut tasks);
    tasks
}

/// The number of groups in groups is limited by the number of operations.
fn collect(values: &[Value], meaning: &Meaning, groups: &mut Vec<Value>, tasks: &mut Vec<TaskRow>) {
    match meaning {
        Meaning::Note => {
            let row = |task: &Value| TaskRow { groups: groups.clone(), task: task.clone() };
            tasks.extend(values.iter().map(row));
        }
        Meaning::Group { name, of } => {
            for value in values {
                let Value::Object(group) = value else { continue };
                groups.push(group.get(name).unwrap_or_default());
                if let Some(Value::List(rows)) = Object::get(group, "rows") {
                    collect(&rows, of, groups, tasks);
                }
                groups.pop();
            }
        }
    }
}
