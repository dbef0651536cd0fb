//! The database is away for some time: replicas go on with what needs no agreement, and refuse the rest without doing it.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;
use toolwrit_tests::cluster::Cluster;
use toolwrit_tests::requirement::number;
use toolwrit_tests::waiting::found;

/// Longer than a read takes, and shorter than any wait for the database.
const AT_ONCE: Duration = Duration::from_secs(2);

#[test]
fn reads_are_answered_and_writes_with_keys_are_refused_meanwhile() {
    let Some(mut cluster) = Cluster::start(&["--rate", "3000"]) else { return };
    let callers = cluster.callers();
    for (replica, caller) in callers.iter().enumerate() {
        let line = json!({"line": format!("before {replica}")});
        caller.keyed("ledger_append", &line, &format!("before {replica}")).ok();
    }
    cluster.know_each_other();
    cluster.database.stop(Signal::SIGINT);
    let gone = Instant::now();
    let time = Duration::from_secs(number(6, 20));
    let (mut reads, mut refused) = (0, 0);
    while gone.elapsed() < time {
        for (replica, caller) in callers.iter().enumerate() {
            let asked = Instant::now();
            caller.call("ledger_total", &json!({})).ok();
            assert!(asked.elapsed() < AT_ONCE, "a read took {:?}", asked.elapsed());
            reads += 1;
            assert_eq!(cluster.server(replica).get("/readyz", &[]).status, 200);
            let line = json!({"line": format!("while {refused}")});
            let error = caller.keyed("ledger_append", &line, &format!("while {refused}")).error();
            assert_eq!(error["code"], "PROVIDER_UNAVAILABLE", "{error}");
            assert_eq!(error["retryable"], true, "{error}");
            refused += 1;
        }
    }
    assert!(reads > 10 && refused > 10, "{reads} reads, {refused} refused");
    // A task that nobody could ask the others for is not begun, nor is a call of which nobody knows how many others run.
    for (tool, arguments) in
        [("ledger_brew", json!({"line": "tea", "millis": 1})), ("ledger_shift", json!({}))]
    {
        let asked = Instant::now();
        let error = callers[0].call(tool, &arguments).error();
        assert_eq!(error["code"], "PROVIDER_UNAVAILABLE", "{error}");
        assert_eq!(error["retryable"], true, "{error}");
        assert!(asked.elapsed() < AT_ONCE, "{tool} took {:?}", asked.elapsed());
    }
    assert_eq!(cluster.lines().len(), 3, "what was refused was done");
    cluster.database.begin();
    for (replica, caller) in callers.iter().enumerate() {
        let line = json!({"line": format!("after {replica}")});
        found("a write", || {
            let written = caller.keyed("ledger_append", &line, &format!("after {replica}"));
            (!written.is_error()).then_some(())
        });
    }
    assert_eq!(cluster.lines().len(), 6);
    for replica in 0..3 {
        cluster.stop(replica);
    }
    // The calls of that time were recorded when the database was back.
    let recorded = "select count(*) from toolwrit.audit where operation = 'ledger.total'";
    assert_eq!(cluster.database.rows(recorded), [[reads.to_string()]]);
}
