//! Each word once, with its number.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};

/// A word's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word(pub(super) u32);

/// Each distinct word once, all in one string.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Dictionary {
    text: String,
    /// By [`Word`]: where it ends in `text`.
    ends: Vec<u32>,
    #[serde(skip)]
    table: HashTable<(Start, Word)>,
    #[serde(skip)]
    hasher: DefaultHashBuilder,
}

/// The first bytes of a word, and its length. That tells short words apart without a look at their
/// text, which most likely is not in the processor's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start([u8; 16]);

impl Start {
    const LENGTH: usize = 15;

    /// Most words are put together from two numbers that overlap: to copy a few bytes, of which the
    /// compiler does not know how many, takes longer.
    pub(super) fn of(word: &str) -> Self {
        let bytes = &word.as_bytes()[..word.len().min(Self::LENGTH)];
        let ends = |first: u64, last: u64, size: usize| {
            u128::from(first) | u128::from(last) << (8 * (bytes.len() - size))
        };
        let number = match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                ends(u64::from_le_bytes(*first), u64::from_le_bytes(*last), 8)
            }
            _ => match (bytes.first_chunk(), bytes.last_chunk()) {
                (Some(first), Some(last)) => {
                    ends(u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into(), 4)
                }
                _ => bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte)),
            },
        };
        let mut start = number.to_le_bytes();
        start[Self::LENGTH] = u8::try_from(word.len()).unwrap_or(u8::MAX);
        Self(start)
    }

    /// Whether it is all of the word.
    pub(super) fn is_all(self) -> bool {
        usize::from(self.0[Self::LENGTH]) <= Self::LENGTH
    }

    /// The text of a short word.
    fn text(&self) -> &str {
        let length = usize::from(self.0[Self::LENGTH]).min(Self::LENGTH);
        str::from_utf8(&self.0[..length]).unwrap_or_default()
    }
}

impl std::hash::Hash for Start {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u128(u128::from_le_bytes(self.0));
    }
}

impl Dictionary {
    /// The number of a word, new if need be.
    pub(super) fn word(&mut self, word: &str) -> Word {
        let start = Start::of(word);
        if start.is_all() {
            return self.short(start, self.hash(start));
        }
        let Self { text, ends, table, hasher } = self;
        let is_it = |&(known_start, known): &(Start, Word)| {
            known_start == start && slice(text, ends, known.0 as usize) == word
        };
        let hash = hasher.hash_one(word);
        let known = table.find(hash, is_it).map(|&(_, known)| known);
        known.unwrap_or_else(|| self.insert(start, hash, word))
    }

    /// The number of a short word, new if need be.
    pub(super) fn short(&mut self, start: Start, hash: u64) -> Word {
        let known = self.table.find(hash, |(known, _)| *known == start).map(|&(_, known)| known);
        known.unwrap_or_else(|| self.insert(start, hash, start.text()))
    }

    fn insert(&mut self, start: Start, hash: u64, word: &str) -> Word {
        let new = Word(u32::try_from(self.ends.len()).unwrap_or(u32::MAX));
        self.text.push_str(word);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        self.link(start, hash, new);
        new
    }

    /// Enters a word into the table.
    fn link(&mut self, start: Start, hash: u64, word: Word) {
        let Self { text, ends, table, hasher } = self;
        table.insert_unique(hash, (start, word), |&(start, known)| {
            if start.is_all() {
                hasher.hash_one(start)
            } else {
                hasher.hash_one(slice(text, ends, known.0 as usize))
            }
        });
    }

    /// Whether it has so many words, each a part of the text.
    pub(super) fn is_sound(&self, words: usize) -> bool {
        self.ends.len() == words
            && self.ends.is_sorted()
            && self.ends.iter().all(|&end| self.text.is_char_boundary(end as usize))
    }

    pub(super) fn make_table(&mut self) {
        for word in 0..self.ends.len() {
            let text = self.text(word);
            let start = Start::of(text);
            let hash = if start.is_all() { self.hash(start) } else { self.hasher.hash_one(text) };
            let number = Word(u32::try_from(word).unwrap_or(u32::MAX));
            self.link(start, hash, number);
        }
    }

    /// The hash of a short word.
    pub(super) fn hash(&self, start: Start) -> u64 {
        self.hasher.hash_one(start)
    }

    pub(super) fn text(&self, word: usize) -> &str {
        slice(&self.text, &self.ends, word)
    }
}

fn slice<'a>(text: &'a str, ends: &[u32], word: usize) -> &'a str {
    let start = if word == 0 { 0 } else { ends[word - 1] as usize };
    &text[start..ends[word] as usize]
}
