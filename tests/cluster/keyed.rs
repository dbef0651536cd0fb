//! A call with an idempotency key is done at most once, and its answer is given only if it was done, whichever process dies.

use std::sync::atomic::Ordering::SeqCst;

use nix::sys::signal::Signal;
use toolwrit_tests::cluster::Cluster;
use toolwrit_tests::requirement::number;
use toolwrit_tests::waiting::until;

use crate::writers::{Known, Outcomes, assert_repeated, counts, write};

const APPEND: &str = "ledger_append";

/// Nothing was done twice, and what was answered was done. Returns how many calls nobody knows the end of.
fn assert_once(cluster: &Cluster, outcomes: &Outcomes, keys: usize) -> usize {
    let (lines, known) = (cluster.lines(), outcomes.all());
    let counts = counts(&lines);
    let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "done twice: {twice:?}");
    assert_eq!(known.len(), keys);
    for (key, known) in &known {
        let line = key.to_string();
        if let Known::Done(answer) = known {
            assert_eq!(answer["line"], line);
            assert!(counts.contains_key(line.as_str()), "{key} was answered, and not done");
        }
    }
    known.values().filter(|known| **known == Known::Unfinished).count()
}

#[test]
fn killed_replicas_do_nothing_twice_and_answer_nothing_that_was_not_done() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let (keys, kills) = (number(400, 2_000), number(20, 60));
    let callers = cluster.callers();
    let outcomes = write(&callers, APPEND, keys, |outcomes| {
        for kill in 0..kills {
            until("some answers", || outcomes.len() > kill * keys / kills);
            cluster.kill(kill % 3);
            cluster.begin(kill % 3);
        }
    });
    let unfinished = assert_once(&cluster, &outcomes, keys);
    assert_repeated(&callers, APPEND, &outcomes);
    // Otherwise the test would have killed only idle replicas.
    let silent = outcomes.silent.load(SeqCst);
    assert!(silent > kills / 4 && unfinished > 0, "{silent} silent, {unfinished} unfinished");
    assert!(unfinished < keys / 4, "{unfinished} unfinished");
    eprintln!("{keys} keys, {kills} kills: 0 twice, {silent} silent, {unfinished} unfinished");
}

#[test]
fn a_killed_database_loses_and_repeats_nothing() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    let (keys, kills) = (number(300, 1_000), number(2, 6));
    let callers = cluster.callers();
    let outcomes = write(&callers, APPEND, keys, |outcomes| {
        for kill in 0..kills {
            until("some answers", || outcomes.len() > kill * keys / kills + keys / 8);
            cluster.database.stop(Signal::SIGKILL);
            cluster.database.begin();
        }
    });
    let unfinished = assert_once(&cluster, &outcomes, keys);
    assert_repeated(&callers, APPEND, &outcomes);
    assert!(unfinished < keys / 4, "{unfinished} unfinished");
    for replica in 0..3 {
        cluster.stop(replica);
    }
    let audited = "select count(*), count(distinct id),
        count(*) filter (where operation = 'ledger.append' and outcome = 'ok') from toolwrit.audit";
    let counts = cluster.database.rows(audited).remove(0);
    let counts: Vec<usize> = counts.iter().map(|count| count.parse().unwrap()).collect();
    assert_eq!(counts[0], counts[1], "records that are there twice");
    // Each key was asked for until it was answered, and once more.
    assert!(counts[2] >= 2 * (keys - unfinished), "{counts:?} for {keys} keys");
}
