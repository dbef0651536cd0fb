//! Values as YAML.

use serde_json::Value;
use toolwrit_text::yaml::{double_quote, is_printable};

use crate::node::ScalarStyle;
use crate::scalar;

/// The indentation of nested blocks, as in Obsidian.
const STEP: usize = 2;

/// Whether a value fits on the line of its key: a scalar, or an empty list or mapping.
pub(super) fn is_inline(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => true,
    }
}

/// A value on one line; lists and mappings in flow style. Texts are quoted like `like` if possible,
/// and whenever needed.
pub(super) fn inline(value: &Value, like: ScalarStyle, in_flow: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(value) => text(value, like, in_flow),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| inline(item, like, true)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entry = |(name, value): (&String, &Value)| {
                format!("{}: {}", key(name), inline(value, ScalarStyle::Plain, true))
            };
            let entries: Vec<_> = entries.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// `key: value`, on several lines if needed, each ending with `\n`.
pub(super) fn entry(name: &str, value: &Value, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let name = key(name);
    if is_inline(value) {
        format!("{margin}{name}: {}\n", inline(value, ScalarStyle::Plain, false))
    } else {
        format!("{margin}{name}:\n{}", block(value, indent + STEP))
    }
}

/// A list or mapping in block style, one entry per line, each ending with `\n`.
pub(super) fn block(value: &Value, indent: usize) -> String {
    let margin = " ".repeat(indent);
    match value {
        Value::Array(items) => items.iter().map(|value| item(value, &margin)).collect(),
        Value::Object(entries) => {
            entries.iter().map(|(name, value)| entry(name, value, indent)).collect()
        }
        _ => String::new(),
    }
}

/// `- value`, ending with `\n`.
pub(super) fn item(value: &Value, margin: &str) -> String {
    format!("{margin}- {}\n", inline(value, ScalarStyle::Plain, false))
}

/// A text of several lines in literal style, without the key. `None` if that style cannot represent
/// it.
pub(super) fn literal(text: &str, indent: usize) -> Option<String> {
    let body = text.strip_suffix('\n');
    let lines = body.unwrap_or(text);
    let printable = |c: char| c == '\n' || c == '\t' || is_printable(c);
    let clean = lines.lines().all(|line| !line.ends_with(char::is_whitespace));
    if !lines.contains('\n')
        || lines.starts_with(char::is_whitespace)
        || lines.ends_with('\n')
        || !clean
        || !lines.chars().all(printable)
    {
        return None;
    }
    let mut literal = if body.is_some() { "|" } else { "|-" }.to_owned();
    let margin = " ".repeat(indent + STEP);
    for line in lines.lines() {
        literal.push('\n');
        if !line.is_empty() {
            literal.push_str(&margin);
            literal.push_str(line);
        }
    }
    Some(literal)
}

/// A key, quoted if needed.
pub(super) fn key(name: &str) -> String {
    text(name, ScalarStyle::Plain, true)
}

fn text(value: &str, like: ScalarStyle, in_flow: bool) -> String {
    let printable = value.chars().all(is_printable);
    match like {
        ScalarStyle::SingleQuoted if printable => format!("'{}'", value.replace('\'', "''")),
        ScalarStyle::DoubleQuoted => double_quote(value),
        _ if printable && is_plain(value, in_flow) => value.to_owned(),
        _ => double_quote(value),
    }
}

/// Whether a text needs no quotes (YAML 1.2.2, section 7.3.3; stricter where that costs little).
fn is_plain(text: &str, in_flow: bool) -> bool {
    const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`";
    let is_text = matches!(scalar::resolve(text), Value::String(_));
    is_text
        && text.trim() == text
        && !text.starts_with(|c| INDICATORS.contains(c))
        && !text.starts_with("...")
        && !text.contains(": ")
        && !text.contains(":\t")
        && !text.contains(" #")
        && !text.contains("\t#")
        && !text.ends_with(':')
        && !(in_flow && text.contains([',', '[', ']', '{', '}', ':']))
}
