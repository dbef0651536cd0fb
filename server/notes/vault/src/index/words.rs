//! The inverted index: which notes hold a word, and how much it weighs there.
//!
//! Postings are only ever appended. A changed note is entered again under the next number, and its
//! old entry is dead. [`Words::compact`] removes dead entries once there are many.

use std::collections::HashMap;

use hashbrown::DefaultHashBuilder;
use serde::{Deserialize, Serialize};

use super::tokens::for_each_word;
use crate::links::FileId;

/// The number of dead entries that never causes a compaction.
const DEAD_ENTRIES: usize = 1000;
/// The number of words in dead entries that never causes a compaction.
const DEAD_WORDS: u64 = 1 << 17;

/// An indexed version of a note. The numbers grow with each entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct EntryId(u32);

/// All words of all notes.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Words {
    /// The occurrences of each word, in ascending order of their entries.
    pub(super) postings: HashMap<Box<str>, Vec<Posting>, DefaultHashBuilder>,
    /// The entries; an [`EntryId`] is an index here.
    pub(super) entries: Vec<Entered>,
    pub(super) live: usize,
    /// The number of words in the live entries.
    pub(super) live_length: u64,
    /// The number of words in the dead entries.
    dead_length: u64,
}

/// The occurrence of a word in a note.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Posting {
    pub(super) entry: u32,
    pub(super) weight: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Entered {
    /// `None` once the note has changed or no longer exists.
    pub(super) file: Option<FileId>,
    /// The number of words in the note.
    pub(super) length: u32,
}

/// A part of a note, and the weight of its words.
pub(crate) type WeightedText<'a> = (&'a str, u32);

impl Words {
    /// Enters a note.
    pub(crate) fn add(&mut self, file: FileId, body: &str, fields: &[WeightedText<'_>]) -> EntryId {
        let entry = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let mut length = 0_u32;
        for_each_word(body, |word, _| {
            length = length.saturating_add(1);
            self.add_weight(word, entry, 1);
        });
        for &(text, weight) in fields {
            for_each_word(text, |word, _| self.add_weight(word, entry, weight));
        }
        self.entries.push(Entered { file: Some(file), length });
        self.live += 1;
        self.live_length += u64::from(length);
        EntryId(entry)
    }

    /// Adds to the weight of a word in the newest entry.
    fn add_weight(&mut self, word: &str, entry: u32, weight: u32) {
        let Some(postings) = self.postings.get_mut(word) else {
            self.postings.insert(word.into(), vec![Posting { entry, weight }]);
            return;
        };
        match postings.last_mut() {
            Some(last) if last.entry == entry => last.weight = last.weight.saturating_add(weight),
            _ => postings.push(Posting { entry, weight }),
        }
    }

    /// Marks an entry as dead.
    pub(crate) fn remove(&mut self, entry: EntryId) {
        let entered = &mut self.entries[entry.index()];
        if entered.file.take().is_some() {
            self.live -= 1;
            self.live_length -= u64::from(entered.length);
            self.dead_length += u64::from(entered.length);
        }
    }

    /// Enters all of `other` after what is here, and returns by how much its entries moved.
    pub(crate) fn absorb(&mut self, other: Self) -> u32 {
        if self.entries.is_empty() {
            *self = other;
            return 0;
        }
        let offset = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        for (word, postings) in other.postings {
            let moved = |posting: Posting| Posting { entry: posting.entry + offset, ..posting };
            let known = self.postings.entry(word).or_default();
            known.reserve_exact(postings.len());
            known.extend(postings.into_iter().map(moved));
        }
        self.entries.extend(other.entries);
        self.live += other.live;
        self.live_length += other.live_length;
        self.dead_length += other.dead_length;
        offset
    }

    /// Whether loaded words are consistent in themselves and with this number of files. If so, no
    /// later query can fail.
    pub(super) fn is_sound(&self, files: usize) -> bool {
        let entries = self.entries.len();
        let is_sound = |postings: &Vec<Posting>| {
            postings.is_sorted_by(|a, b| a.entry < b.entry)
                && postings.last().is_none_or(|last| (last.entry as usize) < entries)
        };
        let live = || self.entries.iter().filter(|entered| entered.file.is_some());
        let length = |entered: &Entered| u64::from(entered.length);
        let live_length: u64 = live().map(length).sum();
        let all_length: u64 = self.entries.iter().map(length).sum();
        u32::try_from(entries).is_ok()
            && self.postings.values().all(is_sound)
            && live().filter_map(|entered| entered.file).all(|id| id.index() < files)
            && self.live == live().count()
            && self.live_length == live_length
            && self.dead_length == all_length - live_length
    }

    /// The file that an entry belongs to.
    pub(super) fn file_of(&self, entry: EntryId) -> Option<FileId> {
        self.entries.get(entry.index())?.file
    }

    /// Whether so much is dead that it should be removed.
    pub(crate) fn needs_compaction(&self) -> bool {
        let dead = self.entries.len() - self.live;
        (dead > DEAD_ENTRIES && dead > self.live / 4)
            || (self.dead_length > DEAD_WORDS && self.dead_length > self.live_length / 4)
    }

    /// Removes dead entries, and returns each old entry's new number.
    pub(crate) fn compact(&mut self) -> Vec<Option<EntryId>> {
        let mut next = 0;
        let new_entry = |entered: &Entered| {
            entered.file.map(|_| {
                next += 1;
                EntryId(next - 1)
            })
        };
        let moved: Vec<Option<EntryId>> = self.entries.iter().map(new_entry).collect();
        self.entries.retain(|entered| entered.file.is_some());
        self.postings.retain(|_, postings| {
            let new = |posting: &Posting| {
                let EntryId(entry) = moved[posting.entry as usize]?;
                Some(Posting { entry, ..*posting })
            };
            *postings = postings.iter().filter_map(new).collect();
            !postings.is_empty()
        });
        self.dead_length = 0;
        moved
    }
}

impl EntryId {
    /// The same entry after [`Words::absorb`].
    pub(crate) fn offset_by(self, offset: u32) -> Self {
        Self(self.0 + offset)
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::FileNames;
    use crate::path::VaultPath;

    fn files(count: usize) -> Vec<FileId> {
        let mut names = FileNames::default();
        let path = |number| VaultPath::parse(&format!("{number}.md")).unwrap();
        (0..count).map(|number| names.insert(path(number))).collect()
    }

    /// The scores of the notes for a few words.
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
    fn compaction_removes_dead_entries_and_changes_no_score() {
        let files = files(3000);
        let (mut worn, mut fresh) = (Words::default(), Words::default());
        for (number, file) in files.iter().enumerate() {
            let old = worn.add(*file, "third even none", &[]);
            worn.remove(old);
            worn.remove(old);
            worn.add(*file, &text(number), &[]);
            fresh.add(*file, &text(number), &[]);
        }
        assert_eq!(found(&worn), found(&fresh));
        assert!(worn.needs_compaction() && !fresh.needs_compaction());
        let moved = worn.compact();
        assert_eq!(found(&worn), found(&fresh));
        assert!(!worn.needs_compaction());
        assert_eq!(moved.iter().flatten().count(), 3000);
    }

    #[test]
    fn changes_of_a_long_text_trigger_compaction_early() {
        let (file, text) = (files(1)[0], "word ".repeat(50_000));
        let mut words = Words::default();
        let mut edits = 0;
        while !words.needs_compaction() {
            let entry = words.add(file, &text, &[]);
            words.remove(entry);
            edits += 1;
            assert!(edits < 20);
        }
        words.compact();
        assert!(!words.needs_compaction());
    }

    #[test]
    fn repeated_edits_use_bounded_memory() {
        let files = files(10);
        let mut words = Words::default();
        let mut entries: Vec<Option<EntryId>> = vec![None; files.len()];
        let mut most = (0, 0, 0);
        for edit in 0..8000 {
            let note = edit % files.len();
            if let Some(old) = entries[note].take() {
                words.remove(old);
            }
            entries[note] = Some(words.add(files[note], &format!("always once{edit}"), &[]));
            if words.needs_compaction() {
                let moved = words.compact();
                for entry in &mut entries {
                    *entry = entry.and_then(|entry| moved[entry.index()]);
                }
            }
            let postings: usize = words.postings.values().map(Vec::len).sum();
            most.0 = most.0.max(words.entries.len());
            most.1 = most.1.max(words.postings.len());
            most.2 = most.2.max(postings);
        }
        assert!(most.0 <= 1012 && most.1 <= 1014 && most.2 <= 2030, "{most:?}");
        assert_eq!(words.scores(&["always".to_owned()]).len(), files.len());
    }
}
