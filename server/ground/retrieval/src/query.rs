//! The words and pieces of a query.

use std::borrow::Cow;

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
    pub(crate) fn parse(text: &str) -> Self {
        let mut dictionary = Dictionary::default();
        let text = dictionary.read(&without_references(text));
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

/// The text without the keys and numbers of things, such as `PROJ-123` and `42`: they say which thing is meant, not
/// what is done with it. A text that has nothing else stays.
fn without_references(text: &str) -> Cow<'_, str> {
    let others: Vec<&str> = text.split_whitespace().filter(|token| !is_reference(token)).collect();
    if others.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(others.join(" ")) }
}

fn is_reference(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    let token = token.strip_suffix("'s").unwrap_or(token);
    let (key, number) = token.rsplit_once('-').unwrap_or(("", token));
    let is_key = key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    is_key && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}
