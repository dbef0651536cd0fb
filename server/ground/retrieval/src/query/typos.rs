//! Mends typing errors: a word that nobody knows becomes the nearest one that the documents or the verbs have.

use std::borrow::Cow;
use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::lexical::Lexicon;
use crate::model;
use crate::verbs::Verbs;
use crate::words::Dictionary;

/// Shorter words have too many neighbours.
const SHORTEST: usize = 4;
/// Words of this length may have two errors.
const TWO_ERRORS: usize = 8;
/// Words of a query that are mended, at most: each costs a search.
const MENDED: usize = 4;
/// Longer words are none.
const LONGEST: usize = 24;

/// The words that a typing error may have meant, with the number of documents that have them.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    /// By first letter and length.
    words: HashMap<(u8, usize), Vec<(String, usize)>>,
}

impl Vocabulary {
    pub(crate) fn new(lexicon: &Lexicon, verbs: &Verbs) -> Self {
        let mut vocabulary = Self::default();
        for (word, holders) in lexicon.words() {
            vocabulary.add(word, holders);
        }
        for word in verbs.words() {
            let stem = Dictionary::stem(word);
            vocabulary.add(word, lexicon.count_holders(&stem));
        }
        // Among equals, the first of the alphabet.
        vocabulary.words.values_mut().for_each(|words| {
            words.sort_unstable();
            words.dedup();
        });
        vocabulary
    }

    fn add(&mut self, word: &str, holders: usize) {
        if word.len() >= SHORTEST && word.len() <= LONGEST && is_word(word) {
            let key = (word.as_bytes()[0], word.len());
            self.words.entry(key).or_default().push((word.to_owned(), holders));
        }
    }

    fn has(&self, word: &str) -> bool {
        let words = self.words.get(&(word.as_bytes()[0], word.len()));
        words.is_some_and(|words| words.iter().any(|(known, _)| known == word))
    }

    /// The text with its typing errors mended.
    pub(crate) fn mend<'a>(&self, text: &'a str, lexicon: &Lexicon) -> Cow<'a, str> {
        let mut mended = String::new();
        let (mut copied, mut count) = (0, 0);
        for (at, word) in letters(text) {
            if count == MENDED {
                break;
            }
            let lower = word.to_ascii_lowercase();
            let Some(meant) = self.meant(&lower, lexicon) else { continue };
            mended.push_str(&text[copied..at]);
            mended.push_str(meant);
            copied = at + word.len();
            count += 1;
        }
        if count == 0 {
            return Cow::Borrowed(text);
        }
        mended.push_str(&text[copied..]);
        Cow::Owned(mended)
    }

    /// The word that an unknown one means.
    fn meant(&self, word: &str, lexicon: &Lexicon) -> Option<&str> {
        let is_candidate = word.len() >= SHORTEST && word.len() <= LONGEST;
        let is_known = |word: &str| {
            model::is_word(word)
                || self.has(word)
                || lexicon.find_stem(&Dictionary::stem(word)).is_some()
        };
        if !is_candidate || is_known(word) {
            return None;
        }
        let most = if word.len() < TWO_ERRORS { 1 } else { 2 };
        let (first, second) = (word.as_bytes()[0], word.as_bytes()[1]);
        let starts = |other: &str| {
            let other = other.as_bytes();
            other[0] == first || (other[0] == second && other[1] == first)
        };
        let firsts = if first == second { &[first][..] } else { &[first, second] };
        let lengths = word.len() - most..=word.len() + most;
        let keys = lengths.flat_map(|length| firsts.iter().map(move |first| (*first, length)));
        let words = keys.filter_map(|key| self.words.get(&key)).flatten();
        let near = words.filter(|(other, _)| starts(other)).filter_map(|(other, holders)| {
            let distance = distance(word.as_bytes(), other.as_bytes());
            (distance <= most).then_some((distance, Reverse(*holders), other.as_str()))
        });
        near.min().map(|(.., meant)| meant)
    }
}

/// The words of ASCII letters in a text, with their positions. Words in mixed case are identifiers.
fn letters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.split(|c: char| !c.is_alphabetic());
    let start = text.as_ptr() as usize;
    let words = words.map(move |word| (word.as_ptr() as usize - start, word));
    let is_plain =
        |word: &str| word.is_ascii() && !word.chars().skip(1).any(|c| c.is_ascii_uppercase());
    words.filter(move |(_, word)| is_plain(word))
}

fn is_word(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The number of letters to add, leave out, replace, or swap with the next one (restricted Damerau-Levenshtein).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let width = b.len() + 1;
    let mut before = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; width];
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            let mut errors = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                errors = errors.min(before[j - 1] + 1);
            }
            row[j + 1] = errors;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
