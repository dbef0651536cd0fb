//! Texts of other programs, in which nothing is hidden from a reader. The texts of tools, which a model reads as orders, have no
//! hidden characters at all. Results keep those that ordinary text needs, so that what is read can be written back.

use serde_json::Value;

use crate::hidden::{is_hidden, is_ordinary};

/// Escapes the hidden characters of a text. Lines and tabs stay.
pub fn escaped(text: String) -> String {
    escaped_unless(text, |_, _, _| false)
}

/// Escapes the hidden characters of a result, except those that ordinary text has.
pub fn escaped_result(text: String) -> String {
    escaped_unless(text, is_ordinary)
}

/// Escapes the hidden characters of all texts in a result, also of keys, except those that ordinary text has.
pub fn escaped_result_value(value: Value) -> Value {
    map_texts(value, escaped_result)
}

/// Escapes hidden characters, unless they may stay between the characters before and after.
fn escaped_unless(text: String, may_stay: fn(Option<char>, char, Option<char>) -> bool) -> String {
    if !text.chars().any(is_hidden) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    let (mut before, mut characters) = (None, text.chars().peekable());
    while let Some(c) = characters.next() {
        if !is_hidden(c) || may_stay(before, c, characters.peek().copied()) {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
        before = Some(c);
    }
    shown
}

/// Escapes the hidden characters of all texts in a value, also of keys.
pub fn escaped_value(value: Value) -> Value {
    map_texts(value, escaped)
}

fn map_texts(value: Value, escape: fn(String) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(escape(text)),
        Value::Array(items) => items.into_iter().map(|item| map_texts(item, escape)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, value)| (escape(key), map_texts(value, escape))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_stays_in_results() {
        for text in [
            "⚠\u{fe0f} and 1\u{fe0f}\u{20e3}",
            "👨\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "Donau\u{ad}dampf",
            "\u{feff}name,age\n",
        ] {
            assert_eq!(escaped_result(text.to_owned()), text);
            assert_ne!(escaped(text.to_owned()), text);
        }
    }

    #[test]
    fn what_deceives_is_escaped_in_results() {
        for (text, shown) in [
            ("a\u{202e}b\u{2066}", "a\\u{202e}b\\u{2066}"),
            ("a\u{e0041}", "a\\u{e0041}"),
            ("a\u{1b}[31m\u{85}", "a\\u{1b}[31m\\u{85}"),
            ("a\u{200b}b", "a\\u{200b}b"),
            ("a\u{feff}b", "a\\u{feff}b"),
            ("a\u{200d}\u{200c}b", "a\\u{200d}\\u{200c}b"),
            ("a\u{fe0f}\u{fe0e}\u{fe0f}", "a\u{fe0f}\\u{fe0e}\\u{fe0f}"),
            (" \u{200d}a\u{200d}", " \\u{200d}a\\u{200d}"),
        ] {
            assert_eq!(escaped_result(text.to_owned()), shown);
        }
    }
}
