//! Which notes may match an expression, by the words that they hold.

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::Index;
use super::tokens::is_cut;
use super::words::Words;
use crate::links::FileId;
use crate::search::Need;

impl Index {
    /// The notes that have what is needed, and those that could not be read; in no order.
    pub(crate) fn candidates(&self, need: &Need) -> Vec<FileId> {
        let holding = self.words.holding(need);
        let notes = self.files.iter().flatten().filter(|indexed| {
            indexed.is_unread() || indexed.entry.is_some_and(|entry| holding[entry.index()])
        });
        notes.map(|indexed| indexed.file).collect()
    }
}

impl Words {
    /// By entry, whether it has what is needed.
    fn holding(&self, need: &Need) -> Vec<bool> {
        let joined = |a, b, join: fn(bool, bool) -> bool| {
            let pairs = self.holding(a).into_iter().zip(self.holding(b));
            pairs.map(|(a, b)| join(a, b)).collect()
        };
        match need {
            Need::Word(piece) => self.holding_piece(piece),
            Need::Both(a, b) => joined(a, b, |a, b| a && b),
            Need::Either(a, b) => joined(a, b, |a, b| a || b),
        }
    }

    fn holding_piece(&self, piece: &Regex) -> Vec<bool> {
        let mut holding = vec![false; self.entries.len()];
        for (index, postings) in self.postings.iter().enumerate() {
            let word = self.dictionary.text(index);
            if is_cut(word) || stands_in(piece, word) {
                for (entry, _) in postings.iter() {
                    holding[entry as usize] = true;
                }
            }
        }
        holding
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
