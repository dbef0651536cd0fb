//! Texts of others, in which nothing is hidden from a reader. The texts of tools, which a model reads as orders, have no
//! hidden characters at all. Results keep those that ordinary text needs, so that what is read can be written back.

use serde_json::Value;

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
    let is_clean = |c| matches!(c, '\n' | '\r' | '\t') || !is_hidden(c);
    if text.chars().all(is_clean) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    let (mut before, mut characters) = (None, text.chars().peekable());
    while let Some(c) = characters.next() {
        if is_clean(c) || may_stay(before, c, characters.peek().copied()) {
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

/// What a media type is called that is none.
const UNKNOWN_TYPE: &str = "application/octet-stream";
/// Length limit of a media type, in bytes.
const MAX_TYPE: usize = 255;

/// Returns a media type as it is, or the type of unknown bytes if it is none: `image/png`, `text/plain; charset=utf-8`.
pub fn media_type(text: &str) -> &str {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+*".contains(c);
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let is_essence = essence.split_once('/').is_some_and(|(kind, name)| {
        [kind, name].iter().all(|part| !part.is_empty() && part.chars().all(is_name))
    });
    let is_line = text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    if is_essence && is_line && text.len() <= MAX_TYPE { text } else { UNKNOWN_TYPE }
}

/// Whether ordinary text has a hidden character where it stands: a joiner or a soft hyphen between visible characters, the
/// selector of a form after one, or the mark of the byte order at the begin. In runs they may carry a hidden text.
fn is_ordinary(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_visible = |c: char| !c.is_whitespace() && !is_hidden(c);
    let is_selector = |c| matches!(c, '\u{fe0e}' | '\u{fe0f}');
    match c {
        '\u{feff}' => before.is_none(),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(is_visible),
        '\u{ad}' | '\u{200c}' | '\u{200d}' => {
            before.is_some_and(|c| is_visible(c) || is_selector(c)) && after.is_some_and(is_visible)
        }
        _ => false,
    }
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
    fn media_types_are_types() {
        for own in ["image/png", "text/plain; charset=utf-8", "application/vnd.a+json;x=\"b c\""] {
            assert_eq!(media_type(own), own);
        }
        let long = format!("a/{}", "b".repeat(300));
        for other in ["", "png", "/", "image/png\r\nX: y", "image/png\u{1b}[1m", "a/b/c", &long] {
            assert_eq!(media_type(other), UNKNOWN_TYPE, "{other}");
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
