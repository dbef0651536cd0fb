//! Arguments and results, and how they stand in a fence.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A result of a tool, or arguments: a JSON value or plain text. A JSON string is text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// A JSON value that is not a string.
    Json(Value),
    /// Text.
    Text(String),
}

impl From<Value> for Payload {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            value => Self::Json(value),
        }
    }
}

impl Payload {
    /// The text that a model reads.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    /// The info of the fence and its body.
    pub(crate) fn to_fence(&self) -> (&'static str, String) {
        match self {
            Self::Text(text) if is_plain(text) => ("text", text.clone()),
            Self::Text(text) => ("json", escaped(&Value::from(text.as_str()))),
            Self::Json(value) => ("json", escaped(value)),
        }
    }

    /// Reads the body of a fence. JSON that someone has damaged is text.
    pub(crate) fn parse(info: &str, body: String) -> Self {
        if info == "json"
            && let Ok(value) = serde_json::from_str::<Value>(&body)
        {
            value.into()
        } else {
            Self::Text(body)
        }
    }
}

/// A note that contains nothing but a result.
pub(crate) fn result_note(result: &Payload) -> String {
    let (info, body) = result.to_fence();
    super::fence::write_fence(info, &body) + "\n"
}

/// Whether a text survives on lines of its own as it is, and shows everything it contains.
fn is_plain(text: &str) -> bool {
    !text.contains("<%")
        && text.split('\n').all(|line| !line.ends_with(' ') && !line.chars().any(is_hidden))
}

/// JSON on one line in which every character is visible.
pub(crate) fn escaped(value: &Value) -> String {
    escape_hidden(value, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// JSON as YAML on one line, in which every character is visible. YAML has no pairs of surrogates.
pub(super) fn escaped_yaml(value: &Value) -> String {
    escape_hidden(value, |c, out| {
        let _ = write!(out, "\\U{:08x}", u32::from(c));
    })
}

fn escape_hidden(value: &Value, escape: impl Fn(char, &mut String)) -> String {
    let json = value.to_string();
    let mut out = String::with_capacity(json.len());
    let mut characters = json.chars().peekable();
    while let Some(c) = characters.next() {
        // Templater runs `<%` wherever it stands.
        if is_hidden(c) || (c == '<' && characters.peek() == Some(&'%')) {
            escape(c, &mut out);
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that a reader does not see, or that change what the reader sees: controls, marks of direction, characters
/// without width, separators of lines, and spaces that are not spaces.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
        || (c.is_whitespace() && c != ' ')
}

/// JSON with the keys of all objects in order, so that equal values have equal texts.
#[must_use]
pub fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(sorted).collect(),
            Value::Object(fields) => {
                let mut fields: Vec<_> =
                    fields.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
                fields.sort_by(|(a, _), (b, _)| a.cmp(b));
                Value::Object(fields.into_iter().collect())
            }
            other => other.clone(),
        }
    }
    sorted(value).to_string()
}
