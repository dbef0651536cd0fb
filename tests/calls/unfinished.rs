//! Blocking work that continues after its call was answered.

use serde_json::json;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::waiting::until;

use super::serve;

/// Starts blocking work that ends when it is released.
fn leave_work_behind(lab: &mut Client) {
    assert_eq!(lab.call("lab_late", &json!({})).code(), "TIMEOUT");
}

#[test]
fn an_answer_read_during_an_unfinished_write_is_not_cached_beyond_it() {
    let mut lab = serve(&[]);
    leave_work_behind(&mut lab);
    let between = lab.call("lab_stamp", &json!({})).ok();
    lab.call("lab_release", &json!({}));
    until("the end of the work", || lab.call("lab_tally", &json!({})).ok()["stopped"] == 1);
    // The work has ended; the engine notices a moment later.
    until("an answer from after the change", || lab.call("lab_stamp", &json!({})).ok() != between);
}

#[test]
fn blocking_work_after_the_answer_counts_against_concurrency() {
    let mut lab = serve(&["--concurrency", "3"]);
    leave_work_behind(&mut lab);
    leave_work_behind(&mut lab);
    let waits: Vec<u64> =
        (0..8).map(|_| lab.begin_call("lab_wait", &json!({"millis": 20}))).collect();
    for id in waits {
        assert_eq!(lab.finish_call(id).text(), "waited");
    }
    assert_eq!(lab.call("lab_tally", &json!({})).ok()["peak"], 1, "one place of three was free");
    lab.call("lab_release", &json!({}));
    // Both places become free again: three calls run at once, and never more.
    until("three at once", || {
        let more: Vec<u64> =
            (0..8).map(|_| lab.begin_call("lab_wait", &json!({"millis": 20}))).collect();
        for id in more {
            assert_eq!(lab.finish_call(id).text(), "waited");
        }
        lab.call("lab_tally", &json!({})).ok()["peak"] == 3
    });
}
