//! Words of identifiers and prose, as the ranking sees them.

use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};
use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

use crate::model::{self, Row};

/// Too common in questions to tell tools apart. Verbs of APIs (get, list, create) are not here.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../model/stopwords.txt").lines().collect());

/// A word in lower case, and the stem under which it is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Word {
    pub(crate) surface: String,
    pub(crate) stem: String,
}

/// What a word is counted as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stem {
    /// In lower case.
    pub text: String,
    /// It is too common to tell anything.
    pub is_stop_word: bool,
}

/// The stems of a text's words, in their order.
pub fn stems(text: &str) -> Vec<Stem> {
    let mut dictionary = Dictionary::default();
    let words = dictionary.read(text).into_iter().map(|id| dictionary.entry(id));
    let stem =
        |entry: &Entry| Stem { text: entry.word.stem.clone(), is_stop_word: entry.is_stop_word };
    words.map(stem).collect()
}

/// The position of a word in a [`Dictionary`].
pub(crate) type WordId = u32;

/// The words of texts, each looked at once.
pub(crate) struct Dictionary {
    stemmer: Stemmer,
    entries: Vec<Entry>,
    ids: HashMap<String, WordId>,
}

struct Entry {
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
    /// The words of a text.
    pub(crate) fn read(&mut self, text: &str) -> Vec<WordId> {
        let mut found = Vec::new();
        split(text, |word| found.push(self.id(word)));
        found
    }

    fn id(&mut self, surface: &str) -> WordId {
        if let Some(id) = self.ids.get(surface) {
            return *id;
        }
        // English suffixes are no suffixes elsewhere.
        let is_english = surface.is_ascii();
        let stem = if is_english { self.stemmer.stem(surface) } else { surface.into() };
        let entry = Entry {
            is_stop_word: STOP_WORDS.contains(surface),
            pieces: model::pieces(surface),
            word: Word { stem: stem.into_owned(), surface: surface.to_owned() },
        };
        // Gigabytes of words end in one that is wrong, not in a panic.
        let id = WordId::try_from(self.entries.len()).unwrap_or(WordId::MAX);
        self.entries.push(entry);
        self.ids.insert(surface.to_owned(), id);
        id
    }

    fn entry(&self, id: WordId) -> &Entry {
        &self.entries[id as usize]
    }

    pub(crate) fn word(&self, id: WordId) -> &Word {
        &self.entry(id).word
    }

    /// Without stop words.
    pub(crate) fn telling(&self, words: &[WordId]) -> Vec<WordId> {
        words.iter().copied().filter(|word| !self.entry(*word).is_stop_word).collect()
    }

    /// Without stop words; all of it where nothing else is left.
    pub(crate) fn meaningful(&self, words: &[WordId]) -> Vec<WordId> {
        let telling = self.telling(words);
        if telling.is_empty() { words.to_vec() } else { telling }
    }

    /// What the model has for the words.
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

/// The words of a text in lower case: `camelCase` and `ACRONYMWord` split, digits together, ideographs
/// alone.
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

/// Whether this is the plural's `s` of an acronym: `URLs`. Stemming leaves it where there is no vowel.
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
        let telling = dictionary.telling(&words);
        let stems: Vec<&str> =
            telling.iter().map(|word| dictionary.word(*word).stem.as_str()).collect();
        assert_eq!(stems, ["show", "meet", "größen"]);
        let the = dictionary.read("the");
        assert_eq!(dictionary.meaningful(&the), the);
    }
}
