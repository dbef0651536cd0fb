//! Splits identifiers and prose into words and stems.

use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};
use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

use crate::model::{self, Row};

/// Words too frequent in questions to distinguish tools. Verbs of APIs (get, list, create) are not included.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../model/stopwords.txt").lines().collect());

/// A word in lower case, and its stem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Word {
    pub(crate) surface: String,
    pub(crate) stem: String,
}

/// The stem of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem {
    /// In lower case.
    pub text: String,
    /// Whether the word is too frequent to be significant.
    pub is_stop_word: bool,
}

/// Returns the stems of a text's words, in order.
pub fn stems(text: &str) -> Vec<Stem> {
    let mut dictionary = Dictionary::default();
    let words = dictionary.read(text).into_iter().map(|id| dictionary.entry(id));
    let stem = |entry: &DictionaryEntry| Stem {
        text: entry.word.stem.clone(),
        is_stop_word: entry.is_stop_word,
    };
    words.map(stem).collect()
}

/// The position of a word in a [`Dictionary`].
pub(crate) type WordId = u32;

/// The words of texts, each analysed once.
pub(crate) struct Dictionary {
    stemmer: Stemmer,
    entries: Vec<DictionaryEntry>,
    ids: HashMap<String, WordId>,
}

struct DictionaryEntry {
    word: Word,
    is_stop_word: bool,
    pieces: Vec<Row>,
}

impl Default for Dictionary {
    fn default() -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        Self { stemmer, entries: Vec::new(), ids: HashMap::new() }
    }
}

impl Dictionary {
    /// Splits a text into words.
    pub(crate) fn read(&mut self, text: &str) -> Vec<WordId> {
        let mut found = Vec::new();
        split(text, |word| found.push(self.id(word)));
        found
    }

    fn id(&mut self, surface: &str) -> WordId {
        if let Some(id) = self.ids.get(surface) {
            return *id;
        }
        // The stemmer knows only English suffixes.
        let is_english = surface.is_ascii();
        let stem = if is_english { self.stemmer.stem(surface) } else { surface.into() };
        let entry = DictionaryEntry {
            is_stop_word: STOP_WORDS.contains(surface),
            pieces: model::pieces(surface),
            word: Word { stem: stem.into_owned(), surface: surface.to_owned() },
        };
        // Only texts with more than 4 billion words get a wrong id, and do not panic.
        let id = WordId::try_from(self.entries.len()).unwrap_or(WordId::MAX);
        self.entries.push(entry);
        self.ids.insert(surface.to_owned(), id);
        id
    }

    /// The stem of a word in lower case. The stemmer knows only English suffixes.
    pub(crate) fn stem(surface: &str) -> String {
        let english = || Stemmer::create(Algorithm::English).stem(surface).into_owned();
        if surface.is_ascii() { english() } else { surface.to_owned() }
    }

    fn entry(&self, id: WordId) -> &DictionaryEntry {
        &self.entries[id as usize]
    }

    pub(crate) fn word(&self, id: WordId) -> &Word {
        &self.entry(id).word
    }

    /// Whether a word is too frequent to be significant.
    pub(crate) fn is_stop_word(&self, id: WordId) -> bool {
        self.entry(id).is_stop_word
    }

    /// Removes stop words.
    pub(crate) fn without_stop_words(&self, words: &[WordId]) -> Vec<WordId> {
        words.iter().copied().filter(|word| !self.entry(*word).is_stop_word).collect()
    }

    /// Removes stop words, unless there are no other words.
    pub(crate) fn meaningful(&self, words: &[WordId]) -> Vec<WordId> {
        let without_stop_words = self.without_stop_words(words);
        if without_stop_words.is_empty() { words.to_vec() } else { without_stop_words }
    }

    /// The rows of the model for these words.
    pub(crate) fn pieces(&self, words: &[WordId]) -> Vec<Row> {
        words.iter().flat_map(|word| &self.entry(*word).pieces).copied().collect()
    }
}

#[derive(PartialEq, Clone, Copy)]
enum LetterKind {
    Lower,
    Upper,
    Digit,
    Ideograph,
    Gap,
}

fn kind(c: char) -> LetterKind {
    match c {
        'a'..='z' => LetterKind::Lower,
        'A'..='Z' => LetterKind::Upper,
        '0'..='9' => LetterKind::Digit,
        c if c.is_ascii() => LetterKind::Gap,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => {
            LetterKind::Ideograph
        }
        c if c.is_numeric() => LetterKind::Digit,
        c if c.is_uppercase() => LetterKind::Upper,
        c if c.is_alphabetic() => LetterKind::Lower,
        _ => LetterKind::Gap,
    }
}

/// Splits a text into words in lower case. Splits `camelCase` and `ACRONYMWord`, keeps digits together, and
/// makes each ideograph a word.
fn split(text: &str, mut found: impl FnMut(&str)) {
    let mut word = String::new();
    let mut before = LetterKind::Gap;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let rest = chars.as_str();
        let here = match kind(c) {
            LetterKind::Lower if before == LetterKind::Upper && is_plural(&word, c, rest) => {
                LetterKind::Gap
            }
            kind => kind,
        };
        let starts = match (before, here) {
            (_, LetterKind::Gap | LetterKind::Ideograph)
            | (LetterKind::Lower, LetterKind::Upper) => true,
            // The last capital of an acronym begins the next word: HTTPServer.
            (LetterKind::Upper, LetterKind::Upper) => {
                let mut ahead = rest.chars();
                let next = ahead.next();
                is_lower(next) && !next.is_some_and(|next| is_plural("..", next, ahead.as_str()))
            }
            (LetterKind::Upper, LetterKind::Lower) => false,
            (before, here) => before != here,
        };
        if starts && !word.is_empty() {
            found(&word);
            word.clear();
        }
        match here {
            LetterKind::Gap => {}
            _ if c.is_ascii() => word.push(c.to_ascii_lowercase()),
            _ => word.extend(c.to_lowercase()),
        }
        before = here;
    }
    if !word.is_empty() {
        found(&word);
    }
}

/// Whether `c` is the plural `s` of an acronym, as in `URLs`. The stemmer keeps it if there is no vowel.
fn is_plural(acronym: &str, c: char, rest: &str) -> bool {
    c == 's' && acronym.chars().nth(1).is_some() && !is_lower(rest.chars().next())
}

fn is_lower(c: Option<char>) -> bool {
    c.is_some_and(|c| kind(c) == LetterKind::Lower)
}

#[cfg(test)]
mod tests {
    use super::{Dictionary, split};

    #[test]
    fn splits_identifiers_acronyms_digits_and_ideographs() {
        let words = |text| {
            let mut words = Vec::new();
            split(text, |word| words.push(word.to_owned()));
            words
        };
        assert_eq!(words("getHTTPServer_v2"), ["get", "http", "server", "v", "2"]);
        assert_eq!(words("日本 notes"), ["日", "本", "notes"]);
        assert_eq!(words("PRs listURLs APIStatus"), ["pr", "list", "url", "api", "status"]);
    }

    #[test]
    fn stems_are_english_and_stop_words_are_known() {
        let mut dictionary = Dictionary::default();
        let words = dictionary.read("show the meetings größen");
        let without_stop_words = dictionary.without_stop_words(&words);
        let stems: Vec<&str> =
            without_stop_words.iter().map(|word| dictionary.word(*word).stem.as_str()).collect();
        assert_eq!(stems, ["show", "meet", "größen"]);
        let the = dictionary.read("the");
        assert_eq!(dictionary.meaningful(&the), the);
    }
}
