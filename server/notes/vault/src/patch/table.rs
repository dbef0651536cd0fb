//! Rows of a table.

use serde_json::Value;

use super::{Action, IfPresent, PatchContent, PatchError};
use crate::note::Newline;

/// The rows that are given as a list, which may be written as JSON; `None` if Markdown is given.
pub(super) fn parse_content(
    content: &PatchContent,
) -> Result<Option<Vec<Vec<String>>>, PatchError> {
    match content {
        PatchContent::Value(value) => parse_rows(value).map(Some),
        PatchContent::Text(text) => match serde_json::from_str(text) {
            Ok(list @ Value::Array(_)) => parse_rows(&list).map(Some),
            _ => Ok(None),
        },
    }
}

/// Parses rows: a list of lists of cells, or the cells of one row.
fn parse_rows(value: &Value) -> Result<Vec<Vec<String>>, PatchError> {
    let Value::Array(items) = value else { return Err(EXPECTED) };
    if items.iter().any(Value::is_array) {
        items.iter().map(parse_cells).collect()
    } else {
        Ok(vec![parse_cells(value)?])
    }
}

const EXPECTED: PatchError = PatchError::Unsupported(
    "rows must be a list of lists of cells, or a list of the cells of one row",
);

fn parse_cells(row: &Value) -> Result<Vec<String>, PatchError> {
    let Value::Array(cells) = row else { return Err(EXPECTED) };
    cells.iter().map(escape_cell).collect()
}

/// A cell as Markdown. Characters that would end it are escaped.
fn escape_cell(value: &Value) -> Result<String, PatchError> {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => return Err(EXPECTED),
    };
    let mut escaped = String::with_capacity(text.len());
    for c in text.trim().replace("\r\n", "\n").chars() {
        match c {
            '|' if !escaped.ends_with('\\') => escaped.push_str("\\|"),
            '\n' => escaped.push_str("<br>"),
            c => escaped.push(c),
        }
    }
    Ok(escaped)
}

/// Refuses lines of Markdown that are no rows of a table, if it has several columns.
pub(super) fn check_lines(table: &str, lines: &str) -> Result<(), PatchError> {
    let mut written = lines.lines().filter(|line| !line.trim().is_empty());
    if count_columns(table) > 1 && written.any(|line| !line.contains('|')) {
        return Err(PatchError::Unsupported(
            "this is not a row of the table; give a list of cells, or a line such as `| a | b |`",
        ));
    }
    Ok(())
}

fn count_columns(table: &str) -> usize {
    let delimiters = table.lines().nth(1).unwrap_or_default();
    delimiters.trim_matches([' ', '\t', '>', '|', '\r']).split('|').count()
}

/// A table after rows are added or replaced; `margin` is the prefix of each line.
pub(super) fn patch_table(
    table: &str,
    margin: &str,
    newline: Newline,
    rows: &[Vec<String>],
    action: &Action,
    if_present: IfPresent,
) -> Result<String, PatchError> {
    let head: usize = table.split_inclusive('\n').take(2).map(str::len).sum();
    let columns = count_columns(table);
    for (index, row) in rows.iter().enumerate() {
        if row.len() != columns {
            return Err(PatchError::ColumnCount { row: index + 1, cells: row.len(), columns });
        }
    }
    let written: Vec<String> = rows.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
    let present =
        |row: &String| table.lines().any(|line| line.trim_start_matches([' ', '>']) == row);
    if if_present == IfPresent::Reject && written.iter().all(present) {
        return Err(PatchError::AlreadyPresent);
    }
    let head = table[..head].trim_end_matches(['\r', '\n']);
    let old = table[head.len()..].trim_start_matches(['\r', '\n']);
    let old = (!old.is_empty()).then(|| old.to_owned());
    let first = |line: String| [margin, &line].concat();
    let new = written.into_iter().map(first);
    let lines: Vec<String> = match action {
        Action::Append(_) => old.into_iter().chain(new).collect(),
        Action::Prepend(_) => new.chain(old).collect(),
        Action::Replace(_) | Action::Delete => new.collect(),
    };
    let ending = newline.as_str();
    Ok(lines.into_iter().fold(head.to_owned(), |table, line| [&table, ending, &line].concat()))
}
