//! Results as Markdown.

use super::super::value::{Object, Rendering, Value, plain_text};
use super::answer::{CalendarRow, ListRow, Rows, TaskRow};

/// How deeply lists in lists are indented.
const DEPTH_LIMIT: usize = 16;

impl Rows {
    /// The rows as Markdown: a list, a table, or a task list with headings for groups.
    pub fn to_markdown(&self, rendering: &Rendering) -> String {
        let mut writer = Writer { rendering, text: String::new() };
        match self {
            Self::List(rows) => rows.iter().for_each(|row| writer.list_row(row)),
            Self::Table { columns, rows } => writer.table(columns, rows),
            Self::Task(rows) => writer.tasks(rows),
            Self::Calendar(rows) => {
                for CalendarRow { date, link } in rows {
                    let (date, link) = (writer.plain(date), writer.plain(link));
                    writer.push(["- ", &date, ": ", &link, "\n"]);
                }
            }
        }
        writer.text
    }
}

struct Writer<'a> {
    rendering: &'a Rendering,
    text: String,
}

impl Writer<'_> {
    fn push<const N: usize>(&mut self, parts: [&str; N]) {
        self.text.extend(parts);
    }

    /// A value in one line.
    fn plain(&self, value: &Value) -> String {
        plain_text(&value.to_summary(), self.rendering).replace(['\r', '\n'], " ")
    }

    fn list_row(&mut self, row: &ListRow) {
        let id = row.id.as_ref().map(|id| self.plain(id));
        match (&row.value, id) {
            (Some(value), id) => {
                let label = id.map(|id| format!("{id}: ")).unwrap_or_default();
                self.value(value, &label, 0);
            }
            (None, Some(id)) => self.push(["- ", &id, "\n"]),
            (None, None) => {}
        }
    }

    /// A value as an item, with the values of a list or an object below it.
    fn value(&mut self, value: &Value, label: &str, depth: usize) {
        let indent = "    ".repeat(depth);
        match value.to_summary() {
            Value::List(values) if depth < DEPTH_LIMIT && !values.is_empty() => {
                self.push([&indent, "- ", label.trim_end(), "\n"]);
                values.iter().for_each(|value| self.value(value, "", depth + 1));
            }
            Value::Object(Object::Map(map)) if depth < DEPTH_LIMIT && !map.is_empty() => {
                self.push([&indent, "- ", label.trim_end(), "\n"]);
                for (name, value) in &*map {
                    self.value(value, &format!("{name}: "), depth + 1);
                }
            }
            value => {
                let text = self.plain(&value);
                self.push([&indent, "- ", label, &text, "\n"]);
            }
        }
    }

    fn table(&mut self, columns: &[std::sync::Arc<str>], rows: &[Vec<Value>]) {
        let cells = |cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let names: Vec<String> = columns.iter().map(ToString::to_string).collect();
        self.text.push_str(&cells(names));
        self.push(["|", &" --- |".repeat(columns.len()), "\n"]);
        for row in rows {
            let row = row.iter().map(|value| self.plain(value)).collect();
            self.text.push_str(&cells(row));
        }
    }

    /// Tasks under headings for their groups. A task that is below another one is shown there.
    fn tasks(&mut self, rows: &[TaskRow]) {
        let mut open: Vec<String> = Vec::new();
        let listed: std::collections::HashSet<_> =
            rows.iter().filter_map(|row| own_position(&row.task)).collect();
        for row in rows {
            let groups: Vec<String> = row.groups.iter().map(|key| self.plain(key)).collect();
            let shared = open.iter().zip(&groups).take_while(|(a, b)| a == b).count();
            for (depth, group) in groups.iter().enumerate().skip(shared) {
                self.push([&"#".repeat(depth + 2), " ", group, "\n\n"]);
            }
            open = groups;
            let is_below =
                parent_position(&row.task).is_some_and(|parent| listed.contains(&parent));
            if !is_below {
                self.task(&row.task, 0);
            }
        }
    }

    fn task(&mut self, task: &Value, depth: usize) {
        let Value::Object(task) = task else { return };
        let field = |name: &str| task.get(name).unwrap_or_default();
        let status = match field("status") {
            Value::Text(status) => format!("[{status}] "),
            _ => String::new(),
        };
        let text = self.plain(&field("text"));
        self.push([&"    ".repeat(depth), "- ", &status, &text, "\n"]);
        if let (Value::List(children), true) = (field("children"), depth < DEPTH_LIMIT) {
            children.iter().for_each(|child| self.task(child, depth + 1));
        }
    }
}

/// The note and the line of a task.
fn own_position(task: &Value) -> Option<(String, u64)> {
    find_position(task, "line")
}

/// The note and the line of the item around a task.
fn parent_position(task: &Value) -> Option<(String, u64)> {
    find_position(task, "parent")
}

fn find_position(task: &Value, field: &str) -> Option<(String, u64)> {
    let Value::Object(task) = task else { return None };
    match (task.get("path"), task.get(field)) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a line number"
        )]
        (Some(Value::Text(path)), Some(Value::Number(line))) => {
            Some((path.to_string(), line as u64))
        }
        _ => None,
    }
}
