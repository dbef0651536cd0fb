//! The inverted index: which notes hold a word, and how much it weighs there.
//!
//! Postings are only ever appended. A note that changes is entered anew under the next number, and
//! its old entry is dead; when many are, [`Words::compacted`] leaves them out.

use serde::{Deserialize, Serialize};

use super::dictionary::{Dictionary, Start, Word};
use super::fidelity::Fidelity;
use super::log::Log;
use super::postings::Postings;
use super::texts::Texts;
use super::tokens::words;
use crate::links::FileId;

/// A note as it was when it was entered. Grows with each entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Entry(u32);

/// Words that are looked up together at most.
const LOOK_UP: usize = 1 << 12;

/// All words of all notes.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Words {
    pub(super) dictionary: Dictionary,
    /// By [`Word`].
    pub(super) postings: Vec<Postings>,
    /// By [`Entry`].
    pub(super) entries: Vec<Entered>,
    pub(super) texts: Texts,
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
    /// Of the words to the text.
    pub(super) fidelity: Fidelity,
}

/// What a note's words weigh so far.
#[derive(Default)]
struct Scratch {
    /// By [`Word`]; zero if it is not in `seen`.
    weights: Vec<u32>,
    seen: Vec<Word>,
    /// Short words that are still to be looked up, with their hashes.
    short: Vec<(Start, u64, Place)>,
    /// The same, looked up.
    known: Vec<Word>,
    log: Log,
}

/// Where a word of a note stands.
#[derive(Clone, Copy)]
enum Place {
    Text { starts_line: bool },
    Field { weight: u32 },
}

/// A part of a note, and what a word in it weighs.
pub(crate) type Field<'a> = (&'a str, u32);

impl Words {
    /// Enters a note; [`settle`](Self::settle) makes it found.
    pub(crate) fn add(&mut self, file: FileId, body: &str, fields: &[Field<'_>]) -> Entry {
        let mut length = 0_u32;
        let line_end = |from| body[from..].find('\n').map_or(body.len(), |length| from + length);
        let mut end = line_end(0);
        words(body, |word, at| {
            length = length.saturating_add(1);
            let starts_line = at > end;
            if starts_line {
                end = line_end(at);
            }
            self.read(word, Place::Text { starts_line });
        });
        for &(text, weight) in fields {
            words(text, |word, _| self.read(word, Place::Field { weight }));
        }
        self.look_up();
        let entry = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        for word in self.scratch.seen.drain(..) {
            let weight = std::mem::take(&mut self.scratch.weights[word.0 as usize]);
            self.scratch.log.push(word, entry, weight);
        }
        self.texts.end();
        if self.scratch.log.is_full() {
            self.settle();
        }
        self.entries.push(Entered { file: Some(file), length, fidelity: Fidelity::of(body) });
        self.live += 1;
        self.total_length += u64::from(length);
        Entry(entry)
    }

    /// Whether all notes are found.
    pub(super) fn is_settled(&self) -> bool {
        self.scratch.log.is_empty()
    }

    /// Enters what is still in the log. Before that, the last notes are not found. Together they cost
    /// less than one by one: they have most words in common.
    pub(super) fn settle(&mut self) {
        self.scratch.log.settle(&mut self.postings);
    }

    /// Takes note of a word. Short ones are looked up together later, so that the processor waits
    /// for many of them at once.
    fn read(&mut self, word: &str, place: Place) {
        let start = Start::of(word);
        if start.is_all() {
            self.scratch.short.push((start, self.dictionary.hash(start), place));
            if self.scratch.short.len() >= LOOK_UP {
                self.look_up();
            }
        } else {
            // Those that stand before it come first.
            self.look_up();
            let word = self.dictionary.word(word);
            self.enter(word, place);
        }
    }

    /// Looks up the short words that are waiting for it.
    fn look_up(&mut self) {
        let mut short = std::mem::take(&mut self.scratch.short);
        let mut known = std::mem::take(&mut self.scratch.known);
        let dictionary = &mut self.dictionary;
        known.extend(short.iter().map(|&(start, hash, _)| dictionary.short(start, hash)));
        for (word, (.., place)) in known.drain(..).zip(short.drain(..)) {
            self.enter(word, place);
        }
        (self.scratch.short, self.scratch.known) = (short, known);
    }

    fn enter(&mut self, word: Word, place: Place) {
        let index = word.0 as usize;
        if index == self.postings.len() {
            self.postings.push(Postings::default());
            self.scratch.weights.push(0);
        }
        let weight = match place {
            Place::Text { starts_line } => {
                self.texts.push(word, starts_line);
                1
            }
            Place::Field { weight } => weight,
        };
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
            self.texts.forget(entry.index());
        }
    }

    /// Enters all of `other` after what is here, and returns by how much its entries moved.
    pub(crate) fn absorb(&mut self, mut other: Self) -> u32 {
        self.settle();
        other.settle();
        // From here on notes come one by one, which takes no such room.
        other.scratch.log = Log::default();
        if self.entries.is_empty() {
            *self = other;
            return 0;
        }
        let offset = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let mut numbers = Vec::with_capacity(other.postings.len());
        for (index, postings) in other.postings.iter().enumerate() {
            let word = self.dictionary.word(other.dictionary.text(index));
            if word.0 as usize == self.postings.len() {
                self.postings.push(Postings::default());
                self.scratch.weights.push(0);
            }
            self.postings[word.0 as usize].append(postings, offset);
            numbers.push(word);
        }
        self.entries.extend(&other.entries);
        for entry in 0..other.entries.len() {
            self.texts.append(&other.texts, entry, &numbers);
        }
        self.live += other.live;
        self.total_length += other.total_length;
        offset
    }

    /// Makes what is not saved: after loading, before anything else.
    pub(super) fn prepare(&mut self) {
        self.dictionary.make_table();
        self.scratch.weights.resize(self.postings.len(), 0);
    }

    /// Whether what was loaded is what such words look like, of so many files: whatever it says, nothing that
    /// is asked of it fails then.
    pub(super) fn is_sound(&self, files: usize) -> bool {
        let (words, entries) = (self.postings.len(), self.entries.len());
        let live = || self.entries.iter().filter(|entered| entered.file.is_some());
        self.dictionary.is_sound(words)
            && self.texts.is_sound(words, entries)
            && u32::try_from(entries).is_ok()
            && self.postings.iter().all(|postings| postings.is_sound(entries))
            && self.entries.iter().filter_map(|entered| entered.file).all(|id| id.index() < files)
            && self.live == live().count()
            && self.total_length == live().map(|entered| u64::from(entered.length)).sum::<u64>()
    }

    /// Whose entry it is.
    pub(super) fn file_of(&self, entry: Entry) -> Option<FileId> {
        self.entries.get(entry.index())?.file
    }

    /// Whether so much is dead that it should be left out.
    pub(crate) fn is_worn(&self) -> bool {
        let dead = self.entries.len() - self.live;
        (dead > 1000 && dead > self.live / 4) || self.texts.is_worn()
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
        let mut numbers = Vec::with_capacity(self.postings.len());
        for (index, postings) in self.postings.iter().enumerate() {
            let mut kept = Postings::default();
            for (entry, weight) in postings.iter() {
                if let Some(Entry(entry)) = moved[entry as usize] {
                    kept.push(entry, weight);
                }
            }
            if kept.is_empty() {
                // No text that is live has it.
                numbers.push(Word(u32::MAX));
            } else {
                kept.shrink();
                numbers.push(new.dictionary.word(self.dictionary.text(index)));
                new.postings.push(kept);
                new.scratch.weights.push(0);
            }
        }
        for (entry, _) in moved.iter().enumerate().filter(|(_, moved)| moved.is_some()) {
            new.texts.append(&self.texts, entry, &numbers);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::Names;
    use crate::path::VaultPath;
    use crate::search::{CaseSensitivity, Need};

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

    /// The notes with such words in this order in one line.
    fn found_in_line(words: &Words) -> Vec<FileId> {
        let need = Need::of("filler.*(?:even|third)", CaseSensitivity::Insensitive).unwrap();
        let entries = words.entries.iter().zip(words.candidates(&need));
        entries.filter(|(_, it)| it.is_some()).filter_map(|(entered, _)| entered.file).collect()
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
        assert_eq!(found_in_line(&joined), found_in_line(&whole));
        assert_eq!(found_in_line(&whole).len(), 171);
    }

    #[test]
    fn words_of_any_length_are_told_apart_wherever_they_differ() {
        let mut asked = Vec::new();
        for length in 1..=20 {
            for at in 0..length {
                let mut word = vec![b'a'; length];
                word[at] = b'b';
                asked.push(String::from_utf8(word).unwrap());
            }
        }
        let mut words = Words::default();
        let files = files(asked.len());
        for (file, word) in files.iter().zip(&asked) {
            words.add(*file, word, &[]);
        }
        words.settle();
        assert_eq!(words.postings.len(), asked.len());
        for (file, word) in files.iter().zip(&asked) {
            assert!(
                words.scores(std::slice::from_ref(word)).iter().any(|(found, _)| found == file),
                "{word}"
            );
        }
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
        assert_eq!(found_in_line(&compacted), found_in_line(&fresh));
        assert!(!compacted.is_worn());
        assert_eq!(moved.iter().flatten().count(), 3000);
    }

    #[test]
    fn a_long_text_that_changes_is_worn_before_there_are_many() {
        let (file, text) = (files(1)[0], "word ".repeat(50_000));
        let mut words = Words::default();
        let mut edits = 0;
        while !words.is_worn() {
            let entry = words.add(file, &text, &[]);
            words.remove(entry);
            edits += 1;
            assert!(edits < 20);
        }
        words.settle();
        assert!(!words.compacted().0.is_worn());
    }

    #[test]
    fn edits_without_end_take_no_more_than_some_room() {
        let files = files(10);
        let mut words = Words::default();
        let mut entries: Vec<Option<Entry>> = vec![None; files.len()];
        let mut most = (0, 0, 0);
        for edit in 0..8000 {
            let note = edit % files.len();
            if let Some(old) = entries[note].take() {
                words.remove(old);
            }
            entries[note] = Some(words.add(files[note], &format!("always once{edit}"), &[]));
            words.settle();
            if words.is_worn() {
                let (compacted, moved) = words.compacted();
                words = compacted;
                for entry in &mut entries {
                    *entry = entry.and_then(|entry| moved[entry.index()]);
                }
            }
            let postings: usize = words.postings.iter().map(|list| list.iter().count()).sum();
            most.0 = most.0.max(words.entries.len());
            most.1 = most.1.max(words.postings.len());
            most.2 = most.2.max(postings);
        }
        assert!(most.0 <= 1012 && most.1 <= 1014 && most.2 <= 2030, "{most:?}");
        assert_eq!(words.scores(&["always".to_owned()]).len(), files.len());
    }
}
