//! Requests in words of their own find their operation.

use std::collections::BTreeMap;

use super::{ids, json};

const PARAPHRASES: &str = include_str!("paraphrases.yaml");

/// At least 80% must come first, and 95% among the first five.
#[test]
fn paraphrased_requests_find_their_operation() {
    let asked: BTreeMap<String, Vec<String>> = serde_yaml::from_str(PARAPHRASES).unwrap();
    let operations = ids(&json(&["list", "--json"]));
    let mut missed = Vec::new();
    let (mut first, mut fifth, mut all) = (0, 0, 0);
    for (operation, requests) in &asked {
        assert!(operations.contains(operation), "there is no {operation}");
        for request in requests {
            let found = ids(&json(&["search", request, "--json", "--limit", "5"]));
            let rank = found.iter().position(|id| id == operation);
            all += 1;
            first += usize::from(rank == Some(0));
            fifth += usize::from(rank.is_some());
            if rank != Some(0) {
                missed.push(format!("{operation}: {request}: {rank:?} {:?}", found.first()));
            }
        }
    }
    let missed = missed.join("\n");
    assert!(all >= 60, "only {all} requests");
    assert!(first * 100 >= all * 80, "first in {first} of {all}:\n{missed}");
    assert!(fifth * 100 >= all * 95, "among the first five in {fifth} of {all}:\n{missed}");
}
