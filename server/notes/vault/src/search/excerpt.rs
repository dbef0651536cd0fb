//! Matching lines and their excerpts.

use regex::Regex;
use unicode_normalization::char::decompose_canonical;

use crate::index::{for_each_word, matches_word};
use crate::path::composed;

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

/// Finds the lines of a text that match as they are or in their composed form. Returns excerpts of the first `limit`
/// lines and the number of all.
pub(super) fn excerpts(text: &str, expression: &Regex, limit: usize) -> (Vec<Excerpt>, usize) {
    match composed(text) {
        None => excerpts_at(text, first_matches(text, expression), limit),
        Some(composed) => {
            let matches = matches_in_both(text, &composed, expression);
            excerpts_at(text, matches.into_iter(), limit)
        }
    }
}

/// The excerpts of the first `limit` of these lines, each given by an offset in it, and the number of all.
fn excerpts_at(
    text: &str,
    matches: impl Iterator<Item = usize>,
    limit: usize,
) -> (Vec<Excerpt>, usize) {
    let mut shown = Vec::new();
    let (mut count, mut counted_to, mut line) = (0, 0, 1);
    for start in matches {
        count += 1;
        if shown.len() < limit {
            line += text[counted_to..start].matches('\n').count();
            counted_to = start;
            shown.push(Excerpt::from_line(text, start, line));
        }
    }
    (shown, count)
}

/// Where each matching line matches first, in bytes.
fn first_matches(text: &str, expression: &Regex) -> impl Iterator<Item = usize> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let start = (position <= text.len()).then(|| expression.find_at(text, position))??.start();
        // An empty match after the last line ending belongs to no line.
        if start == text.len() && text.ends_with('\n') {
            return None;
        }
        let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        position = line_end + 1;
        Some(start)
    })
}

/// The first matches in a text and in its composed form, as places in the text, one for each line.
fn matches_in_both(text: &str, composed: &str, expression: &Regex) -> Vec<usize> {
    let mut starts: Vec<usize> = first_matches(text, expression).collect();
    let mut found = first_matches(composed, expression).peekable();
    let (mut at, mut composed_at) = (0, 0);
    // Composition leaves line endings as they are.
    for (line, composed_line) in text.split('\n').zip(composed.split('\n')) {
        let composed_end = composed_at + composed_line.len();
        if let Some(start) = found.next_if(|start| *start <= composed_end) {
            starts.push(at + offset_of(line, &composed_line[..start - composed_at]));
        }
        at += line.len() + 1;
        composed_at = composed_end + 1;
    }
    starts.sort_unstable();
    starts.dedup_by(|later, first| !text[*first..*later].contains('\n'));
    starts
}

/// The length in bytes of the part of a line whose composed form is `composed`. Both decompose to as many characters.
fn offset_of(line: &str, composed: &str) -> usize {
    let decomposed = |c: char| {
        let mut count = 0;
        decompose_canonical(c, |_| count += 1);
        count
    };
    let mut left: usize = composed.chars().map(decomposed).sum();
    let before = line.chars().take_while(|c| {
        let fits = left > 0;
        left = left.saturating_sub(decomposed(*c));
        fits
    });
    before.map(char::len_utf8).sum()
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
