//! The description for agents without MCP, if many operations have joined.

use serde_json::json;
use toolwrit_tests::drivers::client::Era;

use super::Host;

#[test]
fn a_description_is_bounded_and_counts_what_it_leaves_out() {
    let mut host = Host::start("meta", &[], Era::Initialize);
    let names: Vec<String> = (0..700).map(|number| format!("hound{number}")).collect();
    host.install(&names.iter().map(String::as_str).collect::<Vec<_>>(), "read");
    let dump = host.client.call("context", &json!({}));
    let length = dump.text().len();
    assert!((64 * 1024..80 * 1024).contains(&length), "{length}");
    let dump = dump.ok();
    let count = |key: &str| dump[key].as_u64().unwrap();
    let left_out = count("originalCount") - count("returnedCount");
    assert_eq!(
        dump["tools"].as_array().map(Vec::len),
        usize::try_from(count("returnedCount")).ok()
    );
    assert!(count("originalCount") > 700 && left_out > 0, "{left_out}");
    assert_eq!(dump["truncated"], true);
    let hint = format!("{left_out} more operations are left out; find them with ");
    assert!(dump["hint"].as_str().unwrap().starts_with(&hint), "{}", dump["hint"]);
}
