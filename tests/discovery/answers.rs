//! Answers to searches: short, deterministic, and explicit when nothing matches.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::program;
use toolwrit_tests::vaults;

use crate::discovery::{Server, ids};

/// The tokens of an answer.
fn tokens(answer: &Value) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(&answer.to_string()).len()
}

#[test]
fn five_hits_cost_few_tokens() {
    let mut server = Server::start(&[]);
    for query in ["find a note by its text", "change a note", "delete old notes", "read"] {
        let answer = server.answer(&json!({ "query": query, "limit": 5 }));
        let cost = tokens(&answer);
        assert!(cost <= 400, "{query} costs {cost}: {answer:#}");
    }
}

#[test]
fn each_result_has_its_relevance() {
    let mut server = Server::start(&[]);
    let answer = server.answer(&json!({ "query": "rename the note" }));
    let lines: Vec<&str> =
        answer["results"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert!(lines[0].starts_with("vault.rename("), "{lines:?}");
    assert!(lines[0].ends_with("(strong)"), "{lines:?}");
    for line in lines {
        let marks = line.rsplit_once('(').unwrap().1.trim_end_matches(')');
        let sure = marks.split(", ").filter(|mark| ["strong", "weak"].contains(mark)).count();
        assert_eq!(sure, 1, "{line}");
    }
}

/// Each of these words, or a synonym of it, is in every operation.
#[test]
fn words_of_every_operation_give_weak_results() {
    let mut server = Server::start(&[]);
    for query in
        ["page", "note", "file", "document", "I do not need this page", "what is in this note"]
    {
        let answer = server.answer(&json!({ "query": query, "limit": 50 }));
        let lines = answer["results"].as_array().unwrap().iter();
        let strong: Vec<_> =
            lines.filter(|line| line.as_str().unwrap().contains("(strong")).collect();
        assert!(strong.len() <= 3, "{query}: {strong:#?}");
    }
}

#[test]
fn an_answer_with_only_weak_results_has_a_reason() {
    let mut server = Server::start(&[]);
    for (query, reason) in [
        ("colour the headings blue", json!("only_weak_matches")),
        ("rename the note", Value::Null),
        ("vault.move", Value::Null),
        ("effect:read", Value::Null),
    ] {
        let answer = server.answer(&json!({ "query": query }));
        assert!(!answer["results"].as_array().unwrap().is_empty(), "{query}");
        assert_eq!(answer["reason"], reason, "{query}");
    }
}

#[test]
fn names_rank_above_meanings() {
    let mut server = Server::start(&[]);
    for name in ["vault.move", "vault_move", "move_vault_file"] {
        assert_eq!(server.search(name), ["vault.move"]);
    }
}

#[test]
fn nothing_matches_lists_the_categories() {
    let mut server = Server::start(&[]);
    let queries =
        ["zzyzx", "what is the capital of France", "book a flight to Oslo", "order a pizza", "???"];
    for query in queries {
        let answer = server.answer(&json!({ "query": query }));
        assert_eq!(answer["results"], json!([]), "{query}");
        assert_eq!(answer["reason"], "nothing_matches", "{query}");
        let vault = answer["categories"][0].as_str().unwrap();
        assert!(vault.starts_with("vault: read, "), "{vault}");
    }
}

#[test]
fn an_empty_query_lists_by_category() {
    let mut server = Server::start(&[]);
    let listed = server.answer(&json!({}));
    assert_eq!(listed, server.answer(&json!({ "query": "  " })));
    let categories = listed["results"].as_array().unwrap();
    assert!(categories.iter().all(|line| line.as_str().unwrap().contains(": ")), "{listed}");
    let vault = server.answer(&json!({ "category": "vault", "limit": 3 }));
    assert_eq!(ids(&vault), ["vault.read", "vault.attachment", "vault.write"]);
    assert!(vault["total"].as_u64().unwrap() > 3);
}

#[test]
fn selectors_in_a_query_filter_the_results() {
    let mut server = Server::start(&[]);
    let all = server.search("put a line into a note");
    let writes = server.search("effect:write put a line into a note");
    let of_writes = server.search("effect:write");
    let wanted: Vec<String> = all.iter().filter(|id| of_writes.contains(id)).cloned().collect();
    assert_eq!(writes, wanted);
    assert!(!writes.is_empty() && writes.len() < all.len(), "{writes:?} of {all:?}");
    let destroys = server.search("effect:destroy category:vault");
    assert_eq!(destroys, ["vault.delete", "vault.bulk_delete"]);
    // Anything else with a colon is a word.
    assert_eq!(server.search("rename: the note")[0], "vault.rename");
}

#[test]
fn the_same_query_has_the_same_answer() {
    let ask = |server: &mut Server| {
        let queries = ["find text", "throw it away", "tags", "weather", "links to a note", ""];
        queries.map(|query| server.answer(&json!({ "query": query })).to_string())
    };
    let mut server = Server::start(&[]);
    let first = ask(&mut server);
    assert_eq!(first, ask(&mut server));
    assert_eq!(first, ask(&mut Server::start(&[])));
}

/// A caller whose role has no deletion gets the ranks of a server without it: hidden operations change no rank, no
/// count and no relevance.
#[test]
fn hidden_operations_do_not_affect_results() {
    let queries = ["delete a note", "remove old drafts", "move to the trash", "find text"];
    let ask = |arguments: &[&str]| {
        let mut server = Server::start(arguments);
        queries.map(|query| server.answer(&json!({ "query": query, "limit": 50 })))
    };
    let hidden = ask(&["--exclude", "effect:destroy"]);
    let of_editor = ask(&["--role", "editor"]);
    assert_eq!(hidden, of_editor, "how it is hidden makes no difference");
    for id in hidden.iter().flat_map(ids) {
        assert!(!id.ends_with("delete"), "{id}");
    }
    assert_ne!(hidden, ask(&[]));
}

/// What only the focus mode or the write switch withholds is named with the remedy, without a signature.
#[test]
fn what_is_withheld_is_named_with_its_remedy() {
    for (flags, because, remedy) in [
        (["--focus", "content-editing"].as_slice(), "FOCUS_RESTRICTED", "focus mode"),
        (&["--read-only"], "WRITES_DISABLED", "--read-only"),
    ] {
        let mut server = Server::start(flags);
        let answer = server.answer(&json!({ "query": "delete a note" }));
        assert_eq!(answer["reason"], "withheld", "{answer}");
        assert_eq!(answer["because"], because, "{answer}");
        assert!(answer["remedy"].as_str().unwrap().contains(remedy), "{answer}");
        let named = answer["withheld"].as_array().unwrap();
        assert!((1..=3).contains(&named.len()), "{answer}");
        assert!(named[0].as_str().unwrap().starts_with("vault.delete: "), "{answer}");
        let lines = answer["results"].as_array().unwrap();
        assert!(lines.iter().all(|line| !line.as_str().unwrap().contains("(strong")), "{answer}");
        // What the caller may use stays strong.
        let answer = server.answer(&json!({ "query": "search my notes" }));
        assert_eq!(answer["withheld"], Value::Null, "{answer}");
        assert_eq!(ids(&answer)[0], "vault.search");
    }
    let mut hidden = Server::start(&["--read-only", "--role", "reader"]);
    let answer = hidden.answer(&json!({ "query": "delete a note" }));
    assert_eq!(answer["withheld"], Value::Null, "{answer}");
}

#[test]
fn what_is_not_offered_is_said() {
    let mut server = Server::start(&[]);
    for query in ["publish this page on my website", "share the note by a link"] {
        let answer = server.answer(&json!({ "query": query }));
        assert_eq!(answer["reason"], "not_offered", "{answer}");
        assert!(answer["note"].as_str().unwrap().starts_with("Notes are not "), "{answer}");
        let lines = answer["results"].as_array().unwrap();
        assert!(lines.iter().all(|line| !line.as_str().unwrap().contains("(strong")), "{answer}");
    }
}

/// A verb, and not the thing that it is done to, tells operations apart.
#[test]
fn the_opposite_of_a_wish_is_not_strong() {
    let mut server = Server::start(&[]);
    for (query, not) in [
        ("restore from trash", "vault.delete"),
        ("undo the last change", "active.patch"),
        ("get the deleted note back", "vault.delete"),
    ] {
        let answer = server.answer(&json!({ "query": query }));
        let strong = answer["results"].as_array().unwrap().iter();
        let mut strong =
            strong.map(|line| line.as_str().unwrap()).filter(|l| l.contains("(strong"));
        assert!(strong.all(|line| !line.starts_with(&format!("{not}("))), "{answer}");
        assert_eq!(ids(&answer)[0], "vault.undo", "{query}");
    }
}

#[test]
fn a_listing_of_a_category_is_complete() {
    let mut server = Server::start(&[]);
    let vault = server.answer(&json!({ "category": "vault" }));
    assert_eq!(vault["total"], vault["results"].as_array().unwrap().len());
    assert!(vault["total"].as_u64().unwrap() > 8);
}

#[test]
fn the_command_line_explains_ranks() {
    let vault = vaults::empty();
    let search = |arguments: &[&str]| {
        let mut command = std::process::Command::new(program::toolwrit());
        command.arg("search").args(arguments).env("TOOLWRIT_VAULT", vault.path());
        command.output().unwrap()
    };
    let found = search(&["throw", "away", "a", "note", "--explain", "--json"]);
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let first = &found["operations"][0];
    assert_eq!((&first["id"], &first["relevance"]), (&json!("vault.delete"), &json!("strong")));
    let parts = first["parts"].as_object().unwrap();
    let names: Vec<&str> = parts.keys().map(String::as_str).collect();
    assert_eq!(names, ["lexical", "soft", "dense", "ask"]);
    assert!(parts.values().all(|part| part.as_f64().unwrap() > 0.0), "{parts:?}");
    let judgement = first["judgement"].as_object().unwrap();
    let names: Vec<&str> = judgement.keys().map(String::as_str).collect();
    assert_eq!(names, ["coverage", "likeness", "contradiction", "object", "sum"]);
    assert_eq!(judgement["contradiction"], 0.0);
    let table = search(&["throw", "away", "a", "note", "--explain"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.starts_with("OPERATION"), "{table}");
    assert!(table.contains("DENSE") && table.contains("CONTRADICTION"), "{table}");
}

/// Another interface to the same index.
#[test]
fn dispatch_and_meta_return_the_same_operations() {
    let vault = vaults::empty();
    let mut client = Client::vault(vault.path(), &["--surface", "dispatch"]);
    let discovered = client.call("discover", &json!({})).ok();
    let names: Vec<&str> =
        discovered["vault"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
    let listed = Server::start(&[]).answer(&json!({}));
    let line = listed["results"][0].as_str().unwrap();
    assert!(line.starts_with(&format!("vault: {}  #", names.join(", "))), "{line}");
}
