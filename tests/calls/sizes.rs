//! Every large result is cut to `result_bytes`, here 4 KiB.

use serde_json::json;

use super::serve;

#[test]
fn several_large_parts_are_all_cut() {
    let mut lab = serve(&[]);
    for (bytes, count) in [(300_000, 0), (3_000, 0), (300_000, 10_000), (10, 10_000), (1_900, 60)] {
        let answer = lab.call("lab_twins", &json!({"bytes": bytes, "count": count}));
        assert!(answer.text().len() <= 4096, "{} of {bytes}, {count}", answer.text().len());
        let structured = answer.0["structuredContent"].to_string();
        assert!(structured.len() <= 4096, "{}", structured.len());
        // No more is cut than necessary.
        assert!(answer.text().len() > 3_000, "{} of {bytes}, {count}", answer.text().len());
        let value = answer.ok();
        assert_eq!(value["truncated"], true);
        for part in [&value["left"], &value["right"]] {
            assert!(part.as_str().unwrap().starts_with('é'), "{value}");
        }
    }
    let whole = lab.call("lab_twins", &json!({"bytes": 1_000, "count": 10})).ok();
    assert_eq!(whole.get("truncated"), None);
}

#[test]
fn a_result_that_cannot_be_cut_is_refused() {
    let mut lab = serve(&[]);
    assert_eq!(lab.call("lab_digits", &json!({"count": 100})).ok()["99"], 99);
    let refused = lab.call("lab_digits", &json!({"count": 10_000})).error();
    assert_eq!(refused["code"], "RESULT_TOO_LARGE", "{refused}");
    assert_eq!(refused["operation"], "lab.digits");
    assert_eq!(refused["expected"], "at most 4096 bytes");
}
