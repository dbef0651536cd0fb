//! The inverted index: which notes hold a word, and how much it weighs there.
//!
//! Postings are only ever appended. A note that changes is entered anew under the next number, and
//! its old entry is dead; when many are, [`Words::compacted`] leaves them out.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};

use super::tokens::words;
use crate::links::FileId;

/// A note as it was when it was entered. Grows with each entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Entry(u32);

/// Length of the log that is entered at the latest.
const LOG: usize = 1 << 17;
/// Words that are looked up together at most.
const LOOK_UP: usize = 1 << 12;

/// A word's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word(u32);

/// All words of all notes.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Words {
    pub(super) dictionary: Dictionary,
    /// By [`Word`].
    pub(super) postings: Vec<Postings>,
    /// By [`Entry`].
    pub(super) entries: Vec<Entered>,
    pub(super) live: usize,
    /// Of the live entries, in words.
    pub(super) total_length: u64,
    #[serde(skip)]
    scratch: Scratch,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Entered {
    /// `None` once the note has changed or is gone.
    pub(super) file: Option<FileId>,
    /// In words.
    pub(super) length: u32,
}

/// Entries in ascending order, each as the distance from the one before and a weight.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Postings {
    bytes: Vec<u8>,
    last: u32,
}

/// What a note's words weigh so far.
#[derive(Default)]
struct Scratch {
    /// By [`Word`]; zero if it is not in `seen`.
    weights: Vec<u32>,
    seen: Vec<Word>,
    /// Short words that are still to be looked up, with their hashes and weights.
    short: Vec<(Start, u64, u32)>,
    /// Words, entries and weights that are not among the postings yet. Many at a time are put there
    /// word by word, because each list of postings lies elsewhere in memory.
    log: Vec<(u32, u32, u32)>,
}

/// A part of a note, and what a word in it weighs.
pub(crate) type Field<'a> = (&'a str, u32);

impl Words {
    /// Enters a note; [`settle`](Self::settle) makes it found.
    pub(crate) fn add(&mut self, file: FileId, body: &str, fields: &[Field<'_>]) -> Entry {
        let mut length = 0_u32;
        words(body, |word, _| {
            length = length.saturating_add(1);
            self.read(word, 1);
        });
        for (text, weight) in fields {
            words(text, |word, _| self.read(word, *weight));
        }
        self.look_up();
        let entry = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        for word in self.scratch.seen.drain(..) {
            let weight = std::mem::take(&mut self.scratch.weights[word.0 as usize]);
            self.scratch.log.push((word.0, entry, weight));
        }
        if self.scratch.log.len() >= LOG {
            self.settle();
        }
        self.entries.push(Entered { file: Some(file), length });
        self.live += 1;
        self.total_length += u64::from(length);
        Entry(entry)
    }

    /// Enters what is still in the log. Before that, the last notes are not found.
    pub(super) fn settle(&mut self) {
        self.scratch.log.sort_unstable();
        for (word, entry, weight) in self.scratch.log.drain(..) {
            self.postings[word as usize].push(entry, weight);
        }
    }

    /// Takes note of a word. Short ones are looked up together later, so that the processor waits
    /// for many of them at once.
    fn read(&mut self, word: &str, weight: u32) {
        let start = Start::of(word);
        if start.is_all() {
            self.scratch.short.push((start, self.dictionary.hash(start), weight));
            if self.scratch.short.len() >= LOOK_UP {
                self.look_up();
            }
        } else {
            let word = self.dictionary.word(word);
            self.weigh(word, weight);
        }
    }

    /// Looks up the short words that are waiting for it.
    fn look_up(&mut self) {
        let mut short = std::mem::take(&mut self.scratch.short);
        for (start, hash, weight) in short.drain(..) {
            let word = self.dictionary.short(start, hash);
            self.weigh(word, weight);
        }
        self.scratch.short = short;
    }

    fn weigh(&mut self, word: Word, weight: u32) {
        let index = word.0 as usize;
        if index == self.postings.len() {
            self.postings.push(Postings::default());
            self.scratch.weights.push(0);
        }
        let weights = &mut self.scratch.weights[index];
        if *weights == 0 {
            self.scratch.seen.push(word);
        }
        *weights = weights.saturating_add(weight);
    }

    /// Forgets an entry.
    pub(crate) fn remove(&mut self, entry: Entry) {
        let entered = &mut self.entries[entry.0 as usize];
        if entered.file.take().is_some() {
            self.live -= 1;
            self.total_length -= u64::from(entered.length);
        }
    }

    /// Enters all of `other` after what is here, and returns by how much its entries moved.
    pub(crate) fn absorb(&mut self, mut other: Self) -> u32 {
        self.settle();
        other.settle();
        if self.entries.is_empty() {
            *self = other;
            return 0;
        }
        let offset = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        for (index, postings) in other.postings.iter().enumerate() {
            let word = self.dictionary.word(other.dictionary.text(index));
            if word.0 as usize == self.postings.len() {
                self.postings.push(Postings::default());
                self.scratch.weights.push(0);
            }
            self.postings[word.0 as usize].append(postings, offset);
        }
        self.entries.extend(&other.entries);
        self.live += other.live;
        self.total_length += other.total_length;
        offset
    }

    /// Makes what is not saved: after loading, before anything else.
    pub(super) fn prepare(&mut self) {
        self.dictionary.make_table();
        self.scratch.weights.resize(self.postings.len(), 0);
    }

    /// Whether so much is dead that it should be left out.
    pub(crate) fn is_worn(&self) -> bool {
        let dead = self.entries.len() - self.live;
        dead > 1000 && dead > self.live / 4
    }

    /// The live entries only, and each old entry's new number.
    pub(crate) fn compacted(&self) -> (Self, Vec<Option<Entry>>) {
        let mut new = Self::default();
        let mut moved = Vec::with_capacity(self.entries.len());
        for entered in &self.entries {
            moved.push(entered.file.map(|_| {
                new.entries.push(*entered);
                Entry(u32::try_from(new.entries.len() - 1).unwrap_or(u32::MAX))
            }));
        }
        for (index, postings) in self.postings.iter().enumerate() {
            let mut kept = Postings::default();
            for (entry, weight) in postings.iter() {
                if let Some(Entry(entry)) = moved[entry as usize] {
                    kept.push(entry, weight);
                }
            }
            if !kept.bytes.is_empty() {
                kept.bytes.shrink_to_fit();
                new.dictionary.word(self.dictionary.text(index));
                new.postings.push(kept);
                new.scratch.weights.push(0);
            }
        }
        (new.live, new.total_length) = (self.live, self.total_length);
        (new, moved)
    }
}

impl Entry {
    /// The same entry after [`Words::absorb`].
    pub(crate) fn moved(self, offset: u32) -> Self {
        Self(self.0 + offset)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Postings {
    fn push(&mut self, entry: u32, weight: u32) {
        write_number(entry - self.last, &mut self.bytes);
        write_number(weight, &mut self.bytes);
        self.last = entry;
    }

    /// Appends what stands in another list, moved by `offset`; only the first distance changes.
    fn append(&mut self, other: &Self, offset: u32) {
        let mut rest = other.bytes.as_slice();
        let Some(first) = read_number(&mut rest) else { return };
        write_number(first + offset - self.last, &mut self.bytes);
        self.bytes.extend_from_slice(rest);
        self.last = other.last + offset;
    }

    /// Entries and weights.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut rest = self.bytes.as_slice();
        let mut entry = 0;
        std::iter::from_fn(move || {
            entry += read_number(&mut rest)?;
            Some((entry, read_number(&mut rest)?))
        })
    }
}

/// LEB128: seven bits a byte, the low ones first.
fn write_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

fn read_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

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

    fn of(word: &str) -> Self {
        let mut start = [0; 16];
        let length = word.len().min(Self::LENGTH);
        start[..length].copy_from_slice(&word.as_bytes()[..length]);
        start[Self::LENGTH] = u8::try_from(word.len()).unwrap_or(u8::MAX);
        Self(start)
    }

    /// Whether it is all of the word.
    fn is_all(self) -> bool {
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
    fn word(&mut self, word: &str) -> Word {
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
    fn short(&mut self, start: Start, hash: u64) -> Word {
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

    fn make_table(&mut self) {
        for word in 0..self.ends.len() {
            let text = self.text(word);
            let start = Start::of(text);
            let hash = if start.is_all() { self.hash(start) } else { self.hasher.hash_one(text) };
            let number = Word(u32::try_from(word).unwrap_or(u32::MAX));
            self.link(start, hash, number);
        }
    }

    /// The hash of a short word.
    fn hash(&self, start: Start) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::Names;
    use crate::path::VaultPath;

    fn files(count: usize) -> Vec<FileId> {
        let mut names = Names::default();
        let path = |number| VaultPath::parse(&format!("{number}.md")).unwrap();
        (0..count).map(|number| names.insert(path(number))).collect()
    }

    /// What is found for a few words of notes that say which of them they hold.
    fn found(words: &Words) -> Vec<Vec<(FileId, f32)>> {
        let asked = ["even", "third", "awordofmorethanfifteenbytes", "número", "none"];
        asked.iter().map(|word| words.scores(&[(*word).to_owned()])).collect()
    }

    fn text(number: usize) -> String {
        let mut text = "filler ".repeat(number % 7);
        for (divisor, word) in
            [(2, "even"), (3, "third"), (5, "AWordOfMoreThanFifteenBytes Número")]
        {
            if number.is_multiple_of(divisor) {
                text.push_str(word);
                text.push('\n');
            }
        }
        text
    }

    #[test]
    fn parts_that_are_put_together_answer_as_a_whole_does() {
        let files = files(300);
        let mut whole = Words::default();
        let mut parts = [Words::default(), Words::default(), Words::default()];
        for (number, file) in files.iter().enumerate() {
            whole.add(*file, &text(number), &[("even", 3)]);
            parts[number / 100].add(*file, &text(number), &[("even", 3)]);
        }
        whole.settle();
        let mut joined = Words::default();
        for part in parts {
            joined.absorb(part);
        }
        assert_eq!(found(&joined), found(&whole));
        assert_eq!(found(&whole)[0].len(), 300);
    }

    #[test]
    fn what_is_dead_is_not_found_and_leaving_it_out_changes_no_answer() {
        let files = files(3000);
        let (mut worn, mut fresh) = (Words::default(), Words::default());
        for (number, file) in files.iter().enumerate() {
            let old = worn.add(*file, "third even none", &[]);
            worn.remove(old);
            worn.remove(old);
            worn.add(*file, &text(number), &[]);
            fresh.add(*file, &text(number), &[]);
        }
        worn.settle();
        fresh.settle();
        assert_eq!(found(&worn), found(&fresh));
        assert!(worn.is_worn() && !fresh.is_worn());
        let (compacted, moved) = worn.compacted();
        assert_eq!(found(&compacted), found(&fresh));
        assert!(!compacted.is_worn());
        assert_eq!(moved.iter().flatten().count(), 3000);
    }
}
