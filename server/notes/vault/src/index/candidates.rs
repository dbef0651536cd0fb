//! Which notes may match an expression, by the words that it requires.

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::Index;
use super::tokens::is_cut;
use super::words::Words;
use crate::expression::RequiredWords;
use crate::links::FileId;

impl Index {
    /// The notes that contain the required words, and those that could not be read; unordered.
    pub(crate) fn candidates(&self, required: &RequiredWords) -> Vec<FileId> {
        let holding = self.words.entries_with(required);
        let may_match = |indexed: &&super::Indexed| match indexed.entry {
            Some(entry) => holding[entry.index()],
            None => indexed.is_unread(),
        };
        self.files.iter().flatten().filter(may_match).map(|indexed| indexed.file).collect()
    }
}

impl Words {
    /// For each entry, whether it contains the required words.
    fn entries_with(&self, required: &RequiredWords) -> Vec<bool> {
        let joined = |all: &[RequiredWords], join: fn(bool, bool) -> bool| {
            let each = all.iter().map(|required| self.entries_with(required));
            let join = |a: Vec<bool>, b: Vec<bool>| {
                a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()
            };
            each.reduce(join).unwrap_or_default()
        };
        match required {
            RequiredWords::Matching(pattern) => self.entries_matching(pattern),
            RequiredWords::All(all) => joined(all, |a, b| a && b),
            RequiredWords::Any(any) => joined(any, |a, b| a || b),
        }
    }

    fn entries_matching(&self, pattern: &Regex) -> Vec<bool> {
        let mut holding = vec![false; self.entries.len()];
        let words = self.postings.iter().filter(|(word, _)| may_match(pattern, word));
        for posting in words.flat_map(|(_, postings)| postings) {
            holding[posting.entry as usize] = true;
        }
        holding
    }
}

/// Whether a pattern may match in the text that a word comes from.
///
/// Folding joins a letter with its marks, while a pattern may match the letter alone. The index and
/// the crate regex differ in which characters beyond ASCII end a word. The rest of a cut word is
/// unknown.
fn may_match(pattern: &Regex, word: &str) -> bool {
    if is_cut(word) {
        return true;
    }
    if word.is_ascii() {
        return pattern.is_match(word);
    }
    let plain = |c: char| if c.is_ascii() || c == 'ſ' { c } else { ' ' };
    pattern.is_match(&word.nfd().map(plain).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::CaseSensitivity;
    use crate::index::for_each_word;
    use crate::links::FileNames;
    use crate::path::VaultPath;

    /// Whether a note with this text is a candidate.
    fn is_candidate(source: &str, text: &str) -> bool {
        let Some(required) = RequiredWords::parse(source, CaseSensitivity::Insensitive) else {
            return true;
        };
        let mut words = Words::default();
        words.add(FileNames::default().insert(VaultPath::parse("n.md").unwrap()), text, &[]);
        words.entries_with(&required)[0]
    }

    #[test]
    fn notes_without_the_required_words_are_not_candidates() {
        let long = "a word and another ".repeat(20);
        let cut = "x".repeat(70);
        for (source, text, expected) in [
            (&*long, &*long, true),
            (&long, "bar foo", false),
            ("foo.*bar", "a FOO, and a bar", true),
            ("foo.*bar", "unfoobarred", true),
            ("foo.*bar", "foo", false),
            ("foo.*bar", &cut, true),
            ("fo[a-z]r", "four", true),
            ("fo[a-z]r", "fo ur", false),
            ("foo|bar baz", "foo", true),
            ("foo|bar baz", "bar", false),
            ("(foo bar )+", "bar, foo", true),
            ("(foo bar )+", "foo", false),
            ("(foo bar )*", "", true),
            ("^foo$", "FOO", true),
            ("^foo$", "fo", false),
            (r"foo\b", "foobar", false),
            (r"foo\Bbar", "foobar", true),
            (r"foo\nbar", "foo", false),
            ("fo", "", true),
            (".*", "", true),
            ("foo.*語", "foo", true),
            ("cafe", "cafe\u{301}", true),
            ("[^x]foo", "bar", false),
        ] {
            assert_eq!(is_candidate(source, text), expected, "{source} {text:?}");
        }
    }

    #[test]
    fn word_boundaries_agree_with_those_of_regex() {
        for (source, before, after) in [(r"foo\b", "foo", ""), (r"\bfoo", "", "foo")] {
            let required = RequiredWords::parse(source, CaseSensitivity::Sensitive).unwrap();
            let RequiredWords::Matching(pattern) = required else { panic!("{source}") };
            let expression = Regex::new(source).unwrap();
            for c in '\0'..=char::MAX {
                let text = format!("{before}{c}{after}");
                let mut found = false;
                for_each_word(&text, |word, _| found = found || may_match(&pattern, word));
                assert!(found || !expression.is_match(&text), "{source} {text:?}");
            }
        }
    }
}
