//! Queries for the shipped operations, in words that are not in the manifest.

use std::collections::BTreeMap;

use crate::discovery::Server;

const PARAPHRASES: &str = include_str!("paraphrases.yaml");
/// Typical requests, each of which must find its operation first.
const ASKS: &str = include_str!("asks.yaml");
/// Queries over all categories, of which every operation has at most one.
const MIXED: &str = include_str!("mixed.yaml");

/// Searches for the operations of a list of queries, and returns those that are asked for. At least 85% must come
/// first, and 97% among the first three.
fn check_ranks(server: &mut Server, queries: &str) -> BTreeMap<String, Vec<String>> {
    let asked: BTreeMap<String, Vec<String>> = serde_yaml::from_str(queries).unwrap();
    let operations: Vec<String> = server.operations();
    let mut missed = Vec::new();
    let (mut first, mut third, mut all) = (0, 0, 0);
    for (operation, queries) in &asked {
        assert!(operations.contains(operation), "there is no {operation}");
        for query in queries {
            let found = server.search(query);
            let rank = found.iter().position(|id| id == operation);
            all += 1;
            first += usize::from(rank == Some(0));
            third += usize::from(rank.is_some_and(|rank| rank < 3));
            if rank != Some(0) {
                missed.push(format!("{operation}: {query}: {rank:?} {:?}", found.first()));
            }
        }
    }
    let missed = missed.join("\n");
    assert!(first * 100 >= all * 85, "first in {first} of {all}:\n{missed}");
    assert!(third * 100 >= all * 97, "among the first three in {third} of {all}:\n{missed}");
    asked
}

#[test]
fn paraphrased_queries_find_the_shipped_operations() {
    let mut server = Server::start(&[]);
    let asked = check_ranks(&mut server, PARAPHRASES);
    for operation in server.operations() {
        assert!(asked.contains_key(&operation), "nobody asks for {operation}");
    }
}

#[test]
fn forty_queries_over_all_categories_find_theirs() {
    check_ranks(&mut Server::start(&[]), MIXED);
}

#[test]
fn typical_requests_find_their_operation_first() {
    let mut server = Server::start(&[]);
    let asked: BTreeMap<String, Vec<String>> = serde_yaml::from_str(ASKS).unwrap();
    let mut missed = Vec::new();
    for (operation, queries) in &asked {
        for query in queries {
            let found = server.search(query);
            if found.first() != Some(operation) {
                missed.push(format!("{operation}: {query}: {:?}", found.first()));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
