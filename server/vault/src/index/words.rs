//! The inverted index: which notes hold a word, and how much it weighs there.
//!
//! Postings are only ever appended. A note that changes is entered anew under the next number, and
//! its old entry is dead; when many are, [`Words::compacted`] leaves them out.

use serde::{Deserialize, Serialize};

use super::dictionary::{Dictionary, Start, Word};
use super::postings::Postings;
use super::tokens::words;
use crate::links::FileId;

/// A note as it was when it was entered. Grows with each entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Entry(u32);

/// Length of the log that is entered at the latest.
const LOG: usize = 1 << 16;
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

/// What a note's words weigh so far.
#[derive(Default)]
struct Scratch {
    /// By [`Word`]; zero if it is not in `seen`.
    weights: Vec<u32>,
    seen: Vec<Word>,
    /// Short words that are still to be looked up, with their hashes and weights.
    short: Vec<(Start, u64, u32)>,
    /// The same, looked up.
    known: Vec<Word>,
    /// What is not among the postings yet. Many at a time are put there word by word, because each
    /// list of postings lies elsewhere in memory.
    log: Vec<Logged>,
    /// Room to sort it in.
    sorted: Vec<Logged>,
}

/// A word, an entry and a weight.
type Logged = (u32, u32, u32);

/// Sorts a log by word, of which there are so many; what it says of one word stays in its order. Where
/// a log holds many words many times, counting them is faster than comparing.
fn sort_by_word(log: &[Logged], sorted: &mut Vec<Logged>, words: usize) {
    let mut places = vec![0_u32; words];
    for (word, ..) in log {
        places[*word as usize] += 1;
    }
    let mut sum = 0;
    for place in &mut places {
        (*place, sum) = (sum, sum + *place);
    }
    sorted.resize(log.len(), (0, 0, 0));
    for logged in log {
        let place = &mut places[logged.0 as usize];
        sorted[*place as usize] = *logged;
        *place += 1;
    }
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

    /// Whether all notes are found.
    pub(super) fn is_settled(&self) -> bool {
        self.scratch.log.is_empty()
    }

    /// Enters what is still in the log. Before that, the last notes are not found. Together they cost
    /// less than one by one: they have most words in common.
    pub(super) fn settle(&mut self) {
        let Scratch { log, sorted, .. } = &mut self.scratch;
        if log.len() < self.postings.len() / 8 {
            log.sort_unstable();
        } else {
            sort_by_word(log, sorted, self.postings.len());
            std::mem::swap(log, sorted);
        }
        for same_word in log.chunk_by(|(word, ..), (next, ..)| word == next) {
            let entries = same_word.iter().map(|&(_, entry, weight)| (entry, weight));
            self.postings[same_word[0].0 as usize].extend(entries);
        }
        log.clear();
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
        let mut known = std::mem::take(&mut self.scratch.known);
        let dictionary = &mut self.dictionary;
        known.extend(short.iter().map(|&(start, hash, _)| dictionary.short(start, hash)));
        for (word, (.., weight)) in known.drain(..).zip(short.drain(..)) {
            self.weigh(word, weight);
        }
        (self.scratch.short, self.scratch.known) = (short, known);
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
        // From here on notes come one by one, which takes no such room.
        (other.scratch.log, other.scratch.sorted) = (Vec::new(), Vec::new());
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
            if !kept.is_empty() {
                kept.shrink();
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
        assert!(!compacted.is_worn());
        assert_eq!(moved.iter().flatten().count(), 3000);
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
