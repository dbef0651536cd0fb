//! What a dry run would do, as lines for the person who is asked.

use serde_json::Value;

/// Most entries of a list.
const MOST: usize = 10;

/// Returns a line for each member of a preview, and one for each of the first entries of its lists.
pub(super) fn lines(preview: &Value) -> String {
    let Value::Object(members) = preview else { return one_line(preview) };
    let lines = members.iter().flat_map(|(name, value)| match value.as_array() {
        Some(entries) if !entries.is_empty() => listed(name, entries),
        _ => vec![format!("{name}: {}", one_line(value))],
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The number of the entries of a list, and the first of them.
fn listed(name: &str, entries: &[Value]) -> Vec<String> {
    let mut lines = vec![format!("{name}: {}", entries.len())];
    lines.extend(entries.iter().take(MOST).map(|entry| format!("  {}", one_line(entry))));
    if let Some(more) = entries.len().checked_sub(MOST).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more"));
    }
    lines
}

/// A value in one line: the members of an object with their names, and a text without quotes, unless it would break the line.
fn one_line(value: &Value) -> String {
    match value {
        Value::String(text) if !text.chars().any(char::is_control) => text.clone(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| match value {
                Value::Object(_) => format!("{name}: {value}"),
                value => format!("{name}: {}", one_line(value)),
            });
            members.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
