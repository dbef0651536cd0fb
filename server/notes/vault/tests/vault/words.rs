//! The words of a text, by what a search for words finds and where.

use proptest::prelude::*;
use toolwrit_vault::SearchPattern;

use crate::Sandbox;
use crate::search::search;

/// The column of the first word that is found in a note; `None` if the note is not found.
fn column(text: &str, word: &str) -> Option<usize> {
    let sandbox = Sandbox::new();
    sandbox.put("n.md", text);
    let found = search(&sandbox, &SearchPattern::text(word).unwrap(), 1);
    found.hits.first().map(|hit| hit.excerpt.as_ref().unwrap().column)
}

#[test]
fn words_are_folded_and_split_at_natural_boundaries() {
    for (text, words) in [
        ("The Cat's v1.2", &[("the", 1), ("CAT", 5), ("s", 9), ("v1", 11), ("2", 14)][..]),
        ("- Zoe\u{301}", &[("ZOÉ", 3)]),
        ("- ZOÉ", &[("zoe\u{301}", 3)]),
        ("b日本x。カ", &[("b", 1), ("日", 2), ("本", 3), ("x", 4), ("カ", 6)]),
        ("snake_case#tag", &[("snake", 1), ("case", 7), ("tag", 12)]),
    ] {
        for (word, expected) in words {
            assert_eq!(column(text, word), Some(*expected), "{word} in {text}");
        }
    }
    assert_eq!(column("Zoé", "zoe"), None, "an accent is a part of its letter");
    assert!(SearchPattern::text("😀— ").is_err(), "there is no word");
    assert_eq!(column(&"é".repeat(100), &"é".repeat(40)), Some(1), "a long word is cut");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_word_is_found_at_its_column(before in r"([a-zA-Zé語́ .\-😀]|\PC){0,40}") {
        prop_assert_eq!(column(&format!("{before} Needle"), "needle"), Some(before.chars().count() + 2));
    }
}
