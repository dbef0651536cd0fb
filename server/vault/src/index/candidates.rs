//! Which notes may match an expression, by the words that they hold.

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::Index;
use super::dictionary::Word;
use super::postings::Postings;
use super::texts::PieceSet;
use super::tokens::is_cut;
use super::words::Words;
use crate::links::FileId;
use crate::search::{Line, Need};

/// What the words of a note tell of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Candidate {
    /// It may match somewhere.
    Maybe,
    /// It matches in so many lines, at least one.
    InLines(usize),
}

impl Index {
    /// The notes that have what is needed, and those that could not be read; in no order.
    pub(crate) fn candidates(&self, need: &Need) -> Vec<(FileId, Candidate)> {
        let candidates = self.words.candidates(need);
        let notes = self.files.iter().flatten().filter_map(|indexed| {
            let of_entry = indexed.entry.and_then(|entry| candidates[entry.index()]);
            let candidate = of_entry.or(indexed.is_unread().then_some(Candidate::Maybe));
            Some((indexed.file, candidate?))
        });
        notes.collect()
    }
}

impl Words {
    /// By entry, if it has what is needed.
    pub(super) fn candidates(&self, need: &Need) -> Vec<Option<Candidate>> {
        let joined = |a, b, join: fn(bool, bool) -> bool| {
            let pairs = self.candidates(a).into_iter().zip(self.candidates(b));
            let joined = pairs.map(|(a, b)| join(a.is_some(), b.is_some()));
            joined.map(|joined| joined.then_some(Candidate::Maybe)).collect()
        };
        match need {
            Need::Line(line) => self.with_line(line),
            Need::Both(a, b) => joined(a, b, |a, b| a && b),
            Need::Either(a, b) => joined(a, b, |a, b| a || b),
        }
    }

    /// Few texts are looked through: those that have the rarest piece.
    fn with_line(&self, line: &Line) -> Vec<Option<Candidate>> {
        let words = (0..self.postings.len()).map(|word| self.dictionary.text(word));
        let matching: Vec<_> = words.map(|word| matching_in(word, &line.pieces)).collect();
        let postings_of = |piece: usize| {
            let words = matching.iter().zip(&self.postings);
            words.filter(move |(set, _)| **set >> piece & 1 == 1).map(|(_, postings)| postings)
        };
        let frequency = |piece: &usize| postings_of(*piece).map(Postings::size).sum::<usize>();
        let mut candidates = vec![None; self.entries.len()];
        let rarest = (0..line.pieces.len()).min_by_key(frequency);
        for (entry, _) in rarest.into_iter().flat_map(postings_of).flat_map(Postings::iter) {
            candidates[entry as usize] = Some(Candidate::Maybe);
        }
        let pairs = line.all.as_ref().map(|all| self.holding_pairs(&all.pairs, &matching));
        for (entry, candidate) in candidates.iter_mut().enumerate() {
            if candidate.is_some() {
                *candidate = self.candidate(entry, line, &matching, pairs.as_deref());
            }
        }
        candidates
    }

    /// By word, which pieces stand in it with the next one after them.
    fn holding_pairs(&self, pairs: &[Regex], matching: &[PieceSet]) -> Vec<PieceSet> {
        let holding = matching.iter().enumerate().map(|(word, set)| {
            // Hardly any word has two pieces at all.
            let both = |pair: usize| set >> pair & 0b11 == 0b11;
            let held = |(at, pair): (usize, &Regex)| {
                let holds = both(at) && pair.is_match(self.dictionary.text(word));
                PieceSet::from(holds) << at
            };
            if set & set >> 1 == 0 { 0 } else { pairs.iter().enumerate().map(held).sum() }
        });
        holding.collect()
    }

    fn candidate(
        &self,
        entry: usize,
        line: &Line,
        matching: &[PieceSet],
        pairs: Option<&[PieceSet]>,
    ) -> Option<Candidate> {
        let count = line.pieces.len();
        if let (Some(all), Some(pairs)) = (&line.all, pairs)
            && self.entries[entry].fidelity >= all.needed
        {
            let text_of = |word: Word| self.dictionary.text(word.0 as usize);
            let vague = |word| !text_of(word).is_ascii() || is_cut(text_of(word));
            match self.texts.count_lines(entry, count, [matching, pairs], vague) {
                Some(0) => return None,
                Some(lines) => return Some(Candidate::InLines(lines)),
                None => {}
            }
        }
        // A piece that is alone needs no line.
        (count == 1 || self.texts.have_line(entry, count, matching)).then_some(Candidate::Maybe)
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

    /// What the words of a text tell of an expression.
    fn candidate(source: &str, text: &str) -> Option<Candidate> {
        let mut words = Words::default();
        let file = Names::default().insert(VaultPath::parse("a.md").unwrap());
        words.add(file, text, &[("foo bar baz", 5)]);
        words.settle();
        words.candidates(&Need::of(source, CaseSensitivity::Insensitive).unwrap())[0]
    }

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
            assert_eq!(candidate(source, text).is_some(), expected, "{source} {text:?}");
        }
    }

    #[test]
    fn the_lines_that_match_are_counted_where_words_tell() {
        let all = "A foo. Bar\nfoo\nbar foo\r\nfoo: bar, foo bar\n";
        for (source, text, expected) in [
            ("foo", all, Some(4)),
            (r"\bfoo\b", all, Some(4)),
            ("foo|bar", all, Some(4)),
            ("foo.*bar", all, Some(2)),
            (r".*\bfoo[^\n]*?(bar)", all, Some(2)),
            ("baz", "In its name only", Some(0)),
            ("foo", "a foo_bar — “foo”\nfoo\u{200D}l", Some(2)),
            ("foo bar", "foo bar", None),
            ("^foo", "foo", None),
            ("(?-i)foo", "foo", None),
            ("(?s)foo.*bar", "foo bar", None),
            ("foo.+bar", "foo bar", None),
            ("foo.*bar", "foobar, barfoo, bar", Some(1)),
            ("foo.*bar", "barfoo", Some(0)),
            ("foo.*oba", "fooba", Some(0)),
            ("foo.*bar.*ta", "foobar ta\nfoo barta\nbarfoo ta", Some(2)),
            ("foo.*bar.*ta", "foobarta", None),
            ("foo.*[a-z].*bar", "foo bar", None),
            (r"foo\b", "foo_bar", None),
            (r"foo\b", "foo語", None),
            (r"foo\b", "foo\u{200D}", None),
            ("foo", "foo\rfoo", None),
            ("fook", "foo\u{212A}", None),
            ("foo", "fooé", None),
            ("foo", &"foo".repeat(30), None),
        ] {
            let expected = match expected {
                Some(0) => None,
                Some(lines) => Some(Candidate::InLines(lines)),
                None => Some(Candidate::Maybe),
            };
            assert_eq!(candidate(source, text), expected, "{source} {text:?}");
        }
    }

    #[test]
    fn where_a_word_ends_in_a_text_it_ends_among_the_words_of_the_text() {
        for (source, before, after) in [(r"foo\b", "foo", ""), (r"\bfoo", "", "foo")] {
            let need = Need::of(source, CaseSensitivity::Sensitive).unwrap();
            let Need::Line(line) = need else { panic!("{source} needs a word") };
            let expression = Regex::new(source).unwrap();
            for c in '\0'..=char::MAX {
                let text = format!("{before}{c}{after}");
                let mut found = false;
                words(&text, |word, _| found = found || stands_in(&line.pieces[0], word));
                assert!(found || !expression.is_match(&text), "{source} {text:?}");
            }
        }
    }
}
