//! Blocking work that continues after its call was answered.

use serde_json::json;
use toolwrit_tests::client::Client;

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
    let ended = (0..10_000).any(|_| lab.call("lab_tally", &json!({})).ok()["stopped"] == 1);
    assert!(ended, "the work ends when it is released");
    // The work has ended; the engine notices a moment later.
    let differs = (0..1_000).any(|_| lab.call("lab_stamp", &json!({})).ok() != between);
    assert!(differs, "the answer from before the change is still given");
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
    // Both handlers are free again: as many calls as before run at once.
    let more: Vec<u64> =
        (0..64).map(|_| lab.begin_call("lab_wait", &json!({"millis": 20}))).collect();
    for id in more {
        assert_eq!(lab.finish_call(id).text(), "waited");
    }
    assert_eq!(lab.call("lab_tally", &json!({})).ok()["peak"], 3);
}
