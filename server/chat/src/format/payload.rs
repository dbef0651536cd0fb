//! Arguments and results, and how they stand in a fence.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwrit_text::hidden;

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

/// Characters that a reader does not see, or that change what the reader sees, and spaces that are not spaces. The selectors of
/// the form of an emoji are not among them.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        '\u{fe0e}' | '\u{fe0f}' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        c => hidden::is_hidden(c) || (c.is_whitespace() && c != ' '),
    }
}

/// JSON with the keys of all objects in order, so that equal values have equal texts.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}
