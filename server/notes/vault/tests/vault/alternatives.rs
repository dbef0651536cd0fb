//! Expressions with many alternatives are searched in all notes, because a lookup would lock the
//! index for too long.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolwrit_vault::{CaseSensitivity, Folder, SearchPattern};

use crate::{Sandbox, never};

const NOTES: usize = 40;

/// How many notes an expression matches, and how often the search checked for cancellation: at
/// least once for each note that it read.
fn search(sandbox: &Sandbox, expression: &str) -> (usize, usize) {
    let asked = AtomicUsize::new(0);
    let ask = || {
        asked.fetch_add(1, Ordering::Relaxed);
        false
    };
    let pattern = SearchPattern::regex(expression, CaseSensitivity::Insensitive).unwrap();
    let found = sandbox.vault.search(&pattern, &Folder::ROOT, 10, &ask).unwrap();
    (found.matching_files, asked.into_inner())
}

#[test]
fn expressions_with_many_alternatives_search_all_notes() {
    let sandbox = Sandbox::new();
    for number in 0..NOTES {
        sandbox.put(&format!("{number}.md"), "lantern\n");
    }
    sandbox.put("found.md", "the 007WORD for her here\n");
    sandbox.vault.wait_for_index(&never).unwrap();
    let words =
        |count: usize| (0..count).map(|number| format!("{number:03}word.*r")).collect::<Vec<_>>();
    let (found, asked) = search(&sandbox, &words(10).join("|"));
    assert_eq!(found, 1);
    assert!(asked < NOTES, "the index knows which notes have one of a few words: {asked}");
    for expression in [
        words(100).join("|"),
        format!("({})", words(100).join("|")),
        words(100)
            .chunks(10)
            .map(|some| format!("({})", some.join("|")))
            .collect::<Vec<_>>()
            .join("|"),
    ] {
        let (found, asked) = search(&sandbox, &expression);
        assert_eq!(found, 1, "{expression}");
        assert!(asked > NOTES, "{asked}: {expression}");
    }
}
