//! Tags, several lines of a note, and what is around a line.

use toolwrit_vault::{Folder, Hit, SearchOptions, SearchPattern, Surroundings};

use super::{Sandbox, never};

fn search(sandbox: &Sandbox, pattern: &SearchPattern, per_note: Option<usize>) -> Vec<Hit> {
    let options = SearchOptions { limit: 100, per_note };
    sandbox.vault.search_with(pattern, &Folder::ROOT, options, &never).unwrap().hits
}

/// The paths and lines of hits.
fn places(hits: &[Hit]) -> Vec<(&str, Option<usize>)> {
    let line = |hit: &Hit| hit.excerpt.as_ref().map(|found| found.line);
    hits.iter().map(|hit| (hit.path.as_str(), line(hit))).collect()
}

#[test]
fn a_tag_finds_notes_with_it_and_with_the_tags_nested_in_it() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "x\n#Garden here\n#garden/bed and #garden again\n`#garden`\n");
    sandbox.put("b.md", "---\ntags: [garden/bed/rose]\n---\nx\n");
    sandbox.put("c.md", "#gardening #gard #other/garden\n");
    sandbox.put("Sub/d.md", "#garden\n");
    let all = |query, per_note| {
        let hits = search(&sandbox, &SearchPattern::tag(query).unwrap(), per_note);
        places(&hits).into_iter().map(|(path, line)| (path.to_owned(), line)).collect::<Vec<_>>()
    };
    let one = |path: &str, line| (path.to_owned(), line);
    let found = [one("Sub/d.md", Some(1)), one("a.md", Some(2)), one("b.md", None)];
    for query in ["garden", "#GARDEN", " #garden/ "] {
        assert_eq!(all(query, None), found, "{query}");
    }
    assert_eq!(all("garden/bed", Some(5)), [one("a.md", Some(3)), one("b.md", None)]);
    assert_eq!(all("garden", Some(5)).len(), 4);
    assert_eq!(all("rose", None), []);
    for query in ["", "#", "a b", "##a"] {
        assert!(SearchPattern::tag(query).is_err(), "{query}");
    }
}

#[test]
fn several_lines_of_a_note_are_returned_on_demand() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "oil\nlantern\nlantern oil\nnothing\nlantern\n");
    sandbox.put("oil.md", "nothing\n");
    let words = SearchPattern::text("lantern oil").unwrap();
    let one = search(&sandbox, &words, None);
    assert_eq!(places(&one), [("a.md", Some(3)), ("oil.md", None)]);
    let two = search(&sandbox, &words, Some(2));
    assert_eq!(places(&two), [("a.md", Some(3)), ("a.md", Some(1)), ("oil.md", None)]);
    let regex =
        SearchPattern::regex("lantern", toolwrit_vault::CaseSensitivity::Sensitive).unwrap();
    assert_eq!(search(&sandbox, &regex, None).len(), 3);
    assert_eq!(search(&sandbox, &regex, Some(2)).len(), 2);
}

#[test]
fn the_headings_and_the_lines_around_a_line_are_read() {
    let sandbox = Sandbox::new();
    sandbox.put(
        "a.md",
        "---\nx: 1\n---\nfound 0\n# Plan\r\nfound 1\n## Week 1\nfound 2\n```\n# no\nfound 3\n```\n# found 4\nlast",
    );
    let regex = SearchPattern::regex("found", toolwrit_vault::CaseSensitivity::Sensitive).unwrap();
    let hits = search(&sandbox, &regex, None);
    let around = sandbox.vault.surroundings(&hits, 1, &never).unwrap();
    let headings: Vec<String> = around.iter().map(|around| around.headings.join("::")).collect();
    assert_eq!(headings, ["", "Plan", "Plan::Week 1", "Plan::Week 1", "Plan::Week 1"]);
    assert_eq!(around[0].lines, ["---", "found 0", "# Plan"]);
    assert_eq!(around[4].lines, ["```", "# found 4", "last"]);
    let without = sandbox.vault.surroundings(&hits, 0, &never).unwrap();
    assert!(without.iter().all(|around| around.lines.is_empty()));
    // A note that has changed meanwhile.
    sandbox.put("a.md", "short");
    let around = sandbox.vault.surroundings(&hits, 5, &never).unwrap();
    assert_eq!(around, vec![Surroundings::default(); 5]);
}
