//! Inline fields in a line of a note.

use std::sync::LazyLock;

use regex::Regex;

use crate::words::{is_emoji, is_letter};

/// Longer lines have no fields, in bytes.
const LINE_LIMIT: usize = 32 * 1024;
/// How often a bracket without its end is looked for in a line. It bounds the time for a line.
const UNCLOSED_LIMIT: usize = 256;

/// A field as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    start: usize,
    end: usize,
}

/// Emoji that stand for a field of a task, before a date.
static SHORTHANDS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let shorthands = [
        ("\u{2795}", "created"),
        ("\u{1f6eb}", "start"),
        ("[\u{23f3}\u{231b}]", "scheduled"),
        ("(?:\u{1f4c5}|\u{1f4c6}|\u{1f5d3}\u{fe0f}?)", "due"),
        ("\u{2705}", "completion"),
    ];
    let compiled = shorthands.into_iter().filter_map(|(emoji, key)| {
        let expression = format!(r"{emoji}\s*([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})");
        Some((Regex::new(&expression).ok()?, key))
    });
    compiled.collect()
});

/// The fields of a line outside of lists: those in brackets, or the one that is the whole line.
pub(super) fn find_line_fields(line: &str) -> Vec<Field<'_>> {
    let line = line.trim();
    if line.len() > LINE_LIMIT || !line.contains("::") {
        return Vec::new();
    }
    let fields = find_bracketed(line);
    if fields.is_empty() { whole_line(line).into_iter().collect() } else { fields }
}

/// The fields of a list item, with those that emoji stand for.
pub(super) fn find_item_fields(text: &str, is_task: bool) -> Vec<Field<'_>> {
    if text.len() > LINE_LIMIT {
        return Vec::new();
    }
    let mut fields = if text.contains("::") { find_bracketed(text) } else { Vec::new() };
    if !text.is_ascii() {
        for (expression, key) in &*SHORTHANDS {
            if let Some(found) = expression.captures(text)
                && let (Some(whole), Some(date)) = (found.get(0), found.get(1))
            {
                let (start, end) = (whole.start(), whole.end());
                fields.push(Field { key, value: date.as_str(), start, end });
            }
        }
        fields = without_overlaps(fields);
    }
    if fields.is_empty() && !is_task {
        fields.extend(whole_line(text));
    }
    fields
}

/// `[key:: value]` and `(key:: value)`.
fn find_bracketed(line: &str) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    for (open, close) in [('[', ']'), ('(', ')')] {
        let mut at = 0;
        let mut unclosed = 0;
        while let Some(found) = line[at..].find(open) {
            let start = at + found;
            at = start + 1;
            let Some(separator) = line[at..].find("::").map(|offset| at + offset) else { break };
            let key = line[at..separator].trim();
            if key.contains(['[', ']', '(', ')']) {
                continue;
            }
            match closing(&line[separator + 2..], open, close) {
                Some(length) => {
                    let value = line[separator + 2..][..length].trim();
                    at = separator + 2 + length + 1;
                    fields.push(Field { key, value, start, end: at });
                }
                None => unclosed += 1,
            }
            if unclosed > UNCLOSED_LIMIT {
                break;
            }
        }
    }
    without_overlaps(fields)
}

/// The offset of the bracket that ends a value.
fn closing(value: &str, open: char, close: char) -> Option<usize> {
    let mut nesting = 0_usize;
    let mut is_escaped = false;
    for (at, c) in value.char_indices() {
        if c == '\\' {
            is_escaped = !is_escaped;
        } else if std::mem::take(&mut is_escaped) {
            // An escaped bracket is text.
        } else if c == open {
            nesting += 1;
        } else if c == close {
            if nesting == 0 {
                return Some(at);
            }
            nesting -= 1;
        }
    }
    None
}

/// Keeps only the first of fields that overlap or touch.
fn without_overlaps(mut fields: Vec<Field<'_>>) -> Vec<Field<'_>> {
    fields.sort_by_key(|field| field.start);
    let mut end = None;
    fields.retain(|field| {
        let is_free = end.is_none_or(|end| end < field.start);
        if is_free {
            end = Some(field.end);
        }
        is_free
    });
    fields
}

/// The field that a whole line is: `key:: value`, with emphasis around the key at most.
fn whole_line(line: &str) -> Option<Field<'_>> {
    let separator = line.find("::")?;
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || is_letter(c);
    let key = line[..separator].trim().trim_start_matches(|c| !in_word(c));
    let in_key = |c: char| in_word(c) || c.is_whitespace() || matches!(c, '/' | '-') || is_emoji(c);
    let end = key.find(|c| !in_key(c)).unwrap_or(key.len());
    let (key, after) = key.split_at(end);
    let is_valid = after.chars().all(|c| matches!(c, '_' | '*' | '~' | '`'));
    let value = line[separator + 2..].trim();
    is_valid.then_some(Field { key, value, start: 0, end: line.len() })
}
