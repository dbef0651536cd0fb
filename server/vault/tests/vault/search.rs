//! Searching.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use regex::{Regex, RegexBuilder};
use toolwrit_vault::{
    CaseSensitivity, Folder, Hit, Pattern, SearchResults, VaultError, VaultPath, WriteMode,
};

use crate::{Sandbox, never};
use CaseSensitivity::{Insensitive, Sensitive};

fn search(sandbox: &Sandbox, pattern: &Pattern, limit: usize) -> SearchResults {
    sandbox.vault.search(pattern, &Folder::ROOT, limit, &never).unwrap()
}

/// `path:line:column:snippet`
fn shown(results: &SearchResults) -> Vec<String> {
    let show = |Hit { path, excerpt }: &Hit| match excerpt {
        Some(at) => format!("{path}:{}:{}:{}", at.line, at.column, at.snippet),
        None => path.to_string(),
    };
    results.hits.iter().map(show).collect()
}

fn populated() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("b.md", "first\r\nMeeting with Zoé\r\nmeeting meeting\r\n");
    sandbox.put("a/c.md", "\u{FEFF}meeting\nnothing\n");
    sandbox.put("a/d.md", "Zoe\u{301}");
    sandbox.put("a/plain.txt", "meeting in an attachment");
    sandbox.put(".obsidian/e.md", "meeting, hidden");
    sandbox.put("bad.md", b"meeting \xFF");
    sandbox
}

#[test]
fn text_is_found_by_line_in_notes_only() {
    let sandbox = populated();
    let results = search(&sandbox, &Pattern::literal("MEETING", Insensitive).unwrap(), 10);
    let expected = ["a/c.md:1:1:meeting", "b.md:2:1:Meeting with Zoé", "b.md:3:1:meeting meeting"];
    assert_eq!(shown(&results), expected);
    assert_eq!((results.total_hits, results.matching_files, results.not_searched), (3, 2, 1));
    let results = search(&sandbox, &Pattern::literal("Meeting", Sensitive).unwrap(), 10);
    assert_eq!(shown(&results), ["b.md:2:1:Meeting with Zoé"]);
}

#[test]
fn both_normal_forms_are_found_by_either() {
    for query in ["zo\u{e9}", "zoe\u{301}"] {
        let results = search(&populated(), &Pattern::literal(query, Insensitive).unwrap(), 10);
        assert_eq!(shown(&results), ["a/d.md:1:1:Zoe\u{301}", "b.md:2:14:Meeting with Zoé"]);
    }
}

#[test]
fn text_is_literal_and_a_regex_is_not() {
    let sandbox = Sandbox::new();
    sandbox.put("n.md", "a.c\nabc\n  end\n");
    for (pattern, lines) in [
        (Pattern::literal("a.c", Sensitive), vec![1]),
        (Pattern::regex("a.c", Sensitive), vec![1, 2]),
        (Pattern::regex("^abc$", Sensitive), vec![2]),
        (Pattern::regex("ABC", Insensitive), vec![2]),
        (Pattern::regex("c\\s+end", Sensitive), vec![2]),
        (Pattern::regex("x*", Sensitive), vec![1, 2, 3]),
    ] {
        let results = search(&sandbox, &pattern.unwrap(), 10);
        let found: Vec<_> =
            results.hits.iter().filter_map(|hit| hit.excerpt.as_ref().map(|at| at.line)).collect();
        assert_eq!(found, lines);
    }
}

#[test]
fn globs_find_files_of_any_kind_whether_or_not_the_index_is_built() {
    let sandbox = populated();
    sandbox.put(".hidden/a/x.md", "");
    for built in [false, true] {
        if built {
            sandbox.vault.wait_for_index(&never).unwrap();
        }
        let results = search(&sandbox, &Pattern::glob("A/*", Insensitive).unwrap(), 2);
        assert_eq!(shown(&results), ["a/c.md", "a/d.md"]);
        assert_eq!(results.total_hits, 3);
        let all = Pattern::glob("**", Sensitive).unwrap();
        let below = sandbox.vault.search(&all, &Folder::parse("a").unwrap(), 9, &never).unwrap();
        assert_eq!(below.total_hits, 3);
        let nowhere = sandbox.vault.search(&all, &Folder::parse("none").unwrap(), 9, &never);
        assert!(matches!(nowhere, Err(VaultError::NotFound { .. })), "{nowhere:?}");
        let before = search(&sandbox, &all, 99).total_hits;
        let path = VaultPath::parse(&format!("a/new{built}.txt.md")).unwrap();
        sandbox.vault.write(&path, "", WriteMode::CreateOnly, None).unwrap();
        assert_eq!(search(&sandbox, &all, 99).total_hits, before + 1);
        sandbox.vault.rename(&path, "plain", None).unwrap();
        let renamed = Pattern::glob("a/plain.md", Sensitive).unwrap();
        assert_eq!(search(&sandbox, &renamed, 9).total_hits, 1);
        std::fs::remove_file(sandbox.file("a/plain.md")).unwrap();
    }
}

#[test]
fn a_search_can_stay_in_a_folder() {
    let sandbox = populated();
    let pattern = Pattern::literal("meeting", Insensitive).unwrap();
    let folder = Folder::parse("a").unwrap();
    let results = sandbox.vault.search(&pattern, &folder, 10, &never).unwrap();
    assert_eq!(shown(&results), ["a/c.md:1:1:meeting"]);
}

#[test]
fn totals_go_beyond_the_limit_and_the_first_hits_do_not_depend_on_it() {
    let sandbox = Sandbox::new();
    for note in 0..1500 {
        sandbox.put(&format!("f{}/{note}.md", note % 7), "hit\nmiss\nhit\n");
    }
    let pattern = Pattern::literal("hit", Sensitive).unwrap();
    let all = search(&sandbox, &pattern, usize::MAX);
    assert_eq!((all.hits.len(), all.total_hits, all.matching_files), (3000, 3000, 1500));
    assert!(all.hits.is_sorted_by_key(|hit| (&hit.path, hit.excerpt.as_ref().map(|at| at.line))));
    for limit in [0, 1, 7, 2100] {
        let some = search(&sandbox, &pattern, limit);
        assert_eq!(some.hits, all.hits[..limit], "{limit}");
        assert_eq!(some.total_hits, 3000);
    }
}

#[test]
fn a_match_may_go_beyond_a_line_or_depend_on_where_the_text_ends() {
    let sandbox = Sandbox::new();
    sandbox.put("n.md", "hello\r\nworld\nhello world\nhello");
    for (expression, lines) in [
        (r"hello\s+world", vec![1, 3]),
        (r"hello[^a-z]+world", vec![1, 3]),
        (r"(?s)hello..world", vec![1]),
        (r"\Ahello", vec![1]),
        (r"hello\z", vec![4]),
        (r"^hello", vec![1, 3, 4]),
        (r"hello$", vec![1, 4]),
        (r"(?-m)hello$", vec![4]),
        (r"WORLD$", vec![2, 3]),
        (r"wor.*", vec![2, 3]),
    ] {
        let results = search(&sandbox, &Pattern::regex(expression, Insensitive).unwrap(), 9);
        let found: Vec<_> =
            results.hits.iter().map(|hit| hit.excerpt.as_ref().unwrap().line).collect();
        assert_eq!((found, results.total_hits), (lines.clone(), lines.len()), "{expression}");
    }
}

#[test]
fn patterns_that_do_not_work_are_explained() {
    for (pattern, reason) in [
        (Pattern::regex("(a", Sensitive), "unclosed group"),
        (Pattern::regex("a{5000}{5000}", Sensitive), "size limit"),
        (Pattern::regex("(?=a)", Sensitive), "look-around"),
        (Pattern::regex("", Sensitive), "it is empty"),
        (Pattern::literal("", Sensitive), "it is empty"),
        (Pattern::literal(&"x".repeat(5000), Sensitive), "5000 bytes long"),
        (Pattern::glob("[", Sensitive), "unclosed character class"),
    ] {
        let error = pattern.unwrap_err();
        assert!(matches!(error, VaultError::BadPattern { .. }), "{error:?}");
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    }
}

#[test]
fn a_search_stops_when_asked() {
    let pattern = Pattern::literal("meeting", Insensitive).unwrap();
    let result = populated().vault.search(&pattern, &Folder::ROOT, 10, &|| true);
    assert!(matches!(result, Err(VaultError::Cancelled)), "{result:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    /// Whatever surrounds it, a marked line is found at its place and shown within bounds.
    #[test]
    fn a_needle_is_found_where_it_is(
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
        let results = search(&sandbox, &Pattern::literal("needle", Insensitive).unwrap(), 10);
        prop_assert_eq!(results.total_hits, 1);
        let excerpt = results.hits[0].excerpt.as_ref().unwrap();
        prop_assert_eq!((excerpt.line, excerpt.column), (at + 1, column));
        prop_assert!(excerpt.snippet.contains("NEEDLE"));
        prop_assert!(excerpt.snippet.chars().count() <= 202);
        prop_assert!(lines[at].contains(excerpt.snippet.trim_matches('…')));
    }

    /// The index spares notes a look, and never one that matches; nor does folding a text hide a line.
    #[test]
    fn an_expression_matches_the_lines_that_it_matches(
        notes in vec(vec(select(FRAGMENTS), 1..12), 1..6),
        parts in vec(select(PARTS), 1..4),
        insensitive in any::<bool>(),
    ) {
        let sandbox = Sandbox::new();
        let source = parts.concat();
        let regex = RegexBuilder::new(&source).case_insensitive(insensitive).build().unwrap();
        let mut expected = Vec::new();
        for (number, fragments) in notes.iter().enumerate() {
            let text = fragments.concat();
            let path = format!("{number}.md");
            sandbox.put(&path, &text);
            let lines = text.lines().enumerate().filter(|(_, line)| regex.is_match(line));
            expected.extend(lines.map(|(line, _)| format!("{path}:{}", line + 1)));
        }
        let case = if insensitive { Insensitive } else { Sensitive };
        let pattern = Pattern::regex(&source, case).unwrap();
        prop_assert_eq!(found(&sandbox, &pattern, &expected), Ok(()), "{}", source);
    }

    /// The same of pieces with something between them, which a line may end in or not.
    #[test]
    fn pieces_with_gaps_match_in_the_lines_in_which_they_match(
        notes in vec(vec(fragment(), 1..10), 1..10),
        first in piece(),
        others in vec((gap(), piece()), 1..4),
        insensitive in any::<bool>(),
    ) {
        let sandbox = Sandbox::new();
        let others: String = others.into_iter().flat_map(|(gap, piece)| [gap, piece]).collect();
        let source = format!("{first}{others}");
        let mut builder = RegexBuilder::new(&source);
        let regex = builder.case_insensitive(insensitive).multi_line(true).crlf(true);
        let regex = regex.build().unwrap();
        let mut expected = Vec::new();
        for (number, fragments) in notes.iter().enumerate() {
            let text = fragments.concat();
            let path = format!("{number}.md");
            sandbox.put(&path, &text);
            expected.extend(lines_of(&path, &text, &regex));
        }
        let case = if insensitive { Insensitive } else { Sensitive };
        let pattern = Pattern::regex(&source, case).unwrap();
        prop_assert_eq!(found(&sandbox, &pattern, &expected), Ok(()), "{}", source);
    }

    /// Text that is taken from a note is found in it, whatever words and lines it begins or ends within.
    #[test]
    fn a_passage_of_a_note_is_found(
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
        let results = search(&sandbox, &Pattern::regex(&regex::escape(passage), Sensitive).unwrap(), 1);
        prop_assert_eq!(results.matching_files, 1, "{:?}", passage);
    }
}

/// Mostly what most pieces match, so that many notes are found and many nearly are.
fn fragment() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => select(vec!["foo", "bar", "ta", " ", "\n"]), 1 => select(FRAGMENTS_OF_LINES)]
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop_oneof![select(vec!["foo", "bar", "ta"]), select(PIECES)]
}

fn gap() -> impl Strategy<Value = &'static str> {
    prop_oneof![select(vec![".*", r"\s+", r"\n", "[^x]*"]), select(GAPS)]
}

/// Whether a search finds these places, however many of them it shows: what is not shown is counted without
/// a look at the note where its words tell.
fn found(
    sandbox: &Sandbox,
    pattern: &Pattern,
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

/// The lines in which matches start, as `path:line`.
fn lines_of(path: &str, text: &str, regex: &Regex) -> Vec<String> {
    let mut lines = Vec::new();
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let found = regex.find_at(text, end).map_or(usize::MAX, |found| found.start());
        end += line.len();
        if found < end || (found == end && !line.ends_with('\n')) {
            lines.push(format!("{path}:{}", number + 1));
        }
    }
    lines
}

/// What folding, parting words and cutting them makes hard.
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

/// Short lines, so that what stands in one of them often stands in several.
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
