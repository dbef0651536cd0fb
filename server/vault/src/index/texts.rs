//! The words of texts in their order, and where their lines start.
//!
//! They tell whether words stand in one line, and in which order, as postings do not. They take about as much
//! room as positions among the postings would, and are written as the texts are read.

use serde::{Deserialize, Serialize};

use super::dictionary::Word;

/// Number from which on one takes four bytes, the first bit of which is set, and not two.
const WIDE: u16 = 1 << 15;
/// Most room in bytes that dead texts take, however few are live.
const DEAD: usize = 1 << 20;

/// A text for each entry.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Texts {
    /// Of each word its number doubled, and one more where it is the first of its line. The bytes of most
    /// take two: for the processor it is quicker than one, two or three, which it would have to guess.
    #[serde(with = "super::bytes")]
    bytes: Vec<u8>,
    /// By entry: where its text ends.
    ends: Vec<usize>,
    /// How many of the bytes are of dead entries.
    dead: usize,
}

/// Some of the pieces that are looked for in a line: a bit for each, the first the lowest.
pub(crate) type PieceSet = u16;

impl Texts {
    /// Appends a word to the text of the next entry.
    pub(super) fn push(&mut self, word: Word, starts_line: bool) {
        let number = word.0 << 1 | u32::from(starts_line);
        match u16::try_from(number) {
            Ok(number) if number < WIDE => self.bytes.extend_from_slice(&number.to_be_bytes()),
            _ => self.bytes.extend_from_slice(&(number | u32::from(WIDE) << 16).to_be_bytes()),
        }
    }

    /// Ends the text of the next entry.
    pub(super) fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Appends another text, whose words have other numbers here.
    pub(super) fn append(&mut self, other: &Self, entry: usize, numbers: &[Word]) {
        for (word, starts_line) in other.words(entry) {
            self.push(numbers[word.0 as usize], starts_line);
        }
        self.end();
    }

    /// Takes note that an entry is dead.
    pub(super) fn forget(&mut self, entry: usize) {
        self.dead += self.of(entry).len();
    }

    /// Whether so much is dead that it should be left out.
    pub(super) fn is_worn(&self) -> bool {
        self.dead > DEAD && self.dead > self.bytes.len() / 4
    }

    /// Whether a line has words in which so many pieces match, one after the other; several may match in one
    /// word. `matching` tells for each word which do.
    pub(super) fn have_line(&self, entry: usize, count: usize, matching: &[PieceSet]) -> bool {
        let mut found = 0;
        self.words(entry).any(|(word, starts_line)| {
            if starts_line {
                found = 0;
            }
            let next = matching[word.0 as usize] >> found;
            // Most words have nothing to do with it, which the processor guesses.
            if next & 1 == 0 {
                return false;
            }
            // The first word that a piece matches in leaves the most to the pieces after it.
            found += next.trailing_ones();
            found as usize >= count
        })
    }

    /// In how many lines they do, if that is certain: not where three of them match in one word, in whatever
    /// order, or one in a word that is `vague`. `pairs` tells for each word which of them stand in it with the
    /// next one after them.
    pub(super) fn count_lines(
        &self,
        entry: usize,
        count: usize,
        [matching, pairs]: [&[PieceSet]; 2],
        vague: impl Fn(Word) -> bool,
    ) -> Option<usize> {
        let (mut found, mut lines) = (0, 0);
        for (word, starts_line) in self.words(entry) {
            if starts_line {
                found = 0;
            }
            let index = word.0 as usize;
            let next = matching[index] >> found;
            if next & 1 == 0 || found >= count {
                continue;
            }
            let is_pair = pairs[index] >> found & 1 == 1;
            if vague(word) || (is_pair && next & 0b100 > 0) {
                return None;
            }
            found += if is_pair { 2 } else { 1 };
            lines += usize::from(found == count);
        }
        Some(lines)
    }

    /// Whether there is a text for each entry, of words that there are.
    pub(super) fn is_sound(&self, words: usize, entries: usize) -> bool {
        self.ends.len() == entries
            && self.ends.is_sorted()
            && self.ends.last().is_none_or(|&end| end <= self.bytes.len())
            && self.dead <= self.bytes.len()
            && (0..entries)
                .all(|entry| self.words(entry).all(|(word, _)| (word.0 as usize) < words))
    }

    fn of(&self, entry: usize) -> &[u8] {
        let start = if entry == 0 { 0 } else { self.ends[entry - 1] };
        &self.bytes[start..self.ends[entry]]
    }

    fn words(&self, entry: usize) -> impl Iterator<Item = (Word, bool)> {
        let mut halves = self.of(entry).as_chunks().0.iter().map(|half| u16::from_be_bytes(*half));
        std::iter::from_fn(move || {
            let first = halves.next()?;
            let number = if first < WIDE {
                first.into()
            } else {
                u32::from(first - WIDE) << 16 | u32::from(halves.next()?)
            };
            Some((Word(number >> 1), number & 1 == 1))
        })
    }
}
