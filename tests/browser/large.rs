//! An authority of five hundred operations in the tool browser.

use std::fs;

use serde_json::Value;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::large;
use toolwrit_tests::program::toolwrit;

/// Ceilings, as multiples of the time in which the same browser draws a list of as many links.
const INTERACTIVE: f64 = 300.0;
const KEY: f64 = 15.0;

#[test]
fn five_hundred_operations_are_found_quickly() {
    let home = Home::new();
    let file = home.path().join("authority.yaml");
    fs::write(&file, large::manifest()).unwrap();
    let server = home.serve(toolwrit(), &["--manifest", file.to_str().unwrap()]);
    let page = format!("http://{}/browser/", server.address());
    let Some(found) = super::output("large.mjs", &[&page]) else { return };
    let times: Value = serde_json::from_slice(&found).unwrap();
    println!("{times}");
    assert_eq!(times["listed"].as_u64(), u64::try_from(large::TOTAL).ok(), "{times}");
    let time = |what: &str| times[what].as_f64().unwrap();
    for (what, most) in [("interactive", INTERACTIVE), ("operation", INTERACTIVE), ("key", KEY)] {
        assert!(time(what) < most * time("drawing"), "{times}");
    }
}
