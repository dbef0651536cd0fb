//! A message as keywords are looked for in it.

use crate::words::{Stem, stems};

/// A message, taken apart once for all rules.
pub(super) struct Message<'a> {
    pub(super) text: &'a str,
    stems: Vec<String>,
    words: Vec<String>,
}

/// A word, or words that belong together.
#[derive(Debug, Clone)]
pub(super) enum Phrase {
    /// Stems that stand next to each other, where words without meaning (`the`, `of`) may stand between.
    Stems(Vec<String>),
    /// With such words itself, as `to do` and `this note`: all of them stand next to each other.
    Words(Vec<String>),
}

impl<'a> Message<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let all = stems(text);
        Self { text, stems: telling(&all), words: texts(&all) }
    }

    pub(super) fn has(&self, phrase: &Phrase) -> bool {
        match phrase {
            Phrase::Stems(phrase) => holds(&self.stems, phrase),
            Phrase::Words(phrase) => holds(&self.words, phrase),
        }
    }
}

impl Phrase {
    /// None for a text without letters and digits.
    pub(super) fn new(keyword: &str) -> Option<Self> {
        let all = stems(keyword);
        let telling = telling(&all);
        match telling.len() {
            _ if all.is_empty() => None,
            length if length == all.len() => Some(Self::Stems(telling)),
            _ => Some(Self::Words(texts(&all))),
        }
    }
}

fn holds(text: &[String], phrase: &[String]) -> bool {
    text.windows(phrase.len()).any(|part| part == phrase)
}

/// Without stop words.
fn telling(stems: &[Stem]) -> Vec<String> {
    stems.iter().filter(|stem| !stem.is_stop_word).map(|stem| stem.text.clone()).collect()
}

fn texts(stems: &[Stem]) -> Vec<String> {
    stems.iter().map(|stem| stem.text.clone()).collect()
}
