//! Searching.

use toolwrit_vault::{
    CaseSensitivity, Folder, Hit, SearchPattern, SearchResults, VaultError, VaultPath, WriteMode,
};

use crate::{Sandbox, never};
use CaseSensitivity::{Insensitive, Sensitive};

pub(crate) fn search(sandbox: &Sandbox, pattern: &SearchPattern, limit: usize) -> SearchResults {
    sandbox.vault.search(pattern, &Folder::ROOT, limit, &never).unwrap()
}

/// `path:line:column:snippet`
fn describe_results(results: &SearchResults) -> Vec<String> {
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
    let results = search(&sandbox, &SearchPattern::literal("MEETING", Insensitive).unwrap(), 10);
    let expected = ["a/c.md:1:1:meeting", "b.md:2:1:Meeting with Zoé", "b.md:3:1:meeting meeting"];
    assert_eq!(describe_results(&results), expected);
    assert_eq!((results.total_hits, results.matching_files, results.not_searched), (3, 2, 1));
    let results = search(&sandbox, &SearchPattern::literal("Meeting", Sensitive).unwrap(), 10);
    assert_eq!(describe_results(&results), ["b.md:2:1:Meeting with Zoé"]);
}

#[test]
fn both_normal_forms_are_found_by_either() {
    for query in ["zo\u{e9}", "zoe\u{301}"] {
        let results =
            search(&populated(), &SearchPattern::literal(query, Insensitive).unwrap(), 10);
        assert_eq!(
            describe_results(&results),
            ["a/d.md:1:1:Zoe\u{301}", "b.md:2:14:Meeting with Zoé"]
        );
    }
}

/// The excerpt and its column are those of the note.
#[test]
fn an_expression_in_either_normal_form_finds_both() {
    let sandbox = Sandbox::new();
    let composed = "na\u{ef}ve caf\u{e9}\r\nplain\r\n\u{ac00}\r\n";
    let decomposed = "nai\u{308}ve cafe\u{301}\r\nplain\r\n\u{1100}\u{1161}\r\n";
    sandbox.put("c.md", composed);
    sandbox.put("d.md", decomposed);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (c, d) = (lines(composed), lines(decomposed));
    for (expression, at, columns) in [
        ("caf\u{e9}$", 1, (7, 8)),
        ("cafe\u{301}$", 1, (7, 8)),
        (r"^na.ve\s", 1, (1, 1)),
        ("[\u{e9}\u{ea}]", 1, (10, 11)),
        (r"\bcaf\w\r\nplain", 1, (7, 8)),
        ("\u{ac00}", 3, (1, 1)),
        ("\u{1100}\u{1161}", 3, (1, 1)),
    ] {
        let pattern = SearchPattern::regex(expression, Sensitive).unwrap();
        let expected = [
            format!("c.md:{at}:{}:{}", columns.0, c[at - 1]),
            format!("d.md:{at}:{}:{}", columns.1, d[at - 1]),
        ];
        let found = search(&sandbox, &pattern, 10);
        assert_eq!(describe_results(&found), expected, "{expression}");
        assert_eq!((found.total_hits, found.matching_files), (2, 2), "{expression}");
    }
    // Decomposed text can still be found as such, and each line counts once.
    let marks = search(&sandbox, &SearchPattern::regex(r"\p{M}", Sensitive).unwrap(), 10);
    assert_eq!(describe_results(&marks), [format!("d.md:1:4:{}", d[0])]);
    let all = search(&sandbox, &SearchPattern::regex("$", Sensitive).unwrap(), 10);
    assert_eq!((all.total_hits, all.matching_files), (6, 2));
}

#[test]
fn exact_text_is_not_interpreted_as_a_regex() {
    let sandbox = Sandbox::new();
    sandbox.put("n.md", "a.c\nabc\n  end\n");
    for (pattern, lines) in [
        (SearchPattern::literal("a.c", Sensitive), vec![1]),
        (SearchPattern::regex("a.c", Sensitive), vec![1, 2]),
        (SearchPattern::regex("^abc$", Sensitive), vec![2]),
        (SearchPattern::regex("ABC", Insensitive), vec![2]),
        (SearchPattern::regex("c\\s+end", Sensitive), vec![2]),
        (SearchPattern::regex("x*", Sensitive), vec![1, 2, 3]),
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
        let results = search(&sandbox, &SearchPattern::glob("A/*", Insensitive).unwrap(), 2);
        assert_eq!(describe_results(&results), ["a/c.md", "a/d.md"]);
        assert_eq!(results.total_hits, 3);
        let all = SearchPattern::glob("**", Sensitive).unwrap();
        let below = sandbox.vault.search(&all, &Folder::parse("a").unwrap(), 9, &never).unwrap();
        assert_eq!(below.total_hits, 3);
        let nowhere = sandbox.vault.search(&all, &Folder::parse("none").unwrap(), 9, &never);
        assert!(matches!(nowhere, Err(VaultError::NotFound { .. })), "{nowhere:?}");
        let before = search(&sandbox, &all, 99).total_hits;
        let path = VaultPath::parse(&format!("a/new{built}.txt.md")).unwrap();
        sandbox.vault.write(&path, "", WriteMode::CreateOnly, None).unwrap();
        assert_eq!(search(&sandbox, &all, 99).total_hits, before + 1);
        sandbox.vault.rename(&path, "plain", None, &never).unwrap();
        let renamed = SearchPattern::glob("a/plain.md", Sensitive).unwrap();
        assert_eq!(search(&sandbox, &renamed, 9).total_hits, 1);
        std::fs::remove_file(sandbox.file("a/plain.md")).unwrap();
    }
}

#[test]
fn a_search_can_be_limited_to_a_folder() {
    let sandbox = populated();
    let pattern = SearchPattern::literal("meeting", Insensitive).unwrap();
    let folder = Folder::parse("a").unwrap();
    let results = sandbox.vault.search(&pattern, &folder, 10, &never).unwrap();
    assert_eq!(describe_results(&results), ["a/c.md:1:1:meeting"]);
}

#[test]
fn totals_and_the_first_hits_do_not_depend_on_the_limit() {
    let sandbox = Sandbox::new();
    for note in 0..1500 {
        sandbox.put(&format!("f{}/{note}.md", note % 7), "hit\nmiss\nhit\n");
    }
    let pattern = SearchPattern::literal("hit", Sensitive).unwrap();
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
fn a_match_may_span_lines_or_depend_on_the_end_of_the_text() {
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
        let results = search(&sandbox, &SearchPattern::regex(expression, Insensitive).unwrap(), 9);
        let found: Vec<_> =
            results.hits.iter().map(|hit| hit.excerpt.as_ref().unwrap().line).collect();
        assert_eq!((found, results.total_hits), (lines.clone(), lines.len()), "{expression}");
    }
}

#[test]
fn invalid_patterns_are_refused_with_the_reason() {
    for (pattern, reason) in [
        (SearchPattern::regex("(a", Sensitive), "unclosed group"),
        (SearchPattern::regex("a{5000}{5000}", Sensitive), "size limit"),
        (SearchPattern::regex("(?=a)", Sensitive), "look-around"),
        (SearchPattern::regex("", Sensitive), "it is empty"),
        (SearchPattern::literal("", Sensitive), "it is empty"),
        (SearchPattern::literal(&"x".repeat(5000), Sensitive), "5000 bytes long"),
        (SearchPattern::glob("[", Sensitive), "unclosed character class"),
    ] {
        let error = pattern.unwrap_err();
        assert!(matches!(error, VaultError::BadPattern { .. }), "{error:?}");
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    }
}

#[test]
fn a_search_can_be_cancelled() {
    let pattern = SearchPattern::literal("meeting", Insensitive).unwrap();
    let result = populated().vault.search(&pattern, &Folder::ROOT, 10, &|| true);
    assert!(matches!(result, Err(VaultError::Cancelled)), "{result:?}");
}
