//! The keys and values of YAML text, with their places. Text that is being typed is seldom valid YAML, so this reads it by
//! its indentation and brackets, and never fails. It decides nothing about validity.

mod flow;

use std::ops::Range;

use flow::Flow;

/// Levels of nesting, at most. What is nested more deeply is not read.
const MAX_DEPTH: usize = 64;

/// A step from a collection to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    /// An item of a list, from 0.
    Item(usize),
}

/// A key with its value, or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The way to the value.
    pub(crate) path: Vec<Step>,
    /// The key, without quotes; empty for an item.
    pub(crate) key: Range<usize>,
    /// The value if it is a scalar on one line, without quotes; empty otherwise.
    pub(crate) value: Range<usize>,
}

/// What can be typed at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typing {
    /// A key of the collection, or the collection itself if it is to be a scalar.
    Start,
    /// The value of a key.
    Value,
}

/// A place at which something is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The way to the collection whose key is typed, or to the value that is typed.
    pub(crate) path: Vec<Step>,
    pub(crate) typing: Typing,
    /// What has been typed, up to the place.
    pub(crate) typed: Range<usize>,
}

/// All keys and items of a text, in order.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    let mut reader = OutlineReader::new(text);
    for line in lines(text, 0, text.len()) {
        reader.read_line(line);
    }
    reader.entries
}

/// The entry whose key or value is at an offset.
pub(crate) fn find_entry(text: &str, offset: usize) -> Option<Entry> {
    let touches =
        |range: &Range<usize>| !range.is_empty() && range.start <= offset && offset <= range.end;
    entries(text).into_iter().find(|entry| touches(&entry.key) || touches(&entry.value))
}

/// What is typed at an offset; `None` in comments and in texts of several lines.
pub(crate) fn find_cursor(text: &str, offset: usize) -> Option<Cursor> {
    let before = text.get(..offset)?;
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    let mut reader = OutlineReader::new(before);
    for line in lines(text, 0, start) {
        reader.read_line(line);
    }
    reader.into_cursor(start..offset)
}

/// The lines between two offsets, without their ends.
fn lines(text: &str, from: usize, to: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..to).filter(|rest| !rest.is_empty())?;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let line = at..at + length;
        at = (line.end + 1).min(to);
        Some(line)
    })
}

/// A collection in block style whose value is being read, and the column at which its keys or dashes stand.
struct OpenCollection {
    column: usize,
    step: Step,
}

/// A scalar of several lines.
enum Long {
    /// A literal, which goes on while lines are indented more than this.
    Literal(usize),
    /// A quoted text, which goes on while lines are indented more than this, or to this quotation mark.
    Quoted(usize, char),
}

/// What stands on a line after its dashes.
enum Rest {
    Nothing,
    /// Something that is no key; it may become one.
    Word(Range<usize>),
    /// The value of a key.
    Value(Range<usize>),
}

struct OutlineReader<'t> {
    text: &'t str,
    blocks: Vec<OpenCollection>,
    /// The collections in brackets that are open.
    flow: Vec<Flow>,
    /// The column of the key whose value is in brackets.
    flow_column: usize,
    /// The last word in brackets, if no bracket or comma has ended it.
    word: Option<Range<usize>>,
    long: Option<Long>,
    entries: Vec<Entry>,
}

impl<'t> OutlineReader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            blocks: Vec::new(),
            flow: Vec::new(),
            flow_column: 0,
            word: None,
            long: None,
            entries: Vec::new(),
        }
    }

    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    fn path(&self) -> Vec<Step> {
        let blocks = self.blocks.iter().map(|block| block.step.clone());
        blocks.chain(self.flow.iter().filter_map(Flow::step)).collect()
    }

    fn push(&mut self, column: usize, step: Step) {
        if self.blocks.len() < MAX_DEPTH {
            self.blocks.push(OpenCollection { column, step });
        }
    }

    fn read_line(&mut self, line: Range<usize>) {
        let text = self.slice(line.clone());
        let column = indentation(text);
        if text.trim().is_empty() || self.is_within_long(text, column) {
            return;
        }
        if !self.flow.is_empty() {
            if column > self.flow_column || text.trim_start().starts_with(['}', ']']) {
                self.read_flow(line);
                return;
            }
            self.flow.clear();
        }
        if !text.trim_start().starts_with('#') {
            self.read_block(line);
        }
    }

    /// Whether a line belongs to a scalar of several lines.
    fn is_within_long(&mut self, text: &str, column: usize) -> bool {
        match self.long {
            Some(Long::Literal(indent)) if column > indent => true,
            Some(Long::Quoted(indent, mark)) if column > indent => {
                if text.contains(mark) {
                    self.long = None;
                }
                true
            }
            _ => {
                self.long = None;
                false
            }
        }
    }

    /// A line in block style.
    fn read_block(&mut self, line: Range<usize>) -> Rest {
        let mut column = indentation(self.slice(line.clone()));
        let mut at = line.start + column;
        let mut has_dash = false;
        loop {
            let rest = self.slice(at..line.end);
            let Some(after) =
                rest.strip_prefix('-').filter(|after| after.is_empty() || after.starts_with(' '))
            else {
                break;
            };
            self.begin_item(column);
            let width = 1 + indentation(after);
            column += width;
            at += width;
            has_dash = true;
        }
        let rest = self.slice(at..line.end);
        if rest.trim().is_empty() {
            self.leave_collections(column, has_dash);
            return Rest::Nothing;
        }
        if let Some((key, after)) = find_key(rest) {
            self.leave_collections(column, false);
            let name = self.slice(at + key.start..at + key.end).to_owned();
            self.push(column, Step::Key(name));
            let value = at + after..line.end;
            let key = at + key.start..at + key.end;
            return Rest::Value(self.read_value(column, key, value));
        }
        self.leave_collections(column, has_dash);
        if has_dash {
            let value = at..line.end;
            return Rest::Word(self.read_value(column.saturating_sub(1), at..at, value));
        }
        Rest::Word(at..line.end)
    }

    /// Leaves the collections that end before a line whose first word is at this column.
    fn leave_collections(&mut self, column: usize, is_item: bool) {
        let ends =
            |block: &OpenCollection| block.column > column || (block.column == column && !is_item);
        while self.blocks.last().is_some_and(ends) {
            self.blocks.pop();
        }
    }

    /// The dash of an item. It may stand below the key of its list.
    fn begin_item(&mut self, column: usize) {
        while self.blocks.last().is_some_and(|block| block.column > column) {
            self.blocks.pop();
        }
        match self.blocks.last_mut() {
            Some(OpenCollection { column: list_column, step: Step::Item(at) })
                if *list_column == column =>
            {
                *at += 1;
            }
            _ => self.push(column, Step::Item(0)),
        }
    }

    /// The value of a key, or an item. Returns its place up to the end of the line.
    fn read_value(
        &mut self,
        column: usize,
        key: Range<usize>,
        value: Range<usize>,
    ) -> Range<usize> {
        let text = self.slice(value.clone());
        let start = value.start + text.len() - text.trim_start().len();
        let text = self.slice(start..value.end);
        let mut scalar = start..start;
        match text.chars().next() {
            Some('|' | '>') => self.long = Some(Long::Literal(column)),
            Some('{' | '[') => {
                self.entries.push(Entry { path: self.path(), key, value: scalar });
                self.flow_column = column;
                self.read_flow(start..value.end);
                return start..value.end;
            }
            Some(mark @ ('"' | '\'')) => match quoted_length(text, mark) {
                Some(length) => scalar = start + 1..start + length - 1,
                None => self.long = Some(Long::Quoted(column, mark)),
            },
            _ => scalar = start..start + plain_length(text),
        }
        self.entries.push(Entry { path: self.path(), key, value: scalar });
        start..value.end
    }

    /// What is typed at the end of a part of a line.
    fn into_cursor(mut self, line: Range<usize>) -> Option<Cursor> {
        let text = self.slice(line.clone());
        if self.is_within_long(text, indentation(text)) || is_comment(text) {
            return None;
        }
        let end = line.end;
        if !self.flow.is_empty() && (indentation(text) > self.flow_column || text.trim().is_empty())
        {
            self.read_flow(line);
            return self.flow_cursor(end);
        }
        self.flow.clear();
        let rest = self.read_block(line);
        if !self.flow.is_empty() {
            return self.flow_cursor(end);
        }
        let (typing, typed) = match rest {
            Rest::Nothing => (Typing::Start, end..end),
            Rest::Word(word) => (Typing::Start, word),
            Rest::Value(value) => (Typing::Value, value),
        };
        let mark = self.slice(typed.clone()).starts_with(['"', '\'']);
        // In brackets that are closed, or after them, nothing is expected.
        let is_closed = self.slice(typed.clone()).starts_with(['{', '[', '|', '>']);
        let typed = typed.start + usize::from(mark)..typed.end;
        (!is_closed).then(|| Cursor { path: self.path(), typing, typed })
    }
}

fn indentation(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// The key at the start of a text, and where its value begins.
fn find_key(text: &str) -> Option<(Range<usize>, usize)> {
    let is_end = |after: &str| after.is_empty() || after.starts_with([' ', '\t']);
    if let Some(mark) = text.chars().next().filter(|mark| matches!(mark, '"' | '\'')) {
        let length = quoted_length(text, mark)?;
        let after = text.get(length..)?.trim_start().strip_prefix(':')?;
        return is_end(after).then(|| (1..length - 1, text.len() - after.len()));
    }
    if text.starts_with(['{', '[', '&', '*', '!', '|', '>', '%', '@', '#', ',']) {
        return None;
    }
    let text = &text[..plain_length(text)];
    let colons = text.char_indices().filter(|(_, character)| *character == ':');
    let mut ends = colons.map(|(at, _)| at).filter(|at| is_end(&text[at + 1..]));
    ends.next().map(|end| (0..text[..end].trim_end().len(), end + 1))
}

/// The length of a plain scalar that takes the rest of a line, without the comment after it.
fn plain_length(text: &str) -> usize {
    if text.starts_with('#') {
        return 0;
    }
    let end = text.find(" #").unwrap_or(text.len());
    text[..end].trim_end().len()
}

/// The length of a text in quotes, with both; `None` if they are not closed.
fn quoted_length(text: &str, mark: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && mark == '"' {
            characters.next();
        } else if character == mark {
            // Two single quotes stand for one.
            if mark == '\'' && characters.peek().is_some_and(|(_, next)| *next == mark) {
                characters.next();
            } else {
                return Some(at + 1);
            }
        }
    }
    None
}

fn is_comment(text: &str) -> bool {
    let before = text.trim_start();
    before.starts_with('#') || (before.contains(" #") && !before.contains(['"', '\'']))
}
