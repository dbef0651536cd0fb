//! The object of what a text asks for: the last content word before a preposition, behind the verb.

use crate::english::Kind;
use crate::words::{Dictionary, WordId};

/// Objects of a text that has no verb.
const WITHOUT_VERB: usize = 2;

/// The heads of the objects of a query: one behind its verb, or the first two without one. A literal ends an object, as a
/// preposition does.
pub(crate) fn heads(
    words: &[WordId],
    verb: Option<usize>,
    dictionary: &Dictionary,
    is_literal: impl Fn(WordId) -> bool,
) -> Vec<WordId> {
    let ends = |id: WordId| ends_object(id, dictionary) || is_literal(id);
    let runs = words[verb.unwrap_or_default()..].split(|id| ends(*id));
    let heads = runs.filter_map(|run| {
        run.iter().rev().copied().find(|id| !Kind::Qualifier.has(&dictionary.word(*id).surface))
    });
    heads.take(if verb.is_some() { 1 } else { WITHOUT_VERB }).collect()
}

/// The head of the first object of a text of the catalogue.
pub(crate) fn object(
    words: &[WordId],
    verb: Option<usize>,
    dictionary: &Dictionary,
) -> Option<WordId> {
    heads(words, verb, dictionary, |_| false).first().copied()
}

fn ends_object(id: WordId, dictionary: &Dictionary) -> bool {
    let surface = &dictionary.word(id).surface;
    dictionary.is_stop_word(id)
        || Kind::Preposition.has(surface)
        || surface.chars().all(|c| c.is_ascii_digit())
}
