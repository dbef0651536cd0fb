//! A message as keywords are looked for in it.

use crate::discovery::text::stems;

/// A message, taken apart once for all rules.
pub(super) struct Message<'a> {
    pub(super) text: &'a str,
    stems: Vec<String>,
    words: Vec<String>,
}

/// A word, or words that belong together.
#[derive(Debug, Clone)]
pub(super) enum Phrase {
    /// Stems that stand next to each other, where words without a stem of their own (`the`, `of`) may
    /// stand between.
    Stems(Vec<String>),
    /// Nothing but such words, as in `to do`: they stand next to each other as they are.
    Words(Vec<String>),
}

impl<'a> Message<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, stems: stems(text), words: words(text) }
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
        let (stems, words) = (stems(keyword), words(keyword));
        match (stems.is_empty(), words.is_empty()) {
            (false, _) => Some(Phrase::Stems(stems)),
            (true, false) => Some(Phrase::Words(words)),
            (true, true) => None,
        }
    }
}

fn holds(text: &[String], phrase: &[String]) -> bool {
    text.windows(phrase.len()).any(|part| part == phrase)
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}
