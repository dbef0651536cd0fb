//! What a query says.

use hashbrown::HashSet;

use crate::model::Row;
use crate::words::{Dictionary, Word};

/// The words and pieces of a query, without stop words unless there are no others.
pub(crate) struct Query {
    /// Each stem once.
    pub(crate) words: Vec<Word>,
    pub(crate) pieces: Vec<Row>,
    /// The words that the model has only in pieces, or not at all.
    pub(crate) strange: Vec<Word>,
}

impl Query {
    pub(crate) fn of(text: &str) -> Self {
        let mut dictionary = Dictionary::default();
        let text = dictionary.read(text);
        let text = dictionary.meaningful(&text);
        let mut query =
            Self { words: Vec::new(), pieces: dictionary.pieces(&text), strange: Vec::new() };
        let mut seen = HashSet::new();
        for id in text {
            let word = dictionary.word(id);
            if !seen.insert(word.stem.as_str()) {
                continue;
            }
            query.words.push(word.clone());
            if dictionary.pieces(&[id]).len() != 1 {
                query.strange.push(word.clone());
            }
        }
        query
    }
}
