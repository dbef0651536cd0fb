//! The fenced blocks of a page, and the comparison of what they show.

use std::ops::Range;

use serde_json::Value;

/// A fenced block.
pub(crate) struct Block<'a> {
    /// The language after the fence.
    pub(crate) language: &'a str,
    /// The comment directly before the block.
    pub(crate) directive: Option<&'a str>,
    /// The lines within the fences.
    pub(crate) text: &'a str,
    /// The place of the text in the page.
    pub(crate) place: Range<usize>,
}

/// What stands for anything.
const ANYTHING: &str = "..";

/// The blocks of a page, in order.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut directive = None;
    let mut at = 0;
    while at < page.len() {
        let line = page[at..].split_inclusive('\n').next().unwrap_or_default();
        let start = at + line.len();
        at = start;
        let Some(language) = line.trim_end().strip_prefix("```") else {
            assert!(directive.is_none(), "no block after the comment {directive:?}");
            let comment = line.trim().strip_prefix("<!-- ");
            directive = comment.and_then(|comment| comment.strip_suffix(" -->"));
            continue;
        };
        let length = page[start..].find("\n```").map_or(page.len() - start, |end| end + 1);
        let place = start..start + length;
        let text = &page[place.clone()];
        blocks.push(Block { language, directive: directive.take(), text, place });
        let end = page[start + length..].find('\n').map_or(page.len(), |end| start + length + end);
        at = end + 1;
    }
    blocks
}

/// Whether the lines are the same, where `..` stands for any lines, and within a line for any text.
pub(crate) fn same_lines(shown: &str, actual: &str) -> bool {
    same(&shown.lines().collect::<Vec<_>>(), &actual.lines().collect::<Vec<_>>())
}

fn same(shown: &[&str], actual: &[&str]) -> bool {
    match shown {
        [] => actual.is_empty(),
        [line, rest @ ..] if *line == ANYTHING => {
            (0..=actual.len()).any(|skipped| same(rest, &actual[skipped..]))
        }
        [line, rest @ ..] => {
            actual.first().is_some_and(|first| same_line(line, first)) && same(rest, &actual[1..])
        }
    }
}

fn same_line(shown: &str, actual: &str) -> bool {
    let Some((start, rest)) = shown.split_once(ANYTHING) else { return shown == actual };
    actual.strip_prefix(start).is_some_and(|left| {
        let ends = left.char_indices().map(|(at, _)| at).chain([left.len()]);
        ends.into_iter().any(|at| same_line(rest, &left[at..]))
    })
}

/// Whether the lines stand in a text, with any indentation. A comment `// ..` stands for any lines.
pub(crate) fn stands_in(shown: &str, text: &str) -> bool {
    let lines = shown.lines().map(|line| match line.trim() {
        "// .." => ANYTHING,
        line => line,
    });
    let shown: Vec<&str> = [ANYTHING].into_iter().chain(lines).chain([ANYTHING]).collect();
    same(&shown, &text.lines().map(str::trim).collect::<Vec<_>>())
}

/// Whether the values are the same, where `".."` stands for any value on either side, and at the end of a shown
/// list for any further items.
pub(crate) fn same_value(shown: &Value, actual: &Value) -> bool {
    match (shown, actual) {
        (Value::String(text), _) | (_, Value::String(text)) if text == ANYTHING => true,
        (Value::Object(shown), Value::Object(actual)) => {
            shown.len() == actual.len()
                && shown.iter().all(|(key, value)| {
                    actual.get(key).is_some_and(|actual| same_value(value, actual))
                })
        }
        (Value::Array(shown), Value::Array(actual)) => {
            let (shown, is_long_enough) = match shown.split_last() {
                Some((last, first)) if last == ANYTHING => (first, actual.len() > first.len()),
                _ => (&shown[..], actual.len() == shown.len()),
            };
            is_long_enough
                && shown.iter().zip(actual).all(|(shown, actual)| same_value(shown, actual))
        }
        _ => shown == actual,
    }
}

/// The actual value, with `".."` wherever that is shown.
pub(crate) fn abridged(shown: &Value, actual: Value) -> Value {
    match (shown, actual) {
        (Value::String(text), _) if text == ANYTHING => shown.clone(),
        (Value::Object(shown), Value::Object(mut actual)) => {
            for (key, value) in &mut actual {
                if let Some(shown) = shown.get(key) {
                    *value = abridged(shown, value.take());
                }
            }
            Value::Object(actual)
        }
        (Value::Array(shown), Value::Array(mut actual)) => {
            if let Some((last, first)) = shown.split_last()
                && last == ANYTHING
            {
                actual.truncate(first.len());
                actual.push(last.clone());
            }
            let items = actual.into_iter().enumerate();
            let item = |(at, item)| match shown.get(at) {
                Some(shown) => abridged(shown, item),
                None => item,
            };
            items.map(item).collect()
        }
        (_, actual) => actual,
    }
}
