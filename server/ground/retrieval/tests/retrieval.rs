//! Ranking and finding documents.

use std::sync::Arc;

use proptest::prelude::*;
use toolwrit_retrieval::{
    Analysis, Analyst, Method, Relevance, ToolDocument, ToolIndex, VerbClass, Verbs,
};
use toolwrit_words::Effect;

fn document<'a>(name: &'a str, description: &'a str) -> ToolDocument<'a> {
    ToolDocument { name, description, ..ToolDocument::default() }
}

/// The tools of a workshop.
fn workshop() -> Vec<ToolDocument<'static>> {
    vec![
        document("book_machine", "Reserve a lathe, mill or saw for some hours."),
        document("report_fault", "Say that a machine is out of order."),
        document("cancel_order", "Withdraw an order before it is shipped."),
        document("list_pull_requests", "Open pull requests of the plans."),
        document("read_temperature", "Degrees in the kiln right now."),
    ]
}

fn names(index: &ToolIndex, documents: &[ToolDocument<'_>], query: &str) -> Vec<String> {
    index.search(query).iter().map(|hit| documents[hit.document].name.to_owned()).collect()
}

#[test]
fn similar_words_find_documents_without_shared_words() {
    let documents = workshop();
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    for (query, expected) in [
        ("the drill is broken", "report_fault"),
        ("how hot is the oven", "read_temperature"),
        ("revoke my purchase", "cancel_order"),
    ] {
        let first = index.rank(query, Method::Hybrid)[0].document;
        assert_eq!(documents[first].name, expected, "{query}");
    }
}

#[test]
fn synonyms_find_the_documents_of_their_terms() {
    let plain = workshop();
    let index = ToolIndex::build(&Analysis::from_documents(plain.clone()));
    assert!(names(&index, &plain, "PRs").is_empty());
    let synonyms = vec![("pull request", "PR"), ("pull request", "merge request")];
    let named: Vec<_> = workshop()
        .into_iter()
        .map(|document| ToolDocument { synonyms: synonyms.clone(), ..document })
        .collect();
    let index = ToolIndex::build(&Analysis::from_documents(named.clone()));
    for query in ["PRs", "merge requests"] {
        assert_eq!(names(&index, &named, query)[0], "list_pull_requests", "{query}");
    }
}

#[test]
fn asks_find_documents_for_similar_queries() {
    let documents = [
        document("alpha", "Do the first thing."),
        ToolDocument {
            asks: vec!["water the tomatoes"],
            ..document("beta", "Do the second thing.")
        },
    ];
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    assert_eq!(names(&index, &documents, "please water my tomatoes"), ["beta"]);
}

#[test]
fn a_document_without_asks_is_not_displaced_by_one_with_asks() {
    let documents = [
        document("export_report", "Write the figures of a month into a file."),
        ToolDocument {
            asks: vec!["tell the boss the figures", "write him about the report"],
            ..document("send_mail", "Send a message.")
        },
    ];
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    assert_eq!(names(&index, &documents, "write the report")[0], "export_report");
}

#[test]
fn a_word_in_every_document_gives_no_strong_hit() {
    let documents = ["Shear a sheep.", "Feed a sheep.", "Sell a sheep.", "Name a sheep."];
    let named = documents.map(|description| document("task", description));
    let index = ToolIndex::build(&Analysis::from_documents(named));
    let relevances = |query: &str| -> Vec<Relevance> {
        index.search(query).iter().map(|hit| hit.relevance).collect()
    };
    for query in ["sheep", "the sheep", "I do not need this sheep"] {
        assert!(!relevances(query).contains(&Relevance::Strong), "{query}");
    }
    assert_eq!(relevances("sell the sheep")[0], Relevance::Strong);
}

#[test]
fn a_document_added_later_is_found() {
    let documents = workshop();
    let mut index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    let later = document("feed_cat", "Put food into the bowl of the cat.");
    assert!(index.search("feed the cat").is_empty());
    index.add(&Analysis::from_document(&later));
    let hit = index.search("feed the cat")[0];
    assert_eq!((hit.document, hit.relevance), (documents.len(), Relevance::Strong));
    assert_eq!(
        index.rank("how hot is the oven", Method::Hybrid)[0].document,
        4,
        "the other documents are still found"
    );
}

#[test]
fn an_empty_index_and_an_empty_query_find_nothing() {
    assert!(ToolIndex::build(&[]).search("anything").is_empty());
    let index = ToolIndex::build(&Analysis::from_documents(workshop()));
    for query in ["", " ", "?!", "\u{0}"] {
        assert!(index.search(query).is_empty(), "{query:?}");
    }
}

#[test]
fn every_method_ranks_every_document_once() {
    let index = ToolIndex::build(&Analysis::from_documents(workshop()));
    for method in [Method::Bm25, Method::Dense, Method::Hybrid] {
        let mut ranked: Vec<usize> =
            index.rank("machine", method).iter().map(|hit| hit.document).collect();
        ranked.sort_unstable();
        assert_eq!(ranked, [0, 1, 2, 3, 4], "{method:?}");
    }
}

/// A shop whose tools read, write and destroy.
fn shop() -> Vec<ToolDocument<'static>> {
    let tool = |name, title, effect| ToolDocument {
        name,
        title,
        effect: Some(effect),
        ..ToolDocument::default()
    };
    vec![
        tool("read_order", "Show an order.", Effect::Read),
        tool("create_order", "Place an order.", Effect::Write),
        tool("cancel_order", "Delete an order.", Effect::Destroy),
        tool("rename_shelf", "Rename a shelf.", Effect::Write),
        tool("list_customers", "List the customers.", Effect::Read),
    ]
}

/// The names of the strong hits.
fn strong(index: &ToolIndex, documents: &[ToolDocument<'_>], query: &str) -> Vec<String> {
    let hits = index.search(query);
    let strong = hits.iter().filter(|hit| hit.relevance == Relevance::Strong);
    strong.map(|hit| documents[hit.document].name.to_owned()).collect()
}

#[test]
fn a_tool_that_does_the_opposite_is_not_meant() {
    let documents = shop();
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    for query in ["restore the order", "bring back a deleted order", "undelete an order"] {
        assert_eq!(strong(&index, &documents, query), [""; 0], "{query}");
        let contradicted = index.search(query).iter().all(|hit| hit.evidence.contradiction > 0.9);
        assert!(contradicted, "{query}");
    }
    assert_eq!(strong(&index, &documents, "delete an order")[0], "cancel_order");
    assert_eq!(names(&index, &documents, "get rid of the order")[0], "cancel_order");
}

#[test]
fn what_a_query_denies_does_not_count() {
    let documents = shop();
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    for query in [
        "do not delete the order, just show it",
        "show the order, don't delete it",
        "show the order instead of deleting it",
    ] {
        assert_eq!(names(&index, &documents, query)[0], "read_order", "{query}");
    }
    // Behind a subject, it denies nothing.
    let wish = index.search("I don't want this order, delete it");
    assert_eq!(documents[wish[0].document].name, "cancel_order");
}

#[test]
fn typing_errors_are_mended_but_names_stay() {
    let documents = shop();
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    for (query, expected) in
        [("reanme the shelf", "rename_shelf"), ("lsit the cusotmers", "list_customers")]
    {
        assert_eq!(strong(&index, &documents, query), [expected], "{query}");
    }
}

#[test]
fn long_nonsense_is_searched_in_bounded_time() {
    let documents = shop();
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    let words = (0..250).map(|n| format!("cusqo{}merx", char::from(b'a' + n % 26)));
    let nonsense = words.collect::<Vec<_>>().join(" ");
    assert!(index.search(&nonsense).len() <= documents.len());
}

#[test]
fn an_author_adds_verbs() {
    let (cellar, verbs) = (
        [
            ("rack_bottle", "Rack a bottle.", Effect::Write),
            ("pour_bottle", "Pour a bottle.", Effect::Destroy),
        ],
        Arc::new(Verbs::with([(VerbClass::Delete, "quaff"), (VerbClass::Delete, "pour")])),
    );
    let documents = cellar.map(|(name, title, effect)| ToolDocument {
        name,
        title,
        effect: Some(effect),
        ..ToolDocument::default()
    });
    let mut analyst = Analyst::new(verbs.clone());
    let analyses: Vec<_> = documents.iter().map(|d| analyst.analyse(d)).collect();
    let contradictions = |index: &ToolIndex| {
        let mut hits = index.rank("quaff the bottle", Method::Hybrid);
        hits.sort_by_key(|hit| hit.document);
        hits.iter().map(|hit| hit.evidence.contradiction).collect::<Vec<_>>()
    };
    assert_eq!(contradictions(&ToolIndex::with_verbs(verbs, &analyses)), [1.0, 0.0]);
    assert_eq!(contradictions(&ToolIndex::build(&analyses)), [0.0, 0.0]);
}

#[test]
fn a_greeting_asks_for_nothing() {
    let documents = shop();
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone()));
    assert!(index.search("hello, show an order").is_empty());
    assert_eq!(strong(&index, &documents, "show an order"), ["read_order"]);
}

#[test]
fn what_is_not_offered_is_found_as_a_gap() {
    let documents = shop();
    let gaps = [vec!["ship an order abroad".to_owned()], vec!["print the price list".to_owned()]];
    let index = ToolIndex::build(&Analysis::from_documents(documents.clone())).with_gaps(&gaps);
    let found = index.find("print a price list", |_| true);
    assert_eq!(found.gap, Some(1));
    assert!(found.hits.iter().all(|hit| hit.relevance == Relevance::Weak), "{found:?}");
    assert_eq!(index.find("show an order", |_| true).gap, None);
    assert_eq!(strong(&index, &documents, "show an order")[0], "read_order");
}

proptest! {
    /// Serializing keeps an analysis. Analysing together with other documents gives the same result.
    #[test]
    fn an_analysis_round_trips_as_bytes(name in "\\PC{0,20}", description in "\\PC{0,200}") {
        let alone = Analysis::from_document(&document(&name, &description));
        prop_assert_eq!(&Analysis::from_bytes(&alone.to_bytes()).unwrap(), &alone);
        prop_assert_eq!(alone.to_bytes(), Analysis::from_document(&document(&name, &description)).to_bytes());
    }

    #[test]
    fn arbitrary_bytes_are_refused_or_searchable(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(analysis) = Analysis::from_bytes(&bytes) {
            ToolIndex::build(&[analysis]).search("anything at all");
        }
    }

    #[test]
    fn ranking_any_text_is_deterministic(
        texts in proptest::collection::vec(("\\PC{0,20}", "\\PC{0,100}"), 0..6),
        query in "\\PC{0,100}",
    ) {
        let documents = || texts.iter().map(|(name, description)| document(name, description));
        let index = ToolIndex::build(&Analysis::from_documents(documents()));
        let hits = index.rank(&query, Method::Hybrid);
        prop_assert_eq!(hits.len(), texts.len());
        prop_assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.evidence.sum().is_finite()));
        let again = ToolIndex::build(&Analysis::from_documents(documents()));
        prop_assert_eq!(hits, again.rank(&query, Method::Hybrid));
    }

    /// The order and company of documents in a dictionary do not change ranks.
    #[test]
    fn documents_analysed_alone_or_together_rank_equally(at in 0_usize..5) {
        let documents = workshop();
        let alone: Vec<Analysis> = documents.iter().map(Analysis::from_document).collect();
        let query = documents[at].description;
        let together = ToolIndex::build(&Analysis::from_documents(documents.clone()));
        prop_assert_eq!(
            ToolIndex::build(&alone).rank(query, Method::Hybrid),
            together.rank(query, Method::Hybrid)
        );
    }
}
