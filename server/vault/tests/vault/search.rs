//! Searching.

use proptest::prelude::*;
use toolwrit_vault::{CaseSensitivity, Folder, Hit, Pattern, SearchResults, VaultError};

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
fn globs_find_files_of_any_kind() {
    let sandbox = populated();
    let results = search(&sandbox, &Pattern::glob("A/*", Insensitive).unwrap(), 2);
    assert_eq!(shown(&results), ["a/c.md", "a/d.md"]);
    assert_eq!(results.total_hits, 3);
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
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    /// Whatever surrounds it, a marked line is found at its place and shown within bounds.
    #[test]
    fn a_needle_is_found_where_it_is(
        lines in proptest::collection::vec("[a-fé語 ]{0,400}", 1..8),
        at in any::<proptest::sample::Index>(),
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
}
