//! Matching lines and their excerpts.

use regex::Regex;

use crate::index::{for_each_word, matches_word};

/// Most characters of a line in an excerpt, without ellipses.
const SNIPPET: usize = 200;
/// How many of them come before the match, if the line is longer.
const BEFORE: usize = 60;

/// A matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Its line number, from 1.
    pub line: usize,
    /// The character of the line at which the first match starts, from 1.
    pub column: usize,
    /// The line, or the part of a long line around the match, with `…` where it was cut.
    pub snippet: String,
}

/// Finds the matching lines of a text. Returns excerpts of the first `limit` lines and the number
/// of all.
pub(super) fn excerpts(text: &str, expression: &Regex, limit: usize) -> (Vec<Excerpt>, usize) {
    let mut shown = Vec::new();
    let mut count = 0;
    let mut counted_to = 0;
    let mut line = 1;
    let mut position = 0;
    while let Some(found) = expression.find_at(text, position) {
        let start = found.start();
        // An empty match after the last line ending belongs to no line.
        if start == text.len() && text.ends_with('\n') {
            break;
        }
        count += 1;
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        if shown.len() < limit {
            line += text[counted_to..start].matches('\n').count();
            counted_to = start;
            shown.push(Excerpt::from_line(text, start, line));
        }
        position = line_end + 1;
        if position > text.len() {
            break;
        }
    }
    (shown, count)
}

/// The lines with the most words, the best first, and of equal ones the first; at most `most`.
pub(crate) fn best_lines(text: &str, asked: &[String], most: usize) -> Vec<Excerpt> {
    let mut best: Vec<(usize, usize, usize)> = Vec::new();
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let mut found = vec![false; asked.len()];
        let mut first = None;
        for_each_word(line, |word, at| {
            for (found, asked) in found.iter_mut().zip(asked) {
                if matches_word(asked, word) {
                    *found = true;
                    first.get_or_insert(at);
                }
            }
        });
        let count = found.into_iter().filter(|found| *found).count();
        if let Some(first) = first {
            let place = best.partition_point(|(other, ..)| *other >= count);
            if place < most {
                best.insert(place, (count, start + first, number + 1));
                best.truncate(most);
            }
        }
        start += line.len();
    }
    best.into_iter().map(|(_, at, line)| Excerpt::from_line(text, at, line)).collect()
}

impl Excerpt {
    /// The line around a byte offset.
    pub(crate) fn line_at(text: &str, offset: usize) -> Self {
        Self::from_line(text, offset, text[..offset].matches('\n').count() + 1)
    }

    /// The line around a byte offset, with a known line number.
    fn from_line(text: &str, at: usize, line: usize) -> Self {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let whole = text[start..end].trim_end_matches('\r');
        let column = whole[..(at - start).min(whole.len())].chars().count() + 1;
        Self { line, column, snippet: snippet(whole, column - 1) }
    }
}

/// The part of a line around the character at `focus`.
pub(crate) fn snippet(line: &str, focus: usize) -> String {
    let length = line.chars().count();
    if length <= SNIPPET {
        return line.to_owned();
    }
    let start = focus.saturating_sub(BEFORE).min(length - SNIPPET);
    let shown: String = line.chars().skip(start).take(SNIPPET).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + SNIPPET < length { "…" } else { "" };
    format!("{before}{shown}{after}")
}
