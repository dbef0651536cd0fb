//! What is not among the postings yet.

use super::dictionary::Word;
use super::postings::Postings;

/// Length that is entered at the latest.
const FULL: usize = 1 << 16;

/// Words of entries. Many at a time are put among the postings word by word, because each list of
/// postings lies elsewhere in memory.
#[derive(Default)]
pub(super) struct Log {
    logged: Vec<Logged>,
    /// Room to sort it in.
    sorted: Vec<Logged>,
}

/// A word, an entry and a weight.
type Logged = (u32, u32, u32);

impl Log {
    /// Takes note of a word of an entry, which is not less than the one before.
    pub(super) fn push(&mut self, word: Word, entry: u32, weight: u32) {
        self.logged.push((word.0, entry, weight));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.logged.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.logged.len() >= FULL
    }

    /// Puts all among the postings, which have a list for each word.
    pub(super) fn settle(&mut self, postings: &mut [Postings]) {
        let Self { logged, sorted } = self;
        if logged.len() < postings.len() / 8 {
            logged.sort_unstable();
        } else {
            sort_by_word(logged, sorted, postings.len());
            std::mem::swap(logged, sorted);
        }
        for same_word in logged.chunk_by(|(word, ..), (next, ..)| word == next) {
            let entries = same_word.iter().map(|&(_, entry, weight)| (entry, weight));
            postings[same_word[0].0 as usize].extend(entries);
        }
        logged.clear();
    }
}

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
