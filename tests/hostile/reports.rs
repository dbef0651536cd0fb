//! A handler that reports faster than its client reads.

use serde_json::json;
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::memory::peak;
use toolwrit_tests::program::lab;

const REPORTS: u32 = 300_000;
/// The memory that the server may gain.
const GROWTH: u64 = 32 * 1024 * 1024;

#[test]
fn a_flood_of_reports_does_not_fill_memory() {
    let mut client = Client::connect(lab(), &["serve", "--surface", "flat"], Era::Initialize);
    client.call("lab_echo", &json!({"text": "first"})).ok();
    let before = peak(client.pid());
    let call = json!({
        "name": "lab_chatter",
        "arguments": {"reports": REPORTS},
        "_meta": {"progressToken": "p"},
    });
    let id = client.begin("tools/call", call);
    assert_eq!(client.finish_call(id).text(), "said");
    let after = peak(client.pid());
    let reports =
        client.notifications.iter().filter_map(|report| report["params"]["progress"].as_f64());
    let reports: Vec<f64> = reports.collect();
    assert!(!reports.is_empty(), "some arrive");
    assert!(reports.is_sorted(), "in their order");
    if let (Some(before), Some(after)) = (before, after) {
        println!(
            "{REPORTS} reports, {} arrived: {} MiB more",
            reports.len(),
            (after - before) >> 20
        );
        assert!(after < before + GROWTH, "{before} bytes were {after}");
    }
}
