//! Which notes may match an expression, by the words that they hold.

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::Index;
use super::postings::Postings;
use super::texts::PieceSet;
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
    pub(super) fn holding(&self, need: &Need) -> Vec<bool> {
        let joined = |a, b, join: fn(bool, bool) -> bool| {
            let pairs = self.holding(a).into_iter().zip(self.holding(b));
            pairs.map(|(a, b)| join(a, b)).collect()
        };
        match need {
            Need::Line(pieces) => self.holding_line(pieces),
            Need::Both(a, b) => joined(a, b, |a, b| a && b),
            Need::Either(a, b) => joined(a, b, |a, b| a || b),
        }
    }

    /// Few texts are looked through: those that have the rarest piece. One that is alone needs no line.
    fn holding_line(&self, pieces: &[Regex]) -> Vec<bool> {
        let words = (0..self.postings.len()).map(|word| self.dictionary.text(word));
        let matching: Vec<_> = words.map(|word| matching_in(word, pieces)).collect();
        let postings_of = |piece: usize| {
            let words = matching.iter().zip(&self.postings);
            words.filter(move |(set, _)| **set >> piece & 1 == 1).map(|(_, postings)| postings)
        };
        let frequency = |piece: &usize| postings_of(*piece).map(Postings::size).sum::<usize>();
        let mut holding = vec![false; self.entries.len()];
        let rarest = (0..pieces.len()).min_by_key(frequency);
        for (entry, _) in rarest.into_iter().flat_map(postings_of).flat_map(Postings::iter) {
            holding[entry as usize] = true;
        }
        if pieces.len() > 1 {
            for (entry, holds) in holding.iter_mut().enumerate() {
                *holds = *holds && self.texts.have_line(entry, pieces.len(), &matching);
            }
        }
        holding
    }
}

/// Which pieces match in a word; all may in one that was cut.
fn matching_in(word: &str, pieces: &[Regex]) -> PieceSet {
    let cut = is_cut(word);
    let matching = pieces.iter().map(|piece| PieceSet::from(cut || stands_in(piece, word)));
    matching.rev().fold(0, |set, matching| set << 1 | matching)
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
    use crate::links::Names;
    use crate::path::VaultPath;
    use crate::search::CaseSensitivity;

    #[test]
    fn notes_that_hold_the_words_in_another_order_or_in_other_lines_are_left_out() {
        let cut = format!("foo {}", "a".repeat(100));
        let long = "foo bar ".repeat(20);
        for (source, text, expected) in [
            (&*long, &*long, true),
            (&long, "bar foo", false),
            ("foo.*bar", "a FOO, and a bar", true),
            ("foo.*bar", "unfoobarred", true),
            ("foo.*bar", "bar foo", false),
            ("foo.*bar", "foo\nbar", false),
            ("foo.*bar", "foo\r\n\r\nbar", false),
            ("foo.*bar", "bar\nbar foo\n\nfoo bar", true),
            ("foo.*bar", &cut, true),
            ("foo bar", "bar, foo", false),
            ("(foo) (bar)", "bar, foo", false),
            ("foo.*ta", "foo ta", true),
            ("foo.*ta", "ta foo", false),
            ("ta.*foo.*bar", "foo ta bar", false),
            ("foo.*fifteen.*bar", "foo, AWordOfMoreThanFifteenBytes, bar", true),
            ("fifteen.*foo", "foo, AWordOfMoreThanFifteenBytes, bar", false),
            (r"foo\s+bar", "foo\n\nbar", true),
            ("foo[^x]*bar", "foo\nbar", true),
            ("(?s)foo.*bar", "foo\nbar", true),
            (r"foo bar\nbaz foo", "foo bar\nbaz foo", true),
            (r"foo bar\nbaz foo", "bar foo\nbaz foo", false),
            ("foo.*(bar foo|quux bar)", "foo, quux bar", true),
            ("foo.*(bar foo|quux bar)", "foo\nbar quux", false),
            ("foo.*(foo |bar )+.*baz", "foo bar baz", true),
            ("foo.*語.*bar", "foo 語 bar", true),
            ("foo.*é.*bar", "bar é foo", false),
        ] {
            let mut words = Words::default();
            let file = Names::default().insert(VaultPath::parse("a.md").unwrap());
            words.add(file, text, &[("foo bar baz", 5)]);
            words.settle();
            let need = Need::of(source, CaseSensitivity::Insensitive).unwrap();
            assert_eq!(words.holding(&need), [expected], "{source} {text:?}");
        }
    }

    #[test]
    fn where_a_word_ends_in_a_text_it_ends_among_the_words_of_the_text() {
        for (source, before, after) in [(r"foo\b", "foo", ""), (r"\bfoo", "", "foo")] {
            let need = Need::of(source, CaseSensitivity::Sensitive).unwrap();
            let Need::Line(pieces) = need else { panic!("{source} needs a word") };
            let expression = Regex::new(source).unwrap();
            for c in '\0'..=char::MAX {
                let text = format!("{before}{c}{after}");
                let mut found = false;
                words(&text, |word, _| found = found || stands_in(&pieces[0], word));
                assert!(found || !expression.is_match(&text), "{source} {text:?}");
            }
        }
    }
}
