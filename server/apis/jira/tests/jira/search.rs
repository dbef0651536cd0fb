//! Requests in other words than the manifest's find their operations.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};

use crate::site::answering;

const PARAPHRASES: &str = include_str!("paraphrases.yaml");

/// The ids found, best first. `issues.get(..) -> ..` is `issues.get`.
fn search(client: &mut Client, query: &str) -> Vec<String> {
    let found = client.call("search_tools", &json!({ "query": query, "limit": 50 })).ok();
    let lines = found["results"].as_array().unwrap().iter();
    let id = |line: &Value| line.as_str().unwrap().split('(').next().unwrap().to_owned();
    lines.map(id).collect()
}

#[test]
fn paraphrased_requests_find_their_operations() {
    let configured = answering();
    let mut client = configured.client(User::Agrees, &["--surface", "meta"], Era::Stateless);
    // A call waits until Jira has answered; a search does not.
    client.call("execute_read", &json!({ "tool": "users.me", "args": {} }));
    let asked: BTreeMap<String, Vec<String>> = serde_yaml::from_str(PARAPHRASES).unwrap();
    let (mut all, mut first, mut fifth, mut missed) = (0, 0, 0, Vec::new());
    for (operation, queries) in &asked {
        for query in queries {
            let rank = search(&mut client, query).iter().position(|id| id == operation);
            all += 1;
            first += usize::from(rank == Some(0));
            fifth += usize::from(rank.is_some_and(|rank| rank < 5));
            if rank != Some(0) {
                missed.push(format!("{operation}: {query}: {rank:?}"));
            }
        }
    }
    let missed = missed.join("\n");
    assert!(all >= 40);
    assert!(first * 100 >= all * 80, "first in {first} of {all}:\n{missed}");
    assert!(fifth * 100 >= all * 95, "among the first five in {fifth} of {all}:\n{missed}");
}
