//! The rows of a view as Markdown and as CSV.

use super::answer::{Row, View};
use super::evaluation::text;
use crate::value::Value;

impl View {
    /// The requested rows as a Markdown table; with groups, a table below the value of each.
    pub fn to_markdown(&self) -> String {
        let is_same = |a: &Row, b: &Row| group_text(a) == group_text(b);
        let tables = self.rows.chunk_by(is_same).map(|rows| {
            let heading = rows.first().and_then(group_text);
            let heading = heading.map(|heading| {
                let heading = if heading.is_empty() { "None".to_owned() } else { heading };
                format!("### {}\n\n", heading.replace('\n', " "))
            });
            heading.unwrap_or_default() + &self.table(rows)
        });
        let tables: Vec<String> = tables.collect();
        if tables.is_empty() { self.table(&[]) } else { tables.join("\n") }
    }

    /// The requested rows as CSV, below the names of the columns.
    pub fn to_csv(&self) -> String {
        let names = self.columns.iter().map(|column| column.name.to_string()).collect();
        let rows = self.rows.iter().map(|row| row.values.iter().map(text).collect());
        let mut csv = String::new();
        for cells in std::iter::once::<Vec<String>>(names).chain(rows) {
            let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
            csv.push_str(&cells.join(","));
            csv.push('\n');
        }
        csv
    }

    fn table(&self, rows: &[Row]) -> String {
        let names: Vec<String> =
            self.columns.iter().map(|column| table_cell(&column.name)).collect();
        let cells = |row: &Row| row.values.iter().map(|value| table_cell(&text(value))).collect();
        let rule = vec!["---".to_owned(); names.len()];
        let lines = [names, rule].into_iter().chain(rows.iter().map(cells));
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        lines.map(line).collect()
    }
}

fn group_text(row: &Row) -> Option<String> {
    row.group.as_ref().map(|group: &Value| text(group))
}

/// A text in a cell of a table. A pipe that is escaped already stays.
fn table_cell(text: &str) -> String {
    let escaped = text.replace("\\|", "|").replace('|', "\\|");
    escaped.replace("\r\n", "<br>").replace('\n', "<br>")
}

/// A text in quotes if it needs them.
fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
