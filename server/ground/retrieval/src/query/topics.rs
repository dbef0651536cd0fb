//! How much the words of a query say about what is done: little if they name a thing or a topic.

use std::sync::LazyLock;

use hashbrown::HashMap;
use regex::Regex;

use crate::english::Kind;
use crate::lexical::Lexicon;
use crate::words::Dictionary;

/// The factor of paths, quotations, words with digits, and names.
pub(super) const LITERAL: f32 = 0.05;
/// The factor of the words of a topic, and of those that neither the model nor the documents know.
pub(super) const TOPIC: f32 = 0.3;
/// Words of a query that say what is done, before a topic may begin.
const BEFORE_TOPIC: usize = 2;

static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#""[^"]{1,80}"|“[^”]{1,80}”|`[^`]{1,80}`|\s'[^',.;]{2,60}'(?:[\s,.;:?!]|$)"#).ok()
});
static FILE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\w\.[a-z]{2,4}$").ok());

/// The factor of each stem, between 0 and 1. A stem that is missing has the factor 1.
pub(super) fn factors(
    text: &str,
    dictionary: &mut Dictionary,
    lexicon: &Lexicon,
) -> HashMap<String, f32> {
    let mut factors = topic_factors(text, dictionary);
    let mut weaken = |part: &str, dictionary: &mut Dictionary| {
        for id in dictionary.read(part) {
            let factor = factors.entry(dictionary.word(id).stem.clone()).or_insert(1.0);
            *factor = factor.min(LITERAL);
        }
    };
    for quoted in QUOTED.iter().flat_map(|quoted| quoted.find_iter(text)) {
        weaken(quoted.as_str(), dictionary);
    }
    let tokens: Vec<&str> = text.split_whitespace().map(bare).collect();
    for (at, token) in tokens.iter().enumerate() {
        let starts_high = |at: usize| at > 0 && tokens.get(at).is_some_and(|t| is_capitalised(t));
        if is_path(token) {
            weaken(token, dictionary);
            // The capitalised words before a file's name belong to it.
            let before = (1..at).rev().take_while(|at| is_capitalised(tokens[*at]));
            before.for_each(|at| weaken(tokens[at], dictionary));
        } else if token.contains(|c: char| c.is_ascii_digit()) {
            weaken(token, dictionary);
        } else if starts_high(at) && !is_acronym(token) {
            let mut words = dictionary.read(token).into_iter();
            let is_known = words.any(|id| lexicon.find(dictionary.word(id)).is_some());
            if !is_known || (at > 1 && starts_high(at - 1)) || starts_high(at + 1) {
                weaken(token, dictionary);
            }
        }
    }
    factors
}

fn topic_factors(text: &str, dictionary: &mut Dictionary) -> HashMap<String, f32> {
    let mut factors = HashMap::new();
    let (mut is_topic, mut seen) = (false, 0);
    for token in text.split_whitespace() {
        let all = dictionary.read(token);
        for id in dictionary.without_stop_words(&all) {
            let factor = if is_topic && seen >= BEFORE_TOPIC { TOPIC } else { 1.0 };
            let known = factors.entry(dictionary.word(id).stem.clone()).or_insert(0.0_f32);
            *known = known.max(factor);
            seen += 1;
        }
        is_topic |= Kind::Topic.has(&bare(token).to_lowercase());
    }
    factors
}

fn bare(token: &str) -> &str {
    token.trim_matches(|c: char| ".,;:!?()\"'".contains(c))
}

fn is_path(token: &str) -> bool {
    (token.contains('/') && !token.starts_with("http"))
        || FILE.as_ref().is_some_and(|file| file.is_match(token))
}

fn is_capitalised(token: &str) -> bool {
    token.chars().next().is_some_and(char::is_uppercase)
}

fn is_acronym(token: &str) -> bool {
    !token.contains(char::is_lowercase)
}
