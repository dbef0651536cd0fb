//! Texts of upstreams, in which nothing is hidden from a reader.

use serde_json::{Map, Value};

/// Returns a text on one line, without hidden characters, and not longer than a number of characters.
pub fn shortened(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut characters = line.chars();
    let mut shown = escaped(characters.by_ref().take(most).collect());
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Escapes the hidden characters of a text. Lines and tabs stay.
pub fn escaped(text: String) -> String {
    let is_clean = |c| matches!(c, '\n' | '\r' | '\t') || !is_hidden(c);
    if text.chars().all(is_clean) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_clean(c) { shown.push(c) } else { shown.extend(c.escape_unicode()) }
    }
    shown
}

/// Escapes the hidden characters of all texts in a value, also of keys.
pub fn escaped_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(escaped(text)),
        Value::Array(items) => items.into_iter().map(escaped_value).collect(),
        Value::Object(fields) => Value::Object(escaped_object(fields)),
        other => other,
    }
}

/// Escapes the hidden characters of all texts in an object, also of keys.
pub fn escaped_object(fields: Map<String, Value>) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (escaped(key), escaped_value(value))).collect()
}

/// Whether a character changes how a text is read, and is not seen: controls, directions, joiners, tags.
fn is_hidden(c: char) -> bool {
    // Most texts have no other characters.
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
