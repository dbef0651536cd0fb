//! The rows of CSV files.

use jiff::Zoned;

use crate::syntax::property_value;
use crate::value::{Map, Value};
use crate::words::canonical;

/// The rows of a file whose first row has the names of the columns. Lines that start with `#` are comments.
/// Numbers, `true` and `false` are values, and text is read as in properties.
pub(crate) fn rows(text: &str, now: &Zoned) -> Vec<Map> {
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).flexible(true).from_reader(text.as_bytes());
    let Ok(names) = reader.headers().cloned() else { return Vec::new() };
    let mut rows = Vec::new();
    for record in reader.records() {
        // A row that is not UTF-8 cannot be here; an unclosed quote ends the file.
        let Ok(record) = record else { break };
        let mut row = Map::new();
        for (name, cell) in names.iter().zip(&record) {
            let value = cell_value(cell, now);
            row.insert(name.into(), value.clone());
            row.insert(canonical(name).into(), value);
        }
        rows.push(row);
    }
    rows
}

fn cell_value(cell: &str, now: &Zoned) -> Value {
    match cell {
        "" => Value::Null,
        "true" | "TRUE" => Value::Boolean(true),
        "false" | "FALSE" => Value::Boolean(false),
        _ => match number(cell) {
            Some(number) => Value::Number(number),
            None => property_value(cell, now),
        },
    }
}

/// A cell as a number: decimal, with a fraction and an exponent at most.
fn number(cell: &str) -> Option<f64> {
    let trimmed = cell.trim();
    let is_numeric =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E');
    let has_digits = trimmed.bytes().any(|byte| byte.is_ascii_digit());
    (has_digits && trimmed.bytes().all(is_numeric)).then(|| trimmed.parse().ok()).flatten()
}
