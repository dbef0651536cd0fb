//! Which notes may match an expression, by the words that they hold.

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::Index;
use super::tokens::is_cut;
use super::words::Words;
use crate::links::FileId;
use crate::search::Need;

/// Most words that are named: to look for more is not faster than to look for the expression.
const MOST_NAMED: usize = 32;

/// The notes that may match an expression.
pub(crate) struct Candidates {
    /// In no order.
    pub(crate) files: Vec<FileId>,
    /// Of what a match needs within a word, the words that have it; the start alone of those that are very
    /// long. None if there are many, or some are not ASCII.
    pub(crate) words: Option<Vec<String>>,
}

/// What has what is needed.
struct Holding {
    /// By entry.
    entries: Vec<bool>,
    /// As in [`Candidates`].
    words: Option<Vec<String>>,
}

impl Index {
    /// The notes that have what is needed, and those that could not be read.
    pub(crate) fn candidates(&self, need: &Need) -> Candidates {
        let Holding { entries, words } = self.words.holding(need);
        let notes = self.files.iter().flatten().filter(|indexed| {
            indexed.is_unread() || indexed.entry.is_some_and(|entry| entries[entry.index()])
        });
        Candidates { files: notes.map(|indexed| indexed.file).collect(), words }
    }
}

impl Words {
    fn holding(&self, need: &Need) -> Holding {
        let both = |a: &Need, b: &Need| (self.holding(a), self.holding(b));
        match need {
            Need::Word(piece) => self.holding_piece(piece),
            Need::Both(a, b) => {
                let (a, b) = both(a, b);
                let entries = a.entries.iter().zip(b.entries).map(|(a, b)| *a && b).collect();
                // Either list will do.
                let lists = a.words.into_iter().chain(b.words);
                Holding { entries, words: lists.min_by_key(Vec::len) }
            }
            Need::Either(a, b) => {
                let (a, b) = both(a, b);
                let entries = a.entries.iter().zip(b.entries).map(|(a, b)| *a || b).collect();
                let lists = a.words.zip(b.words);
                let words = lists.map(|(a, b)| [a, b].concat());
                Holding { entries, words: words.filter(|words| words.len() <= MOST_NAMED) }
            }
        }
    }

    fn holding_piece(&self, piece: &Regex) -> Holding {
        let mut entries = vec![false; self.entries.len()];
        let mut words = Some(Vec::new());
        for (index, postings) in self.postings.iter().enumerate() {
            let word = self.dictionary.text(index);
            if is_cut(word) || stands_in(piece, word) {
                for (entry, _) in postings.iter() {
                    entries[entry as usize] = true;
                }
                match &mut words {
                    Some(named) if named.len() < MOST_NAMED && word.is_ascii() => {
                        named.push(word.to_owned());
                    }
                    _ => words = None,
                }
            }
        }
        Holding { entries, words }
    }
}

/// Folding puts a letter and its marks together, where an expression may match the letter alone. For an
/// expression, what is beyond ASCII may end a word; that depends on its version of Unicode.
fn stands_in(piece: &Regex, word: &str) -> bool {
    if word.is_ascii() {
        return piece.is_match(word);
    }
    let plain = |c: char| if c.is_ascii() || c == 'ſ' { c } else { ' ' };
    piece.is_match(&word.nfd().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::words;
    use crate::search::CaseSensitivity;

    #[test]
    fn where_a_word_ends_in_a_text_it_ends_among_the_words_of_the_text() {
        for (source, before, after) in [(r"foo\b", "foo", ""), (r"\bfoo", "", "foo")] {
            let need = Need::of(source, CaseSensitivity::Sensitive).unwrap();
            let Need::Word(piece) = need else { panic!("{source} needs a word") };
            let expression = Regex::new(source).unwrap();
            for c in '\0'..=char::MAX {
                let text = format!("{before}{c}{after}");
                let mut found = false;
                words(&text, |word, _| found = found || stands_in(&piece, word));
                assert!(found || !expression.is_match(&text), "{source} {text:?}");
            }
        }
    }
}
