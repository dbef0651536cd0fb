//! Messages and phrases, prepared for matching.

use crate::english::{Kind, is_greeting};
use crate::verbs::Verbs;
use crate::words::{Dictionary, Stem, WordId, stems};

/// A subject counts among so many words behind a verb or a question word, without stop words.
const REACH: usize = 6;
/// A message with so many words that are not stop words may begin with its subject, without a verb.
const SHORT: usize = 4;

/// A message, split once for all rules.
pub(super) struct Message<'a> {
    pub(super) text: &'a str,
    stems: Vec<String>,
    words: Vec<String>,
    /// For each word, whether the message asks for something about it. Empty if it asks for nothing.
    is_asked: Vec<bool>,
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
        let mut dictionary = Dictionary::default();
        let ids = dictionary.read(text);
        let is_asked = if is_statement(text, &ids, &dictionary) {
            Vec::new()
        } else {
            asked(&ids, &dictionary)
        };
        Self { text, stems: without_stop_words(&all), words: stem_texts(&all), is_asked }
    }

    /// Whether it says something, and neither greets nor states.
    pub(super) fn asks(&self) -> bool {
        !self.is_asked.is_empty() && !self.stems.is_empty()
    }

    pub(super) fn has(&self, phrase: &Phrase) -> bool {
        match phrase {
            Phrase::Stems(phrase) => contains_phrase(&self.stems, phrase),
            Phrase::Words(phrase) => contains_phrase(&self.words, phrase),
        }
    }

    /// Whether the message asks for something about what the phrase names.
    pub(super) fn asks_about(&self, phrase: &Phrase) -> bool {
        let (Phrase::Stems(phrase) | Phrase::Words(phrase)) = phrase;
        let parts = self.words.windows(phrase.len()).zip(&self.is_asked);
        parts.into_iter().any(|(part, is_asked)| *is_asked && part == phrase)
    }
}

/// Whether a text asks for nothing: a greeting, or what is told.
fn is_statement(text: &str, words: &[WordId], dictionary: &Dictionary) -> bool {
    let word = |at: usize| words.get(at).map_or("", |id| dictionary.word(*id).surface.as_str());
    is_greeting(text) || Kind::Statement.has(word(0)) || (word(0) == "note" && word(1) == "that")
}

fn asked(words: &[WordId], dictionary: &Dictionary) -> Vec<bool> {
    let verbs = Verbs::shipped();
    let surface = |at: usize| dictionary.word(words[at]).surface.as_str();
    let begins = |at: usize| {
        (at == 0 && Kind::Question.has(surface(at)))
            || Kind::Action.has(surface(at))
            || verbs.is_at(words, at, dictionary)
    };
    let is_content = |at: &usize| !dictionary.is_stop_word(words[*at]);
    let content: Vec<usize> = (0..words.len()).filter(is_content).collect();
    let mut is_asked = vec![false; words.len()];
    for verb in (0..words.len()).filter(|at| begins(*at)) {
        let behind = content.iter().filter(|at| **at > verb).take(REACH);
        let end = behind.last().map_or(verb, |last| *last);
        is_asked[verb..=end].iter_mut().skip(1).for_each(|asked| *asked = true);
    }
    if let (Some(first), ..=SHORT) = (content.first(), content.len()) {
        is_asked[*first] = true;
    }
    is_asked
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
