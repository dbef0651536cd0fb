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
    /// Stems that stand next to each other, where words without meaning (`the`, `of`) may stand between.
    Stems(Vec<String>),
    /// With such words itself, as `to do` and `this note`: all of them stand next to each other.
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
        let mut parts = parts(keyword).peekable();
        parts.peek()?;
        let is_plain = parts.all(|word| !stems(word).is_empty());
        let phrase =
            if is_plain { Self::Stems(stems(keyword)) } else { Self::Words(words(keyword)) };
        Some(phrase)
    }
}

fn holds(text: &[String], phrase: &[String]) -> bool {
    text.windows(phrase.len()).any(|part| part == phrase)
}

/// All words, stemmed where they have a stem.
fn words(text: &str) -> Vec<String> {
    let stem = |word: &str| {
        let stems = stems(word);
        if stems.is_empty() { word.to_lowercase() } else { stems.join(" ") }
    };
    parts(text).map(stem).collect()
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}
