//! Expressions find what the crate regex finds in a text or in its composed form, although the index excludes notes from
//! the search.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use regex::{Regex, RegexBuilder};
use toolwrit_vault::CaseSensitivity::{Insensitive, Sensitive};
use toolwrit_vault::{Hit, SearchPattern, SearchResults};

use crate::Sandbox;
use crate::search::search;
use toolwrit_requirement::number;
use unicode_normalization::UnicodeNormalization as _;

proptest! {
    #![proptest_config(ProptestConfig { cases: number(256, 2500), failure_persistence: None, ..Default::default() })]

    /// A marked line is found at its place and its excerpt is within bounds, with any text around
    /// it.
    #[test]
    fn a_marked_line_is_found_at_its_place(
        lines in vec("[a-fé語 ]{0,400}", 1..8),
        at in any::<Index>(),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let at = at.index(lines.len());
        let mut lines = lines;
        let column = lines[at].chars().count() + 1;
        let tail = lines[at].clone();
        lines[at].push_str("NEEDLE");
        lines[at].push_str(&tail);
        let sandbox = Sandbox::new();
        sandbox.put("n.md", lines.join(ending));
        let results = search(&sandbox, &SearchPattern::literal("needle", Insensitive).unwrap(), 10);
        prop_assert_eq!(results.total_hits, 1);
        let excerpt = results.hits[0].excerpt.as_ref().unwrap();
        prop_assert_eq!((excerpt.line, excerpt.column), (at + 1, column));
        prop_assert!(excerpt.snippet.contains("NEEDLE"));
        prop_assert!(excerpt.snippet.chars().count() <= 202);
        prop_assert!(lines[at].contains(excerpt.snippet.trim_matches('…')));
    }

    /// The index excludes notes from a search, but never one that matches.
    #[test]
    fn an_expression_finds_the_lines_that_regex_finds(
        notes in vec(vec(select(FRAGMENTS), 1..12), 1..6),
        parts in vec(select(PARTS), 1..4),
        insensitive in any::<bool>(),
    ) {
        let sandbox = Sandbox::new();
        let source = parts.concat();
        let regex = RegexBuilder::new(&compose(&source)).case_insensitive(insensitive).build().unwrap();
        let mut expected = Vec::new();
        for (number, fragments) in notes.iter().enumerate() {
            let text = fragments.concat();
            let path = format!("{number}.md");
            sandbox.put(&path, &text);
            let lines = text.lines().enumerate().filter(|(_, line)| {
                regex.is_match(line) || regex.is_match(&compose(line))
            });
            expected.extend(lines.map(|(line, _)| format!("{path}:{}", line + 1)));
        }
        let case = if insensitive { Insensitive } else { Sensitive };
        let pattern = SearchPattern::regex(&source, case).unwrap();
        prop_assert_eq!(found(&sandbox, &pattern, &expected), Ok(()), "{}", source);
    }

    /// The same for pieces with gaps between them, which may or may not contain a line ending.
    #[test]
    fn pieces_with_gaps_find_the_lines_that_regex_finds(
        notes in vec(vec(fragment(), 1..10), 1..10),
        first in piece(),
        others in vec((gap(), piece()), 1..4),
        insensitive in any::<bool>(),
    ) {
        let sandbox = Sandbox::new();
        let others: String = others.into_iter().flat_map(|(gap, piece)| [gap, piece]).collect();
        let source = format!("{first}{others}");
        let mut builder = RegexBuilder::new(&compose(&source));
        let regex = builder.case_insensitive(insensitive).multi_line(true).crlf(true);
        let regex = regex.build().unwrap();
        let expected = put_all(&sandbox, &notes, &regex);
        let case = if insensitive { Insensitive } else { Sensitive };
        let pattern = SearchPattern::regex(&source, case).unwrap();
        prop_assert_eq!(found(&sandbox, &pattern, &expected), Ok(()), "{}", source);
    }

    /// Folded words match these alone, while not every text that holds such words matches.
    #[test]
    fn expressions_of_words_find_the_lines_that_regex_finds(
        notes in vec(vec(prop_oneof![fragment(), select(FRAGMENTS), Just("foo\rbar")], 1..8), 1..6),
        source in select(WORDS_ALONE),
    ) {
        let sandbox = Sandbox::new();
        let regex = RegexBuilder::new(source).multi_line(true).crlf(true).build().unwrap();
        let expected = put_all(&sandbox, &notes, &regex);
        let pattern = SearchPattern::regex(source, Sensitive).unwrap();
        prop_assert_eq!(found(&sandbox, &pattern, &expected), Ok(()), "{}", source);
    }

    /// Text taken from a note is found in it, even if it starts or ends within a word or a line.
    #[test]
    fn text_taken_from_a_note_is_found(
        fragments in vec(fragment(), 1..24),
        bounds in (any::<Index>(), any::<Index>()),
    ) {
        let text = fragments.concat();
        let at = |index: Index| text.floor_char_boundary(index.index(text.len() + 1));
        let (a, b) = (at(bounds.0), at(bounds.1));
        let passage = &text[a.min(b)..a.max(b)];
        prop_assume!(!passage.is_empty());
        let sandbox = Sandbox::new();
        sandbox.put("n.md", &text);
        let results = search(&sandbox, &SearchPattern::regex(&regex::escape(passage), Sensitive).unwrap(), 1);
        prop_assert_eq!(results.matching_files, 1, "{:?}", passage);
    }
}

#[test]
fn text_that_begins_or_ends_within_a_character_is_found() {
    let sandbox = Sandbox::new();
    sandbox.put("n.md", "foofooe\u{301}e\u{301}");
    for passage in ["\u{301}e\u{301}", "e\u{301}e", "\u{301}e", "fooe\u{301}e"] {
        for case in [Sensitive, Insensitive] {
            let expression = SearchPattern::regex(&regex::escape(passage), case).unwrap();
            for pattern in [expression, SearchPattern::literal(passage, case).unwrap()] {
                assert_eq!(search(&sandbox, &pattern, 1).matching_files, 1, "{passage:?}");
            }
        }
    }
}

#[test]
fn plain_text_with_a_comment_is_found() {
    let sandbox = Sandbox::new();
    sandbox.put("n.md", "cafe\u{301}");
    let pattern = SearchPattern::regex("(?x) cafe\u{301} # with an accent", Sensitive).unwrap();
    assert_eq!(search(&sandbox, &pattern, 1).matching_files, 1);
}

/// Mostly text that most pieces match, so that many notes match and many nearly do.
fn fragment() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => select(vec!["foo", "bar", "ta", " ", "\n"]), 1 => select(FRAGMENTS_OF_LINES)]
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![select(vec!["foo", "bar", "ta"]), select(PIECES)]
}

fn gap() -> impl Strategy<Value = &'static str> {
    prop_oneof![select(vec![".*", r"\s+", r"\n", "[^x]*"]), select(GAPS)]
}

/// Whether a search with any limit finds exactly these places.
fn found(
    sandbox: &Sandbox,
    pattern: &SearchPattern,
    expected: &[String],
) -> Result<(), (usize, SearchResults)> {
    let mut files: Vec<_> = expected.iter().map(|place| place.split(':').next()).collect();
    files.dedup();
    for limit in [usize::MAX, 1, 0] {
        let results = search(sandbox, pattern, limit);
        let shown = &expected[..expected.len().min(limit)];
        let totals = (results.total_hits, results.matching_files);
        if places(&results) != shown || totals != (expected.len(), files.len()) {
            return Err((limit, results));
        }
    }
    Ok(())
}

/// Where the hits are, as `path:line`.
fn places(results: &SearchResults) -> Vec<String> {
    let line = |hit: &Hit| hit.excerpt.as_ref().map_or(0, |at| at.line);
    results.hits.iter().map(|hit| format!("{}:{}", hit.path, line(hit))).collect()
}

/// Writes each note, joined from its fragments, into a vault. Returns the lines in which matches
/// start.
fn put_all(sandbox: &Sandbox, notes: &[Vec<&str>], regex: &Regex) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, fragments) in notes.iter().enumerate() {
        let (path, text) = (format!("{number}.md"), fragments.concat());
        sandbox.put(&path, &text);
        let mut found = lines_of(&text, regex);
        found.extend(lines_of(&compose(&text), regex));
        lines.extend(found.into_iter().map(|line| format!("{path}:{line}")));
    }
    lines
}

fn compose(text: &str) -> String {
    text.nfc().collect()
}

/// The numbers of the lines in which matches start.
fn lines_of(text: &str, regex: &Regex) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let found = regex.find_at(text, end).map_or(usize::MAX, |found| found.start());
        end += line.len();
        if found < end || (found == end && !line.ends_with('\n')) {
            lines.insert(number + 1);
        }
    }
    lines
}

const WORDS_ALONE: &[&str] = &[
    "(?i)foo",
    r"(?i)\bfoo\b",
    r"(?i)foo\b.*bar",
    r"(?i)foo.*\bbar\b",
    "(?i)foo.*ta.*bar",
    "(?i)bar|cafe",
    "[Kk][Ee][Ll]",
    "(?i)kel.*foo",
    "[Mm][Ii][Ss][Tt]",
];

/// Text that is difficult for folding, splitting and cutting words.
const FRAGMENTS: &[&str] = &[
    "foo",
    "FOO",
    "bar",
    "cafe",
    "e\u{301}",
    "caf\u{e9}",
    "\u{212A}elvin",
    "kelvin",
    "mi\u{17F}t",
    "mist",
    "1",
    "²",
    "語",
    "\u{200D}",
    " ",
    "-",
    "_",
    "\n",
    "\r\n",
    "Foo Bar",
    "\u{327}",
    "\u{130}",
    "I",
    "i",
    "Ångstro\u{308}m",
    "\u{212B}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

const PARTS: &[&str] = &[
    "foo",
    "fo+b?",
    "(foo|bar)1",
    "foo[ -]bar",
    "foo|cafe",
    r"\bcafe",
    "caf.",
    "kel[uv]in",
    "[Kk]el",
    "mist",
    "mis?t",
    "(foo )+",
    "(?i:KELVIN)",
    "é",
    "fooé",
    "[a-f]{3,}",
    "foo bar",
    "1?",
    ".*",
    "語",
    r"\w+",
    "ngstro",
    "a{60}foo",
    r"(bar\b)?",
    "^foo",
    "bar$",
    "x*",
    r"\b",
    r"\bfoo\b",
    r"\Bfoo",
    "(?i:foo)[A-Z]?",
    "(?-i:foo)",
    "[A-F]oo",
    "[^a-z\n\r]",
    r"\p{Lu}",
    "(?-u:[o-r])",
    "²",
];

const PIECES: &[&str] = &[
    "foo",
    "ba[rz]",
    "ta",
    "o",
    "fo+",
    "(?i:FOO)",
    "bar|",
    "(foo|ba)",
    r"\w+",
    "[a-f]{2,}",
    "kel",
    "mist",
    "caf",
    "é",
    "語",
    "(ta|foo)?",
    r"\bfoo",
    r"bar\b",
    "a{50}",
    "oba",
];

const GAPS: &[&str] = &[
    "",
    ".*",
    " ",
    r"\s+",
    "[^x]*",
    r"\b",
    r"\n",
    "(a|b)",
    ".{0,3}",
    r"\W",
    r"\r\n",
    "$",
    "^",
    "(?s:.)",
    "(foo |ta )+",
    "( bar|\n)",
    r"\B",
    "語",
    "[ -]",
];

/// Fragments for short lines, so that many notes have several lines with the same words.
const FRAGMENTS_OF_LINES: &[&str] = &[
    "foo",
    "bar",
    "ta",
    "baz",
    "FOO",
    "fooba",
    "oba",
    "a",
    " ",
    " ",
    " ",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "-",
    ", ",
    "語",
    "é",
    "e\u{301}",
    "caf",
    "\u{212A}el",
    "mi\u{17F}t",
    "kel",
    "mist",
    "\u{2028}",
    "\u{85}",
    "foo bar",
    "ta foo\n",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];
