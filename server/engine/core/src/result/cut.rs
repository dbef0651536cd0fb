//! Truncates a result to its operation's `result_bytes`, and says so in the result.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::authority::{Operation, Returns};
use crate::fault::{Fault, Result};
use crate::json::size::{share, size};

/// Bytes reserved for the notice at the end of a text.
const NOTICE: usize = 200;

/// Truncates a result to `limit` bytes.
///
/// # Errors
/// `RESULT_TOO_LARGE` if the parts that cannot be truncated are too large.
pub(crate) fn result(result: Value, limit: usize, operation: &Operation) -> Result<Value> {
    match (result, &operation.returns) {
        (Value::String(long), Returns::Text) => Ok(text(long, limit, operation).into()),
        (other, _) if size(&other) <= limit => Ok(other),
        (other, _) => value(other, limit, operation),
    }
}

/// Truncates a text that has more than `limit` bytes.
pub(crate) fn text(mut text: String, limit: usize, operation: &Operation) -> String {
    if text.len() > limit {
        let (size, keep) = (text.len(), limit.saturating_sub(NOTICE));
        text.truncate(text.floor_char_boundary(keep));
        text.shrink_to_fit();
        let hint = how_to_get_the_rest(operation);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\n[truncated: true, {keep} of {size} bytes. {hint}]");
    }
    text
}

/// Truncates the largest texts and lists of a value to `limit` bytes of JSON.
///
/// # Errors
/// `RESULT_TOO_LARGE` if the parts that cannot be truncated are too large.
pub(crate) fn value(value: Value, limit: usize, operation: &Operation) -> Result<Value> {
    let mut object = match value {
        Value::Object(object) if !matches!(operation.returns, Returns::Wrapped(_)) => object,
        other => Map::from_iter([("result".to_owned(), other)]),
    };
    mark_truncated(&mut object, operation);
    let mut value = Value::Object(object);
    fit(&mut value, limit);
    let bytes = size(&value);
    if bytes > limit {
        return Err(Fault::too_large(format!(
            "The result cannot be truncated to fewer than {bytes} bytes."
        ))
        .expecting(format!("at most {limit} bytes"))
        .hinting(how_to_get_the_rest(operation)));
    }
    Ok(value)
}

/// Says in a result that it was truncated.
pub(crate) fn mark_truncated(object: &mut Map<String, Value>, operation: &Operation) {
    object.insert("truncated".to_owned(), true.into());
    object.insert("hint".to_owned(), how_to_get_the_rest(operation).into());
}

/// Returns how many of the first items fit into `limit` bytes of JSON, with commas between them.
pub(crate) fn fitting(items: &[Value], limit: usize) -> usize {
    let mut taken = 0;
    items
        .iter()
        .enumerate()
        .take_while(|(at, item)| {
            taken += size(item) + usize::from(*at > 0);
            taken <= limit
        })
        .count()
}

fn how_to_get_the_rest(operation: &Operation) -> String {
    let narrowing = ["cursor", "offset", "limit", "lines", "fields", "folder", "query"];
    let inputs = operation.inputs.iter().map(|field| field.name.as_str());
    let helpful: Vec<String> =
        inputs.filter(|name| narrowing.contains(name)).map(|name| format!("`{name}`")).collect();
    if helpful.is_empty() {
        "Ask for less at once.".to_owned()
    } else {
        format!("Ask for less at once with {}.", helpful.join(", "))
    }
}

/// Truncates a value to `limit` bytes of JSON: shortens texts, lists, and the largest fields of objects.
/// Numbers and names stay.
fn fit(value: &mut Value, limit: usize) {
    if size(value) <= limit {
        return;
    }
    match value {
        Value::String(text) => cut_string(text, limit),
        Value::Array(items) => {
            let inside = limit.saturating_sub("[]".len());
            let kept = fitting(items, inside);
            items.truncate(kept.max(1));
            if kept == 0
                && let Some(first) = items.first_mut()
            {
                fit(first, inside);
                if size(first) > inside {
                    items.clear();
                }
            }
        }
        Value::Object(object) => {
            let sizes: Vec<usize> = object.values().map(size).collect();
            let names = crate::json::size::object_size(object) - sizes.iter().sum::<usize>();
            let share = share(sizes, limit.saturating_sub(names));
            object.values_mut().for_each(|value| fit(value, share));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Truncates a text so that its JSON has at most `limit` bytes.
fn cut_string(text: &mut String, limit: usize) {
    let mut taken = "\"\"".len();
    let end = text.char_indices().find_map(|(at, c)| {
        taken += match c {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => "\\u0000".len(),
            c => c.len_utf8(),
        };
        (taken > limit).then_some(at)
    });
    text.truncate(end.unwrap_or(text.len()));
    text.shrink_to_fit();
}
