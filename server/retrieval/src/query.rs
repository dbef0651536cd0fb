//! The words and pieces of a query.

use hashbrown::HashSet;

use crate::model::Row;
use crate::words::{Dictionary, Word};

/// The words and pieces of a query, without stop words unless it contains only these.
pub(crate) struct Query {
    /// Without duplicate stems.
    pub(crate) words: Vec<Word>,
    pub(crate) pieces: Vec<Row>,
    /// The words that the model does not contain as a whole.
    pub(crate) unfamiliar: Vec<Word>,
}

impl Query {
    pub(crate) fn of(text: &str) -> Self {
        let mut dictionary = Dictionary::default();
        let text = dictionary.read(text);
        let text = dictionary.meaningful(&text);
        let mut query =
            Self { words: Vec::new(), pieces: dictionary.pieces(&text), unfamiliar: Vec::new() };
        let mut seen = HashSet::new();
        for id in text {
            let word = dictionary.word(id);
            if !seen.insert(word.stem.as_str()) {
                continue;
            }
            query.words.push(word.clone());
            if dictionary.pieces(&[id]).len() != 1 {
                query.unfamiliar.push(word.clone());
            }
        }
        query
    }
}
