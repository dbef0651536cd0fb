//! `vault.list` and `vault.search`.

use serde_json::{Value, json};

use crate::vault::{Session, paths};

fn session() -> Session {
    Session::with(&[
        ("Inbox.md", b"Buy a Lantern\nand lantern oil\n"),
        ("Daily/2026-11-20.md", b"walked to the harbour\r\nsaw a lantern\r\n"),
        ("Daily/2026-11-21.md", b"rain"),
        ("Daily/Old/2020-01-01.md", b"snow"),
        ("Picture.png", b"\x89PNG lantern\0"),
        (".hidden/Secret.md", b"lantern"),
        (".trash/Gone.md", b"lantern"),
        ("Daily/.draft.md", b"lantern"),
    ])
}

#[test]
fn a_folder_is_listed_shallow_or_deep() {
    let mut session = session();
    let shallow = session.call("list", json!({})).ok();
    assert_eq!(paths(&shallow["entries"]), ["Daily", "Inbox.md", "Picture.png"]);
    assert_eq!(shallow["total"], 3);
    let kinds: Vec<&Value> =
        shallow["entries"].as_array().unwrap().iter().map(|entry| &entry["kind"]).collect();
    assert_eq!(kinds, ["folder", "note", "attachment"]);
    let deep = session.call("list", json!({"recursive": true})).ok();
    assert_eq!(
        paths(&deep["entries"]),
        [
            "Daily",
            "Daily/2026-11-20.md",
            "Daily/2026-11-21.md",
            "Daily/Old",
            "Daily/Old/2020-01-01.md",
            "Inbox.md",
            "Picture.png",
        ]
    );
    for folder in ["Daily", "Daily/"] {
        let within = session.call("list", json!({ "folder": folder })).ok();
        let expected = ["Daily/2026-11-20.md", "Daily/2026-11-21.md", "Daily/Old"];
        assert_eq!(paths(&within["entries"]), expected);
    }
    assert_eq!(session.call("list", json!({"folder": "Nowhere"})).code(), "NOT_FOUND");
    assert_eq!(session.call("list", json!({"folder": "Inbox.md"})).code(), "INVALID_PATH");
}

#[test]
fn a_glob_keeps_what_it_matches() {
    let mut session = session();
    let cases: [(&str, &[&str]); 4] = [
        (
            "*.md",
            &["Daily/2026-11-20.md", "Daily/2026-11-21.md", "Daily/Old/2020-01-01.md", "Inbox.md"],
        ),
        ("Daily/*.md", &["Daily/2026-11-20.md", "Daily/2026-11-21.md"]),
        ("**/2020-*", &["Daily/Old/2020-01-01.md"]),
        ("*.pdf", &[]),
    ];
    for (glob, expected) in cases {
        let listing = session.call("list", json!({"recursive": true, "glob": glob})).ok();
        assert_eq!(paths(&listing["entries"]), expected, "{glob}");
        assert_eq!(listing["total"], expected.len());
    }
    let error = session.call("list", json!({"glob": "[a"})).error();
    assert_eq!(error["code"], "VALIDATION_ERROR");
    assert!(error["message"].as_str().unwrap().contains("not a valid pattern"), "{error}");
}

#[test]
fn a_listing_has_a_depth_and_an_order() {
    let mut session = session();
    let top = session.call("list", json!({"recursive": true, "depth": 1})).ok();
    assert_eq!(top, session.call("list", json!({})).ok());
    let daily = json!({"depth": 2, "glob": "*.md", "sort": "size", "limit": 1, "details": true});
    let largest = session.call("list", daily).ok();
    assert_eq!(largest["total"], 3);
    let every = json!({"depth": 2, "glob": "*.md", "details": true});
    let every = session.call("list", every).ok();
    let sizes = every["entries"].as_array().unwrap().iter().map(|entry| entry["size"].as_u64());
    assert_eq!(largest["entries"][0]["size"].as_u64(), sizes.max().unwrap());
    assert_eq!(session.call("list", json!({"depth": 0})).code(), "VALIDATION_ERROR");
}

#[test]
fn pages_of_a_listing_have_every_entry() {
    let mut session = session();
    let whole = session.call("list", json!({"recursive": true})).ok();
    let mut pages = Vec::new();
    for offset in (0..9).step_by(2) {
        let call = json!({"recursive": true, "limit": 2, "offset": offset});
        let page = session.call("list", call).ok();
        assert_eq!(page["total"], 7, "the total counts beyond the page");
        pages.extend(page["entries"].as_array().unwrap().clone());
    }
    assert_eq!(Value::Array(pages), whole["entries"]);
}

#[test]
fn words_find_the_most_relevant_notes_first() {
    let mut session = session();
    let found = session.call("search", json!({"query": "lantern oil"})).ok();
    assert_eq!(
        found,
        json!({
            "matches": [
                {"path": "Inbox.md", "line": 2, "text": "and lantern oil"},
                {"path": "Daily/2026-11-20.md", "line": 2, "text": "saw a lantern"},
            ],
            "total": 2,
            "files": 2,
        }),
        "neither dot folders nor attachments are searched"
    );
    let begun = session.call("search", json!({"query": "lant"})).ok();
    assert_eq!(begun["files"], 2, "the start of a word finds it");
    let within = session.call("search", json!({"query": "LANTERN", "folder": "Daily"})).ok();
    assert_eq!(paths(&within["matches"]), ["Daily/2026-11-20.md"]);
    assert_eq!(session.call("search", json!({"query": "l.ntern"})).ok()["total"], 0);
    let first = session.call("search", json!({"query": "lantern", "limit": 1})).ok();
    assert_eq!((paths(&first["matches"]).len(), &first["total"]), (1, &json!(2)));
    // Written text is found at once.
    session.call("write", json!({"path": "New.md", "content": "A chandelier.\n"})).ok();
    let found = session.call("search", json!({"query": "chandelier"})).ok();
    assert_eq!(paths(&found["matches"]), ["New.md"]);
}

#[test]
fn conditions_search_properties() {
    let note = |status: &str, priority: u8| {
        format!("---\nstatus: {status}\npriority: {priority}\n---\n").into_bytes()
    };
    let (low, high, done) = (note("todo", 1), note("todo", 3), note("done", 3));
    let mut session = Session::with(&[("Low.md", &low), ("High.md", &high), ("Done.md", &done)]);
    let mut search =
        |query: &str| session.call("search", json!({"query": query, "mode": "frontmatter"}));
    assert_eq!(paths(&search("status = todo and priority > 2").ok()["matches"]), ["High.md"]);
    assert_eq!(paths(&search("not status = todo").ok()["matches"]), ["Done.md"]);
    let error = search("status todo").error();
    assert_eq!(error["code"], "VALIDATION_ERROR");
    assert!(error["message"].as_str().unwrap().contains("column 8"), "{error}");
}

#[test]
fn links_to_a_note_and_tags_in_use_are_listed() {
    let mut session = Session::with(&[
        ("Harbour.md", b"#place\n"),
        ("Walk.md", b"To the [[harbour|sea]],\nand back. #walk #place\n"),
        ("Map.md", b"![[Harbour]] `[[Harbour]]`\n"),
    ]);
    let links = session.call("backlinks", json!({"path": "Harbour"})).ok();
    assert_eq!(
        links,
        json!({
            "path": "Harbour.md",
            "links": [
                {"path": "Map.md", "line": 1, "text": "![[Harbour]] `[[Harbour]]`"},
                {"path": "Walk.md", "line": 1, "text": "To the [[harbour|sea]],"},
            ],
            "files": 2,
        })
    );
    let cut = session.call("backlinks", json!({"path": "Harbour", "limit": 1})).ok();
    assert_eq!((&cut["files"], &cut["truncated"]), (&json!(2), &json!(true)));
    assert_eq!(session.call("backlinks", json!({"path": "Nowhere"})).code(), "NOT_FOUND");
    let tags = session.call("tags", json!({"limit": 1})).ok();
    assert_eq!(tags, json!({"tags": [{"tag": "place", "notes": 2}], "total": 2}));
}

#[test]
fn expressions_and_globs_are_modes() {
    let mut session = session();
    let call = json!({"query": r"^(saw|buy)\s.*n$", "mode": "regex"});
    let found = session.call("search", call).ok();
    assert_eq!(paths(&found["matches"]), ["Daily/2026-11-20.md", "Inbox.md"]);
    let found = session.call("search", json!({"query": "daily/2026-*", "mode": "glob"})).ok();
    assert_eq!(paths(&found["matches"]), ["Daily/2026-11-20.md", "Daily/2026-11-21.md"]);
    assert!(found["matches"][0].get("line").is_none(), "{found}");
    let hidden = session.call("search", json!({"query": "**", "mode": "glob"})).ok();
    assert!(paths(&hidden["matches"]).iter().all(|path| !path.contains("/.")), "{hidden}");
    assert_eq!(hidden["total"], 5);
}

#[test]
fn an_invalid_pattern_is_refused_with_the_reason() {
    let mut session = session();
    let bad = [
        ("regex", "(", "unclosed group"),
        ("regex", "a{9999}{9999}", "size limit"),
        ("regex", r"(?=x)", "look-around"),
        ("glob", "[a", "character class"),
    ];
    for (mode, query, reason) in bad {
        let error = session.call("search", json!({"query": query, "mode": mode})).error();
        assert_eq!(error["code"], "VALIDATION_ERROR", "{mode} {query}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(reason), "{mode} {query}: {message}");
    }
}

#[test]
fn tags_and_tasks_are_found_with_their_headings_and_the_lines_around() {
    let mut session = Session::with(&[
        ("Garden.md", b"# Beds\n## Roses\n- [ ] prune #garden/roses \xf0\x9f\x93\x85 2026-03-01\n- [x] water\nend\n"),
        ("Other.md", b"---\ntags: garden\n---\n"),
    ]);
    let tagged = session.call("search", json!({"query": "#garden", "mode": "tag"})).ok();
    assert_eq!(paths(&tagged["matches"]), ["Garden.md", "Other.md"]);
    assert_eq!((&tagged["total"], &tagged["matches"][0]["line"]), (&json!(2), &json!(3)));
    let query =
        json!({"query": "status = todo and due < 2026-03-02", "mode": "task", "context": 1});
    let tasks = session.call("search", query).ok();
    let task = &tasks["matches"][0];
    assert_eq!((&tasks["total"], &task["line"]), (&json!(1), &json!(3)));
    assert_eq!(task["heading"], "Beds::Roses");
    let context = task["context"].as_str().unwrap();
    assert!(context.starts_with("## Roses\n- [ ] prune") && context.ends_with("- [x] water"));
    let read = json!({"path": "Garden", "heading": task["heading"]});
    assert!(session.call("read", read).ok()["content"].as_str().unwrap().contains("prune"));
    let text = session.call("search", json!({"query": "water prune", "per_note": 2})).ok();
    assert_eq!(paths(&text["matches"]), ["Garden.md", "Garden.md"]);
    for (query, mode) in [("a b", "tag"), ("deadline exists", "task"), ("done = true", "task")] {
        let error = session.call("search", json!({"query": query, "mode": mode})).error();
        assert_eq!(error["code"], "VALIDATION_ERROR", "{error}");
    }
}

#[test]
fn a_listing_keeps_what_is_asked_for() {
    let mut session = Session::with(&[
        ("Hub.md", b"[[Leaf]] ![[used.png]]"),
        ("Sub/Leaf.md", b"x"),
        ("Sub/used.png", b"x"),
        ("Sub/unused.png", b"x"),
        (".obsidian/bookmarks.json", br#"{"items": [{"type": "file", "path": "Sub/Leaf.md"}]}"#),
    ]);
    for (only, expected) in [
        ("notes", &["Hub.md"][..]),
        ("orphans", &["Hub.md"]),
        ("dead_ends", &["Sub/Leaf.md"]),
        ("unused_attachments", &["Sub/unused.png"]),
        ("bookmarked", &["Sub/Leaf.md"]),
    ] {
        let listing = session.call("list", json!({ "only": only })).ok();
        assert_eq!(paths(&listing["entries"]), expected, "{only}");
        assert_eq!(listing["total"], expected.len());
    }
    let random = json!({"recursive": true, "only": "notes", "sort": "random", "limit": 1});
    let one = session.call("list", random).ok();
    assert_eq!((&one["total"], one["entries"].as_array().unwrap().len()), (&json!(2), 1));
}
