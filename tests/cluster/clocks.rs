//! Replicas whose clocks are an hour ahead and an hour behind agree with the others: what counts is the clock of the database.

use std::path::Path;

use serde_json::json;
use toolwrit_tests::cluster::{Cluster, NAMES};
use toolwrit_tests::requirement::number;

use crate::writers::{Known, counts, write};

/// The part of faketime that changes the clocks of a program. The linker knows the folder of this machine's libraries.
const LIBRARY: &str = "/usr/$LIB/faketime/libfaketimeMT.so.1";

#[test]
fn wrong_clocks_change_neither_leases_nor_the_times_of_the_audit() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    for (replica, offset) in [(0, "+1h"), (2, "-1h")] {
        cluster.stop(replica);
        let clock =
            [("LD_PRELOAD", LIBRARY), ("FAKETIME", offset), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
        cluster.begin_in(&clock, replica);
        assert!(is_faked(&cluster, replica), "the clock of {} is right", NAMES[replica]);
    }
    let callers = cluster.callers();
    // A token is valid for ten minutes, and is accepted an hour later or earlier.
    for (first, second) in [(0, 2), (2, 0), (0, 1), (1, 2)] {
        let line = json!({"line": format!("{first}-{second}")});
        let mut confirmed = line.clone();
        let refused = callers[first].without_user().call("ledger_strike", &line).error();
        confirmed["confirm"] = refused["expected"].clone();
        callers[second].call("ledger_strike", &confirmed).ok();
    }
    let keys = number(150, 600);
    let outcomes = write(&callers, "ledger_append", keys, |_| ());
    let known = outcomes.all();
    assert_eq!(known.len(), keys);
    assert!(known.values().all(|known| matches!(known, Known::Done(_))));
    let lines = cluster.lines();
    assert!(counts(&lines).values().all(|count| *count == 1));
    for replica in 0..3 {
        cluster.stop(replica);
    }
    // All was written after the database began and before now, by its own clock.
    let query = "select replica, count(*),
        count(*) filter (where at < pg_postmaster_start_time() - interval '1 s' or at > clock_timestamp() + interval '1 s')
        from toolwrit.audit group by replica order by replica";
    let rows = cluster.database.rows(query);
    assert_eq!(rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), NAMES, "{rows:?}");
    assert!(rows.iter().all(|row| row[1] != "0" && row[2] == "0"), "{rows:?}");
}

/// Whether the library is in the process. Without it, the test would show nothing.
fn is_faked(cluster: &Cluster, replica: usize) -> bool {
    let process = cluster.server(replica).child.id().to_string();
    let maps = std::fs::read_to_string(Path::new("/proc").join(process).join("maps")).unwrap();
    maps.contains("libfaketime")
}
