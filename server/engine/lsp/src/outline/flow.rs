//! Collections in brackets.

use std::ops::Range;

use super::{Cursor, Entry, MAX_DEPTH, OutlineReader, Step, Typing, quoted_length};

/// An open collection in brackets.
pub(super) enum Flow {
    /// A mapping, with the key whose value is being read.
    Map(Option<String>),
    /// A list, with the number of the item that is being read.
    List(usize),
}

impl Flow {
    pub(super) fn step(&self) -> Option<Step> {
        match self {
            Self::Map(key) => key.clone().map(Step::Key),
            Self::List(at) => Some(Step::Item(*at)),
        }
    }
}

impl OutlineReader<'_> {
    /// Reads a part of a line within brackets, or one that opens them.
    pub(super) fn read_flow(&mut self, line: Range<usize>) {
        let mut at = line.start;
        self.word = None;
        while let Some(character) = self.slice(at..line.end).chars().next() {
            let next = at + character.len_utf8();
            match character {
                '{' | '[' if self.blocks.len() + self.flow.len() < MAX_DEPTH => {
                    self.flow.push(if character == '{' { Flow::Map(None) } else { Flow::List(0) });
                }
                '}' | ']' => {
                    self.flow.pop();
                    if self.flow.is_empty() {
                        return;
                    }
                }
                ',' => self.end_item(),
                '#' if self.slice(line.start..at).ends_with([' ', '\t']) => return,
                ' ' | '\t' | '{' | '[' | ':' => {}
                _ => {
                    at = self.read_word(at, line.end);
                    continue;
                }
            }
            if !matches!(character, ' ' | '\t') {
                self.word = None;
            }
            at = next;
        }
    }

    fn end_item(&mut self) {
        match self.flow.last_mut() {
            Some(Flow::Map(key)) => *key = None,
            Some(Flow::List(at)) => *at += 1,
            None => {}
        }
    }

    /// A word in brackets: a key, a value, or an item. Returns its end.
    fn read_word(&mut self, start: usize, end: usize) -> usize {
        let text = self.slice(start..end);
        let mark = text.chars().next().filter(|mark| matches!(mark, '"' | '\''));
        let (inner, length) = if let Some(mark) = mark {
            let length = quoted_length(text, mark);
            let inner = start + 1..start + length.map_or(text.len(), |length| length - 1);
            (inner, length.unwrap_or(text.len()))
        } else {
            let length = word_length(text);
            (start..start + text[..length].trim_end().len(), length)
        };
        let after = self.slice(start + length..end);
        let name = self.slice(inner.clone()).to_owned();
        match self.flow.last_mut() {
            Some(Flow::Map(key @ None)) if after.starts_with(':') => {
                *key = Some(name);
                let value = start + length + 1;
                self.entries.push(Entry { path: self.path(), key: inner, value: value..value });
                self.word = None;
                return start + length + 1;
            }
            Some(Flow::Map(Some(_))) => {
                if let Some(last) = self.entries.last_mut() {
                    last.value = inner.clone();
                }
            }
            Some(Flow::List(_)) => {
                let key = inner.start..inner.start;
                self.entries.push(Entry { path: self.path(), key, value: inner.clone() });
            }
            _ => {}
        }
        self.word = Some(inner);
        start + length
    }

    /// What is typed at the end of what was read.
    pub(super) fn flow_cursor(&mut self, end: usize) -> Option<Cursor> {
        let typing = match self.flow.last()? {
            Flow::Map(Some(_)) => Typing::Value,
            Flow::Map(None) | Flow::List(_) => Typing::Start,
        };
        let typed = self.word.clone().map_or(end..end, |word| word.start..end);
        Some(Cursor { path: self.path(), typing, typed })
    }
}

/// The length of a plain word in brackets.
fn word_length(text: &str) -> usize {
    let ends = |(at, character): (usize, char)| match character {
        ',' | '{' | '}' | '[' | ']' => true,
        ':' => text[at + 1..]
            .chars()
            .next()
            .is_none_or(|next| matches!(next, ' ' | '\t' | ',' | '}' | ']')),
        '#' => text[..at].ends_with([' ', '\t']),
        _ => false,
    };
    let mut characters = text.char_indices();
    // The first character is part of the word in any case, so that reading goes on.
    let first = characters.next().map_or(0, |(_, first)| first.len_utf8());
    characters.find(|found| ends(*found)).map_or(text.len(), |(at, _)| at).max(first)
}
