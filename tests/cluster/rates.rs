//! The limits of a caller hold for all replicas together.

use std::sync::Mutex;
use std::thread::scope;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwrit_tests::cluster::{Caller, Cluster};
use toolwrit_tests::requirement::number;

/// Clients of each replica.
const CLIENTS: usize = 3;

/// Calls every replica by several clients at once, as long as the condition holds, and returns when each call was granted, in
/// order.
fn granted(cluster: &Cluster, more: impl Fn(usize) -> bool + Sync) -> Vec<Instant> {
    let granted = Mutex::new(Vec::new());
    let call = |caller: &Caller| {
        for round in 0.. {
            if !more(round) {
                return;
            }
            let answer = caller.call("clerk_who", &json!({}));
            if answer.is_error() {
                assert_eq!(answer.code(), "LIMIT_EXCEEDED");
            } else {
                granted.lock().unwrap().push(Instant::now());
            }
        }
    };
    scope(|scope| {
        for client in 0..3 * CLIENTS {
            let caller = cluster.caller(client % 3);
            scope.spawn(move || call(&caller));
        }
    });
    let mut granted = granted.into_inner().unwrap();
    granted.sort_unstable();
    granted
}

#[test]
fn the_rate_of_a_caller_is_that_of_all_replicas_within_five_percent() {
    const RATE: f64 = 50.0;
    let Some(cluster) = Cluster::start(&["--rate", "50"]) else { return };
    let begun = Instant::now();
    let time = Duration::from_secs(number(5, 20));
    let granted = granted(&cluster, |_| begun.elapsed() < time);
    let (first, last) = (granted[0], granted[granted.len() - 1]);
    // As many as one second gives may be called at once, and the rest as time passes.
    let allowed = RATE + RATE * (last - first).as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "some thousands")]
    let part = granted.len() as f64 / allowed;
    assert!((0.95..=1.05).contains(&part), "{} of {allowed}", granted.len());
}

#[test]
fn the_calls_of_an_hour_are_counted_by_all_replicas_exactly() {
    let Some(cluster) = Cluster::start(&["--session-calls", "300"]) else { return };
    let granted = granted(&cluster, |round| round < 60);
    assert_eq!(granted.len(), 300, "of {}", 60 * 3 * CLIENTS);
}

#[test]
fn an_operation_with_fewer_permits_than_replicas_runs_no_more_often_at_once() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    cluster.know_each_other();
    let rounds = number(4, 20);
    scope(|scope| {
        for client in 0..3 * CLIENTS {
            let caller = cluster.caller(client % 3);
            scope.spawn(move || {
                for _ in 0..rounds {
                    caller.call("ledger_shift", &json!({"millis": 20})).ok();
                }
            });
        }
    });
    let lines = cluster.lines();
    assert_eq!(lines.len(), 2 * rounds * 3 * CLIENTS);
    let (mut running, mut most) = (0, 0);
    for line in &lines {
        running = if line == "begins" { running + 1 } else { running - 1 };
        most = most.max(running);
    }
    assert_eq!(most, 2);
}
