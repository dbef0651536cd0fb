//! Numbers as they were written. A float keeps neither `1e3` nor the last digits of a whole number of more than 64 bits, but
//! some programs want what their callers wrote.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use serde::Serialize as _;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Number, Value};

/// The numbers of a JSON text that floats write in another way, by their floats. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenNumbers(Option<Arc<HashMap<u64, Text>>>);

/// How a number was written; `None` if two numbers of the text have the same float.
type Text = Option<String>;

impl WrittenNumbers {
    /// Finds the numbers of a JSON text, or of several texts with spaces between them.
    pub fn read(json: &str) -> Self {
        let mut found: HashMap<u64, Text> = HashMap::new();
        for token in tokens(json) {
            let Ok(number) = serde_json::from_str::<Number>(token) else { continue };
            let Some(float) = number.as_f64().filter(|_| number.is_f64()) else { continue };
            if number.to_string() != token {
                let text = found.entry(float.to_bits()).or_insert_with(|| Some(token.to_owned()));
                if text.as_deref() != Some(token) {
                    *text = None;
                }
            }
        }
        Self((!found.is_empty()).then(|| Arc::new(found)))
    }

    /// Returns a number as it was written.
    pub fn text(&self, number: &Number) -> String {
        let float = number.as_f64().filter(|_| number.is_f64());
        let written = float.and_then(|float| self.find(float));
        written.map_or_else(|| number.to_string(), str::to_owned)
    }

    /// Returns a value as compact JSON, with its numbers as they were written.
    pub fn to_json(&self, value: &Value) -> String {
        let mut json = Vec::new();
        let written = value.serialize(&mut Serializer::with_formatter(&mut json, Written(self)));
        // Neither a value nor memory refuses to be written.
        written
            .ok()
            .and_then(|()| String::from_utf8(json).ok())
            .unwrap_or_else(|| value.to_string())
    }

    fn find(&self, float: f64) -> Option<&str> {
        self.0.as_ref()?.get(&float.to_bits())?.as_deref()
    }
}

/// The texts of JSON that are numbers with a fraction, an exponent, or many digits.
fn tokens(json: &str) -> impl Iterator<Item = &str> {
    /// Whole numbers with fewer digits are integers.
    const MANY: usize = 19;
    let mut rest = json;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit())?;
            rest = &rest[start..];
            if let Some(text) = rest.strip_prefix('"') {
                rest = after_string(text);
                continue;
            }
            let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            let (token, after) = rest.split_at(end);
            rest = after;
            if token.len() >= MANY || token.contains(['.', 'e', 'E']) || token == "-0" {
                return Some(token);
            }
        }
    })
}

/// What follows a string whose begin was read.
fn after_string(text: &str) -> &str {
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\\']) {
        let is_end = rest[at..].starts_with('"');
        // Both are single bytes, and so is what a backslash escapes, or it begins there.
        let next = at + if is_end { 1 } else { 2 };
        rest = rest.get(next..).unwrap_or_default();
        if is_end {
            return rest;
        }
    }
    ""
}

/// Writes compact JSON.
struct Written<'a>(&'a WrittenNumbers);

impl Formatter for Written<'_> {
    fn write_f64<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        match (self.0.find(value), Number::from_f64(value)) {
            (Some(text), _) => writer.write_all(text.as_bytes()),
            (None, Some(number)) => writer.write_all(number.to_string().as_bytes()),
            (None, None) => writer.write_all(b"null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::WrittenNumbers;

    #[test]
    fn numbers_are_written_as_they_were_read() {
        let json = r#"{"a":[1e3,-2.50,10,10.0,-0,12345678901234567890123,0.1,9007199254740993],"1e4 \" 2e4":"3e4\\","b":1E-7}"#;
        let value: Value = serde_json::from_str(json).unwrap();
        let numbers = WrittenNumbers::read(json);
        assert_eq!(numbers.to_json(&value), json);
        let texts = value["a"].as_array().unwrap().iter().map(|item| match item {
            Value::Number(number) => numbers.text(number),
            other => other.to_string(),
        });
        let texts: Vec<String> = texts.collect();
        assert_eq!(texts[5], "12345678901234567890123");
        assert_eq!(numbers.text(&serde_json::Number::from_f64(1.5).unwrap()), "1.5");
    }

    #[test]
    fn what_could_be_either_of_two_numbers_is_the_float() {
        let json = "[12345678901234567890123,12345678901234567890124]";
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(WrittenNumbers::read(json).to_json(&value), value.to_string());
        assert_eq!(WrittenNumbers::read("[1,2.5,\"1e3\"]"), WrittenNumbers::default());
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "\"", "\"\\", "\"é\\é", "-", "1e", "1e999999999999", "é1.50é", "\\\"1e3"]
        {
            WrittenNumbers::read(text);
        }
    }
}
