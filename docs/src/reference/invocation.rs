//! An example call as a shell command.

use serde_json::{Map, Value};
use toolwrit_manifest::Operation;

/// `toolwrit call vault.read --path Inbox.md`. If an argument does not fit a flag, such as an
/// object or a text of several lines, all are given as one JSON object.
pub(super) fn shell_command(operation: &Operation, args: &Map<String, Value>) -> String {
    let flags: Option<Vec<String>> =
        args.iter().map(|(name, value)| format_flag(name, value)).collect();
    let words = flags.unwrap_or_else(|| {
        let json = Value::Object(args.clone()).to_string();
        vec!["--args".to_owned(), quote_word(&json)]
    });
    let start = ["toolwrit", "call", &operation.id];
    start.into_iter().chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

fn format_flag(name: &str, value: &Value) -> Option<String> {
    let value = match value {
        Value::String(text) if text.chars().any(char::is_control) || text.starts_with('-') => {
            return None;
        }
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(format!("--{} {}", name.replace('_', "-"), quote_word(&value)))
}

/// A word for a POSIX shell, quoted if necessary.
pub(super) fn quote_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
