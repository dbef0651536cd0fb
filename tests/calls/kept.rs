//! Cached answers.

use serde_json::json;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;

#[test]
fn a_cached_answer_serves_only_its_own_caller() {
    let home = Home::new();
    let tokens = [home.token(lab(), "owner"), home.token(lab(), "owner")];
    let server = home.serve(lab(), &["--surface", "flat"]);
    let stamp = |token: &str| server.client("").bearing(token).call("lab_stamp", &json!({})).ok();
    let first = stamp(&tokens[0]);
    assert_eq!(stamp(&tokens[0]), first);
    let second = stamp(&tokens[1]);
    assert_ne!(second, first, "another caller has another answer");
    assert_eq!(stamp(&tokens[1]), second);
    assert_eq!(stamp(&tokens[0]), first);
}
