//! The answers of the index, and how it follows the vault.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use toolwrit_vault::{
    Backlinks, CaseSensitivity, Depth, Folder, Hit, IfMissing, SearchPattern, SearchResults, Vault,
    VaultError, WriteMode,
};

use crate::{Sandbox, generated, never, path};

pub(crate) fn search(vault: &Vault, pattern: &SearchPattern, limit: usize) -> SearchResults {
    vault.search(pattern, &Folder::ROOT, limit, &never).unwrap()
}

/// `path:line:column:snippet`, or the path alone.
fn describe_hits(hits: &[Hit]) -> Vec<String> {
    let show = |Hit { path, excerpt }: &Hit| match excerpt {
        Some(at) => format!("{path}:{}:{}:{}", at.line, at.column, at.snippet),
        None => path.to_string(),
    };
    hits.iter().map(show).collect()
}

fn found(sandbox: &Sandbox, query: &str) -> Vec<String> {
    describe_hits(&search(&sandbox.vault, &SearchPattern::text(query).unwrap(), 10).hits)
}

#[test]
fn a_word_in_the_title_ranks_first() {
    let sandbox = Sandbox::new();
    sandbox.put("aside.md", "# Other\r\n\r\nA lantern, once.\r\n");
    sandbox.put("named/Lantern.md", "nothing of the kind\n");
    sandbox.put("heading.md", "text\n\n# The Lantern\n\ntext\n");
    sandbox.put("alias.md", "---\naliases: [Lantern]\n---\ntext\n");
    sandbox.put("no.md", "a lan tern");
    sandbox.put("picture.png", "lantern");
    assert_eq!(
        found(&sandbox, "LANTERN"),
        [
            "alias.md:2:11:aliases: [Lantern]",
            "named/Lantern.md",
            "heading.md:3:7:# The Lantern",
            "aside.md:3:3:A lantern, once.",
        ]
    );
}

#[test]
fn notes_with_more_words_rank_first_and_show_their_best_line() {
    let sandbox = Sandbox::new();
    sandbox.put("one.md", "brass brass brass brass\n");
    sandbox.put("both.md", "brass here\nand there\nthe brass hinge of Zoé\n");
    sandbox.put("far.md", format!("brass\n{}\nhinge\n", "filler ".repeat(200)));
    assert_eq!(
        found(&sandbox, "hinge, brass!"),
        [
            "both.md:3:5:the brass hinge of Zoé",
            "far.md:1:1:brass",
            "one.md:1:1:brass brass brass brass"
        ]
    );
    assert_eq!(found(&sandbox, "zoe\u{301}"), ["both.md:3:20:the brass hinge of Zoé"]);
    assert_eq!(found(&sandbox, "hin"), ["both.md:3:11:the brass hinge of Zoé", "far.md:3:1:hinge"]);
    assert_eq!(found(&sandbox, "hi zo"), Vec::<String>::new(), "too short a start");
    let limited = search(&sandbox.vault, &SearchPattern::text("brass").unwrap(), 1);
    assert_eq!((limited.hits.len(), limited.total_hits, limited.matching_files), (1, 3, 3));
    let error = SearchPattern::text("— !").unwrap_err();
    assert!(matches!(error, VaultError::BadPattern { .. }), "{error}");
}

#[test]
fn conditions_find_notes_by_their_frontmatter() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "---\nstatus: todo\npriority: 3\n---\n#urgent\n");
    sandbox
        .put("x/b.md", "\u{FEFF}---\r\nstatus: Todo\r\npriority: 1\r\ntags: [urgent]\r\n---\r\n");
    sandbox.put("c.md", "---\nstatus: [unclosed\n---\n");
    sandbox.put("d.md", "status: todo\n");
    sandbox.put("bad.md", b"---\nstatus: todo\n---\n\xFF");
    let find = |query: &str, folder: &str| {
        let pattern = SearchPattern::frontmatter(query).unwrap();
        let folder = Folder::parse(folder).unwrap();
        sandbox.vault.search(&pattern, &folder, 10, &never).unwrap()
    };
    assert_eq!(describe_hits(&find("status = todo", "").hits), ["a.md", "x/b.md"]);
    assert_eq!(describe_hits(&find("status = todo and priority > 2", "").hits), ["a.md"]);
    assert_eq!(describe_hits(&find("tags = urgent", "").hits), ["a.md", "x/b.md"]);
    assert_eq!(describe_hits(&find("tags = urgent", "x").hits), ["x/b.md"]);
    assert_eq!(describe_hits(&find("status missing", "").hits), ["d.md"]);
    assert_eq!(find("status = todo", "").not_searched, 2, "c.md and bad.md");
    let error = SearchPattern::frontmatter("status = todo and").unwrap_err().to_string();
    assert!(error.contains("at column 18, expected the name of a property"), "{error}");
}

#[test]
fn backlinks_are_the_links_that_name_the_file() {
    let sandbox = Sandbox::new();
    sandbox.put("x/plan.md", "[[plan]] of its own");
    sandbox.put("longer folder/plan.md", "");
    sandbox.put(
        "a.md",
        "---\nup: \"[[x/plan]]\"\n---\n`[[plan]]` %%[[plan]]%%\n\nsee [[PLAN#h|it]]\n",
    );
    sandbox.put("longer folder/near.md", "[[plan]] is another");
    sandbox.put("b.md", "[t](x/plan.md) ![[plan]] [[aliased]] [u](https://x/plan.md)");
    let canvas =
        r#"{"nodes":[{"file":"x/plan.md"},{"file":[]},3,{"text":"\u005b[plan]] `[[plan]]`"}]}"#;
    sandbox.put("board.canvas", canvas);
    let Backlinks { path: of, links, files, truncated, .. } =
        sandbox.vault.backlinks(&path("x/plan"), 10, &never).unwrap();
    assert_eq!((of.as_str(), files, truncated), ("x/plan.md", 3, false));
    assert_eq!(
        describe_hits(&links),
        [
            "a.md:2:6:up: \"[[x/plan]]\"",
            "a.md:4:14:`[[plan]]` %%[[plan]]%%",
            "a.md:6:5:see [[PLAN#h|it]]",
            "b.md:1:1:[t](x/plan.md) ![[plan]] [[aliased]] [u](https://x/plan.md)",
            "b.md:1:16:[t](x/plan.md) ![[plan]] [[aliased]] [u](https://x/plan.md)",
            "board.canvas",
            "board.canvas",
        ]
    );
    for limit in [1, 3, 5, 6, 7] {
        let some = sandbox.vault.backlinks(&path("x/plan"), limit, &never).unwrap();
        assert_eq!((some.links.len(), some.files, some.truncated), (limit, 3, limit < 7));
    }
    let missing = sandbox.vault.backlinks(&path("nowhere"), 1, &never);
    assert!(matches!(missing, Err(VaultError::NotFound { .. })), "{missing:?}");
}

#[test]
fn tags_are_counted_by_note_whatever_their_case() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "---\ntags: [Work, home]\n---\n#work #WORK #work/deep `#code`\n");
    sandbox.put("x/b.md", "#work\n");
    let tags = |folder: &str| {
        let tags = sandbox.vault.tags(&Folder::parse(folder).unwrap(), &never).unwrap();
        tags.into_iter().map(|tag| (tag.tag, tag.notes)).collect::<Vec<_>>()
    };
    let count = |tag: &str, notes| (tag.to_owned(), notes);
    assert_eq!(tags(""), [count("WORK", 2), count("home", 1), count("work/deep", 1)]);
    assert_eq!(tags("x"), [count("work", 1)]);
}

#[test]
fn own_changes_are_visible_immediately() {
    let sandbox = Sandbox::new();
    let vault = &sandbox.vault;
    sandbox.put("x/old.md", "first");
    assert_eq!(found(&sandbox, "first"), ["x/old.md:1:1:first"]);
    vault.write(&path("new"), "second #tagged [[old]]", WriteMode::CreateOnly, None).unwrap();
    assert_eq!(found(&sandbox, "second"), ["new.md:1:1:second #tagged [[old]]"]);
    assert_eq!(vault.tags(&Folder::ROOT, &never).unwrap().len(), 1);
    assert_eq!(vault.backlinks(&path("x/old"), 9, &never).unwrap().files, 1);
    vault.append(&path("x/old"), "third", IfMissing::Fail, None).unwrap();
    assert_eq!(found(&sandbox, "third"), ["x/old.md:2:1:third"]);
    vault.move_note(&path("x/old"), &path("y/moved"), None, &never).unwrap();
    assert_eq!(found(&sandbox, "third"), ["y/moved.md:2:1:third"]);
    assert_eq!(vault.backlinks(&path("y/moved"), 9, &never).unwrap().files, 1);
    vault.delete(&path("y/moved"), None).unwrap();
    assert_eq!(found(&sandbox, "third"), Vec::<String>::new());
    vault.write(&path("new"), "other", WriteMode::Overwrite, None).unwrap();
    assert_eq!(found(&sandbox, "second"), Vec::<String>::new());
}

#[test]
fn changes_of_other_programs_are_indexed_except_hidden_files() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "needle one");
    sandbox.vault.wait_for_index(&never).unwrap();
    sandbox.put("new folder/deep/b.md", "needle two");
    sandbox.put("a.md", "needle 1ne");
    sandbox.put(".hidden.md", "needle");
    sandbox.put(".obsidian/c.md", "needle");
    sandbox.put("x/.tmp/d.md", "needle");
    sandbox.vault.wait_for_index(&never).unwrap();
    let expected = ["a.md:1:1:needle 1ne", "new folder/deep/b.md:1:1:needle two"];
    assert_eq!(found(&sandbox, "needle"), expected);
    fs::rename(sandbox.file("new folder"), sandbox.file("other")).unwrap();
    fs::remove_file(sandbox.file("a.md")).unwrap();
    sandbox.vault.wait_for_index(&never).unwrap();
    assert_eq!(found(&sandbox, "needle"), ["other/deep/b.md:1:1:needle two"]);
    fs::remove_dir_all(sandbox.file("other")).unwrap();
    sandbox.vault.wait_for_index(&never).unwrap();
    assert_eq!(found(&sandbox, "needle"), Vec::<String>::new());
}

#[test]
fn a_large_vault_is_indexed_completely_and_waiting_can_be_cancelled() {
    const NOTES: usize = 1500;
    let sandbox = Sandbox::new();
    generated::write(&sandbox.file(""), NOTES);
    let pattern = SearchPattern::text("note").unwrap();
    let result = sandbox.vault.search(&pattern, &Folder::ROOT, 10, &|| true);
    assert!(matches!(result, Err(VaultError::Cancelled)), "{result:?}");
    assert_eq!(search(&sandbox.vault, &pattern, 10).total_hits, NOTES);
    let found = search(&sandbox.vault, &SearchPattern::text("note 1234").unwrap(), 1);
    assert_eq!(found.hits[0].path, path(&(generated::note_path(1234) + ".md")));
    let status = ["todo", "'in progress'", "done", "blocked"].map(|status| {
        let pattern = SearchPattern::frontmatter(&format!("status = {status}")).unwrap();
        search(&sandbox.vault, &pattern, 1).total_hits
    });
    assert_eq!(status.iter().sum::<usize>(), NOTES);
    let linking = |number: usize| {
        let links = format!(r"\[\[Note {number}[#\]]|{}[|.]", generated::note_path(number));
        let pattern = SearchPattern::regex(&links, CaseSensitivity::Sensitive).unwrap();
        let hits = search(&sandbox.vault, &pattern, usize::MAX).hits.into_iter();
        let mut paths: Vec<_> = hits.map(|hit| hit.path.to_string()).collect();
        paths.dedup();
        paths.retain(|path| *path != generated::note_path(number) + ".md");
        paths.len()
    };
    for number in [3, 700] {
        let path = path(&generated::note_path(number));
        let files = sandbox.vault.backlinks(&path, 1, &never).unwrap().files;
        assert_eq!(files, linking(number), "what an expression finds");
        assert!(files > 0);
    }
}

#[test]
fn changes_of_other_programs_are_indexed_without_a_request() {
    let sandbox = Sandbox::new();
    sandbox.vault.wait_for_index(&never).unwrap();
    for (content, folder) in [("alpha", "x"), ("beta", "x"), ("gamma", "new/folder")] {
        let start = Instant::now();
        sandbox.put(&format!("{folder}/a.md"), content);
        while found(&sandbox, content).is_empty() {
            assert!(start.elapsed() < Duration::from_mins(1), "{content} was never seen");
            std::thread::yield_now();
        }
    }
}

#[test]
fn folders_that_are_removed_and_recreated_are_watched() {
    let sandbox = Sandbox::new();
    sandbox.vault.wait_for_index(&never).unwrap();
    for round in 0..5 {
        for number in 0..8 {
            sandbox.put(&format!("top/{number}/in/{round}.md"), format!("needle{round}"));
        }
        let query = format!("needle{round}");
        sandbox.vault.wait_for_index(&never).unwrap();
        assert_eq!(found(&sandbox, &query).len(), 8);
        fs::rename(sandbox.file("top/1"), sandbox.file("top/moved")).unwrap();
        fs::remove_dir_all(sandbox.file("top/2")).unwrap();
        sandbox.put(&format!("top/1/in/{round}.md"), "other");
        sandbox.put(&format!("top/moved/in/{round}.md"), format!("{query} again"));
        sandbox.vault.wait_for_index(&never).unwrap();
        let seen = found(&sandbox, &query);
        assert_eq!(seen.len(), 7, "{seen:?}");
        assert!(seen.contains(&format!("top/moved/in/{round}.md:1:1:{query} again")), "{seen:?}");
        fs::remove_dir_all(sandbox.file("top")).unwrap();
    }
    sandbox.vault.wait_for_index(&never).unwrap();
    assert_eq!(found(&sandbox, "needle"), Vec::<String>::new());
}

#[test]
fn removing_the_engines_folder_loses_no_notification() {
    let sandbox = Sandbox::new();
    let write = |text: &str| {
        sandbox.vault.write(&path("own"), text, WriteMode::Overwrite, None).unwrap();
        sandbox.vault.wait_for_index(&never).unwrap();
    };
    write("one");
    for round in 0..2 {
        fs::remove_dir_all(sandbox.file(".toolwrit")).unwrap();
        sandbox.put("new.md", format!("needle{round}"));
        write(&format!("round {round}"));
        assert_eq!(found(&sandbox, &format!("needle{round}")).len(), 1);
    }
}

/// All answers of the index.
pub(crate) fn answers(vault: &Vault) -> BTreeMap<String, Vec<String>> {
    vault.wait_for_index(&never).unwrap();
    let mut answers = BTreeMap::new();
    let tags = vault.tags(&Folder::ROOT, &never).unwrap();
    let tags = tags.into_iter().map(|tag| format!("{} {}", tag.tag, tag.notes)).collect();
    answers.insert("tags".to_owned(), tags);
    for word in ["alpha", "beta", "gamma"] {
        let mut found =
            describe_hits(&search(vault, &SearchPattern::text(word).unwrap(), 100).hits);
        found.sort();
        answers.insert(word.to_owned(), found);
    }
    for expression in ["alpha.*gamma", "gamma alpha.*beta", r"beta\nalpha"] {
        let pattern = SearchPattern::regex(expression, CaseSensitivity::Sensitive).unwrap();
        answers.insert(expression.to_owned(), describe_hits(&search(vault, &pattern, 100).hits));
    }
    let all = SearchPattern::frontmatter("key exists").unwrap();
    answers.insert("key".to_owned(), describe_hits(&search(vault, &all, 100).hits));
    for entry in vault.list(&Folder::ROOT, Depth::DEEP, None, &never).unwrap().entries {
        if let Ok(found) = vault.backlinks(&entry.path, 100, &never) {
            answers.insert(entry.path.to_string(), describe_hits(&found.links));
        }
    }
    answers
}

const FILES: [&str; 8] =
    ["a.md", "b.md", "x/a.md", "x/y/c.md", "x/board.canvas", "x/p.png", "z/b.md", "A.md"];

/// Possible content of a file.
fn content() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("alpha "),
        Just("beta\n"),
        Just("gamma "),
        Just("[[a]] "),
        Just("[[x/a]] "),
        Just("![[p.png]] "),
        Just("[[b]]\n"),
        Just("#tag "),
        Just("#Other\n"),
        Just("# alpha\n"),
    ];
    let pieces = proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
    (pieces, any::<bool>()).prop_map(|(text, front)| {
        if front { format!("---\nkey: 1\ntags: [tag]\n---\n{text}") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    /// No matter which program makes the changes, the index ends up equal to a new one.
    #[test]
    fn an_updated_index_equals_a_new_one(
        steps in proptest::collection::vec((0_usize..6, 0..FILES.len(), 0..FILES.len(), content()), 1..25),
    ) {
        let sandbox = Sandbox::new();
        let vault = &sandbox.vault;
        vault.wait_for_index(&never).unwrap();
        for (action, file, other, content) in steps {
            let (file, other) = (FILES[file], FILES[other]);
            // An operation that fails changes nothing.
            match action {
                0 | 1 => sandbox.put(file, content),
                2 => drop(fs::remove_file(sandbox.file(file))),
                3 => drop(vault.write(&path(file), &content, WriteMode::Overwrite, None)),
                4 => drop(vault.delete(&path(file), None)),
                _ => drop(vault.move_note(&path(file), &path(other), None, &never)),
            }
        }
        let anew = Vault::open(sandbox.file("")).unwrap();
        prop_assert_eq!(answers(vault), answers(&anew));
    }
}
