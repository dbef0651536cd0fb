//! Messages and phrases, prepared for matching.

use crate::words::{Stem, stems};

/// A message, split once for all rules.
pub(super) struct Message<'a> {
    pub(super) text: &'a str,
    stems: Vec<String>,
    words: Vec<String>,
}

/// A word, or several words in a row.
#[derive(Debug, Clone)]
pub(super) enum Phrase {
    /// Stems that follow each other. Stop words (`the`, `of`) may stand between them.
    Stems(Vec<String>),
    /// For phrases that contain stop words, such as `to do`: all words must follow each other.
    Words(Vec<String>),
}

impl<'a> Message<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let all = stems(text);
        Self { text, stems: without_stop_words(&all), words: stem_texts(&all) }
    }

    pub(super) fn has(&self, phrase: &Phrase) -> bool {
        match phrase {
            Phrase::Stems(phrase) => contains_phrase(&self.stems, phrase),
            Phrase::Words(phrase) => contains_phrase(&self.words, phrase),
        }
    }
}

impl Phrase {
    /// `None` for a text without letters and digits.
    pub(super) fn new(keyword: &str) -> Option<Self> {
        let all = stems(keyword);
        let without_stop_words = without_stop_words(&all);
        match without_stop_words.len() {
            _ if all.is_empty() => None,
            length if length == all.len() => Some(Self::Stems(without_stop_words)),
            _ => Some(Self::Words(stem_texts(&all))),
        }
    }
}

fn contains_phrase(text: &[String], phrase: &[String]) -> bool {
    text.windows(phrase.len()).any(|part| part == phrase)
}

/// The stems that are not stop words.
fn without_stop_words(stems: &[Stem]) -> Vec<String> {
    stems.iter().filter(|stem| !stem.is_stop_word).map(|stem| stem.text.clone()).collect()
}

fn stem_texts(stems: &[Stem]) -> Vec<String> {
    stems.iter().map(|stem| stem.text.clone()).collect()
}
