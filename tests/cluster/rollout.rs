//! Replicas are replaced one after another while clients go on, and the balancer itself dies.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::scope;

use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::cluster::{Caller, Cluster, keyed};
use toolwrit_tests::requirement::number;
use toolwrit_tests::waiting::{Stop, found, until};

use crate::writers::counts;

/// Clients at once.
const CLIENTS: usize = 6;

/// What clients of the balancer have got.
#[derive(Default)]
struct Load {
    stop: AtomicBool,
    answered: AtomicUsize,
    next: AtomicUsize,
}

impl Load {
    /// Reads and writes in turn until it is stopped. Every request must be answered at once.
    fn run(&self, balanced: &Caller) -> Vec<String> {
        let mut failed = Vec::new();
        while !self.stop.load(SeqCst) {
            let key = self.next.fetch_add(1, SeqCst).to_string();
            let write = keyed("ledger_append", &json!({"line": key, "millis": 5}), &key);
            let read = json!({"name": "clerk_who", "arguments": {}});
            for call in [write, read] {
                match balanced.try_request("tools/call", call) {
                    Ok(answer) if answer["result"]["isError"] != true => {
                        self.answered.fetch_add(1, SeqCst);
                    }
                    Ok(refused) => failed.push(refused.to_string()),
                    Err(silent) => failed.push(silent),
                }
            }
        }
        failed
    }
}

/// The version of the schema in the database.
fn schema(cluster: &Cluster) -> u32 {
    cluster.database.rows("select current from toolwrit.version")[0][0].parse().unwrap()
}

/// Replaces every replica, one after another, while clients go on, so often. Returns how many requests were answered.
fn replace_under_load(cluster: &mut Cluster, rounds: usize) -> usize {
    cluster.in_use();
    let load = Load::default();
    let balanced = cluster.balanced();
    let failed: Vec<String> = scope(|scope| {
        let stop = Stop(&load.stop);
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| load.run(&balanced))).collect();
        for replica in (0..rounds).flat_map(|_| 0..3) {
            let before = load.answered.load(SeqCst);
            until("calls", || load.answered.load(SeqCst) > before + 100);
            let said = cluster.stop(replica);
            assert!(!said.contains("still in flight"), "{said}");
            cluster.begin(replica);
            // As a Deployment that has no replica to spare: the next one waits until this one is in use.
            cluster.in_use();
        }
        drop(stop);
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let answered = load.answered.load(SeqCst);
    assert!(failed.is_empty(), "{} of {answered}: {}", failed.len(), failed[0]);
    let lines = cluster.lines();
    assert!(counts(&lines).values().all(|count| *count == 1));
    assert_eq!(lines.len(), load.next.load(SeqCst));
    answered
}

#[test]
fn a_rolling_upgrade_under_load_fails_no_request() {
    let flags = ["--drain-delay", "3s"];
    let Some(mut cluster) = Cluster::start(&flags) else { return };
    let newest = schema(&cluster);
    for replica in 0..3 {
        cluster.stop(replica);
    }
    // The version before: this program, which then knows no newer schema.
    cluster.database.rows("drop schema toolwrit cascade");
    let older = TempDir::new().unwrap();
    let file = older.path().join("config.toml");
    std::fs::write(&file, format!("[state]\nnewest_schema = {}\n", newest - 1)).unwrap();
    cluster.set_flags(&[&flags[..], &["--config", file.to_str().unwrap()]].concat());
    for replica in 0..3 {
        cluster.begin(replica);
    }
    assert_eq!(schema(&cluster), newest - 1);
    cluster.set_flags(&flags);
    let answered = replace_under_load(&mut cluster, number(1, 3));
    assert_eq!(schema(&cluster), newest);
    eprintln!("{answered} requests, 0 failed");
}

#[test]
fn a_dead_balancer_costs_no_write() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let balanced = cluster.balanced();
    cluster.in_use();
    let call = |key: usize| {
        let key = key.to_string();
        keyed("ledger_append", &json!({"line": key, "millis": 20}), &key)
    };
    let (keys, kills) = (number(60, 600), number(3, 10));
    let next = AtomicUsize::new(0);
    scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while let Some(key) = Some(next.fetch_add(1, SeqCst)).filter(|key| *key < keys) {
                    // The same key until there is an answer: the call that lost its connection is not repeated.
                    let line = found("an answer", || {
                        let answer = balanced.try_request("tools/call", call(key)).ok()?;
                        let result = &answer["result"];
                        (result["isError"] != true)
                            .then(|| result["structuredContent"]["line"].clone())
                    });
                    assert_eq!(line, key.to_string());
                }
            });
        }
        for kill in 0..kills {
            until("some calls", || next.load(SeqCst) > kill * keys / kills);
            cluster.balancer.stop();
            cluster.balancer.begin();
        }
    });
    let lines = cluster.lines();
    assert!(counts(&lines).values().all(|count| *count == 1));
    assert_eq!(lines.len(), keys);
}
