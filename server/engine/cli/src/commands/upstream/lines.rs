//! Lines about an upstream. What the upstream has written stays apart from what is said about it.

use std::fmt::Write as _;

use serde_json::Value;
use toolwrit_text::visible::escaped;

/// Lines, each indented.
#[derive(Debug, Default)]
pub(super) struct Lines(String);

impl Lines {
    /// Adds a line of ours. Nothing in it ends the line.
    pub(super) fn say(&mut self, depth: usize, text: &str) {
        self.push(depth, "", &visible(text).replace('\n', "\\n"));
    }

    /// Adds a foreign text as a whole, each of its lines with a mark.
    pub(super) fn quote(&mut self, depth: usize, text: &str) {
        self.marked(depth, "| ", text);
    }

    /// The same, with this mark.
    pub(super) fn marked(&mut self, depth: usize, mark: &str, text: &str) {
        visible(text).split('\n').for_each(|line| self.push(depth, mark, line));
    }

    pub(super) fn blank(&mut self) {
        self.0.push('\n');
    }

    fn push(&mut self, depth: usize, mark: &str, line: &str) {
        let indent = 2 * depth;
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{:indent$}{mark}{line}", "");
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

/// A text whose hidden characters are escaped, and which cannot go back to the begin of its line.
fn visible(text: &str) -> String {
    escaped(text.to_owned()).replace('\r', "\\u{d}")
}

/// Characters of the way to a value that are said again at each value below it.
const WAY: usize = 200;

/// The end of the way to a value, for the values below it. Whole ways to many of them could fill the memory.
pub(super) fn way(pointer: &str) -> String {
    match pointer.char_indices().rev().nth(WAY) {
        Some((at, first)) => format!("…{}", &pointer[at + first.len_utf8()..]),
        None => pointer.to_owned(),
    }
}

/// A value on one line. Hidden characters are escaped when the line is added.
pub(super) fn json(value: &Value) -> String {
    value.to_string()
}

/// A name, in quotes if it could be read as something else.
pub(super) fn quoted_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-$/".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}
