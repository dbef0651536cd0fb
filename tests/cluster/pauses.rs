//! A replica that is stopped for longer than its lease, as a virtual machine that is moved, does nothing that others have taken
//! over, and its late answers do not count.

use std::thread::scope;

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use toolwrit_tests::cluster::{Caller, Cluster, keyed};
use toolwrit_tests::waiting::{found, until};

use crate::writers::counts;

/// Calls that reach the replica while it is stopped.
const LATE: usize = 8;

#[test]
fn a_replica_that_slept_past_its_lease_starts_nothing_and_its_answers_are_dropped() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let [sleeper, other, third] = cluster.callers();
    let put = json!({"line": "put", "millis": 1000});
    let append = json!({"line": "append", "millis": 1000});
    let late = |n: usize| (json!({"line": format!("late {n}")}), format!("late {n}"));
    let process = |caller: &Caller| caller.call("clerk_who", &json!({})).ok()["result"].clone();
    let (own, others) = (process(&sleeper), process(&other));
    scope(|scope| {
        let begun = [("ledger_put", &put), ("ledger_append", &append)];
        let begun = begun.map(|(tool, arguments)| {
            let sleeper = sleeper.clone();
            scope.spawn(move || sleeper.try_request("tools/call", keyed(tool, arguments, tool)))
        });
        until("both lines", || cluster.lines().len() == 2);
        cluster.send(0, Signal::SIGSTOP);
        let asleep: Vec<_> = (0..LATE)
            .map(|n| {
                let (sleeper, (arguments, key)) = (sleeper.clone(), late(n));
                scope.spawn(move || {
                    let call = keyed("ledger_append", &arguments, &key);
                    sleeper.try_request("tools/call", call)
                })
            })
            .collect();
        // The other replica takes over what may be done again, and says of the rest that nobody knows.
        let taken = found("the end of the lease", || {
            let answer = other.keyed("ledger_put", &put, "ledger_put");
            (answer.code() != "CONFLICT").then(|| answer.ok())
        });
        assert_eq!(taken["by"], others);
        let unknown = other.keyed("ledger_append", &append, "ledger_append").error();
        assert_eq!((&unknown["code"], &unknown["retryable"]), (&json!("CONFLICT"), &json!(false)));
        for n in 0..LATE {
            let (arguments, key) = late(n);
            assert_eq!(other.keyed("ledger_append", &arguments, &key).ok()["by"], others);
        }
        cluster.send(0, Signal::SIGCONT);
        for late in asleep {
            // Refused, or what the other replica has answered.
            if let Ok(answer) = late.join().unwrap() {
                let by = &answer["result"]["structuredContent"]["by"];
                assert!(answer["result"]["isError"] == true || *by == others, "{answer}");
            }
        }
        for begun in begun {
            drop(begun.join().unwrap());
        }
        // What the sleeper has answered late is not what the key has.
        for caller in [&sleeper, &third] {
            let again = found("its next lease", || {
                let again = caller.keyed("ledger_put", &put, "ledger_put");
                (!again.is_error()).then(|| again.ok())
            });
            assert_eq!(again, taken);
        }
        let awake = found("its own work", || {
            let fresh = sleeper.keyed("ledger_append", &json!({"line": "awake"}), "awake");
            (!fresh.is_error()).then(|| fresh.ok())
        });
        assert_eq!(awake["by"], own);
    });
    let lines = cluster.lines();
    let counts = counts(&lines);
    assert_eq!(counts["put"], 2);
    assert!(counts.iter().all(|(line, count)| *line == "put" || *count == 1), "{counts:?}");
    assert_eq!(counts.len(), 3 + LATE);
}

#[test]
fn a_call_that_waited_for_its_turn_past_the_lease_is_not_started() {
    let Some(cluster) = Cluster::start(&["--concurrency", "1"]) else { return };
    let [sleeper, other, _] = cluster.callers();
    let (first, second) = (json!({"line": "first", "millis": 1000}), json!({"line": "second"}));
    let begin = |arguments: &Value, key: &'static str| {
        let (sleeper, call) = (sleeper.clone(), keyed("ledger_append", arguments, key));
        std::thread::spawn(move || sleeper.try_request("tools/call", call))
    };
    let running = begin(&first, "first");
    until("the first line", || cluster.lines() == ["first"]);
    let waiting = begin(&second, "second");
    let claimed = "select count(*) from toolwrit.claims";
    until("the claim of the second", || cluster.database.rows(claimed) == [["2"]]);
    cluster.send(0, Signal::SIGSTOP);
    let unknown = found("the end of the lease", || {
        let error = other.keyed("ledger_append", &second, "second").error();
        (error["retryable"] == false).then_some(error)
    });
    assert_eq!(unknown["code"], "CONFLICT", "{unknown}");
    cluster.send(0, Signal::SIGCONT);
    assert!(running.join().unwrap().is_ok());
    let late = waiting.join().unwrap().unwrap();
    assert_eq!(late["result"]["isError"], true, "{late}");
    assert_eq!(cluster.lines(), ["first"]);
    // It was never begun, so its key is free again.
    let free = found("the key", || {
        let again = other.keyed("ledger_append", &second, "second");
        (!again.is_error()).then(|| again.ok())
    });
    assert_eq!(free["line"], "second");
    assert_eq!(cluster.lines(), ["first", "second"]);
}
