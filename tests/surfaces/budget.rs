//! The cost of the meta surface does not depend on the number of categories and operations.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use crate::surfaces::lab;

/// The tokens that every meta surface may cost.
const MOST: u64 = 500;

/// A manifest with these categories, their keywords, and as many operations of each effect in each.
fn manifest(prefix: &str, categories: &[(String, Vec<String>)], operations: usize) -> String {
    let mut text = format!("toolwrit: 1\nserver: {{ name: large, prefix: \"{prefix}\" }}\n");
    text.push_str("budget: { meta: 500 }\ncategories:\n");
    for (name, keywords) in categories {
        let keywords = keywords.join(", ");
        writeln!(text, "  {name}: {{ summary: Things., keywords: [{keywords}] }}").unwrap();
    }
    text.push_str("operations:\n");
    for (name, _) in categories {
        for number in 0..operations {
            let effect = ["read", "write", "destroy"][number % 3];
            let confirm = if effect == "destroy" { ", confirm: true" } else { "" };
            writeln!(
                text,
                "  {name}.operation_{number}: {{ summary: Do it., effect: {effect}{confirm}, params: {{ path: string }} }}"
            )
            .unwrap();
        }
    }
    text
}

/// The rows of `tokens --json` for a manifest that is loaded from a file.
fn costs(manifest: &str) -> Vec<Value> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("authority.yaml");
    fs::write(&file, manifest).unwrap();
    let mut command = Command::new(lab());
    let output = command.args(["tokens", "--json", "--manifest"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["surfaces"].as_array().unwrap().clone()
}

fn meta(rows: &[Value]) -> impl Iterator<Item = u64> {
    let meta = rows.iter().filter(|row| row["surface"] == "meta");
    meta.map(|row| row["tokens"].as_u64().unwrap())
}

const WORDS: [&str; 8] =
    ["vault", "calendar", "project", "mailbox", "warehouse", "library", "invoices", "telemetry"];

#[test]
fn meta_stays_within_its_budget_with_a_thousand_operations() {
    let keywords = |name: &&str| (*name).to_owned();
    let categories: Vec<(String, Vec<String>)> = WORDS
        .iter()
        .map(|name| ((*name).to_owned(), WORDS.iter().map(keywords).take(4).collect()))
        .collect();
    let large = costs(&manifest("", &categories, 125));
    let small = costs(&manifest("", &categories, 3));
    assert_eq!(meta(&large).count(), 2, "split and not");
    assert!(meta(&large).all(|tokens| tokens <= MOST), "{large:?}");
    assert!(meta(&large).eq(meta(&small)), "{large:?} {small:?}");
    let flat = large.iter().find(|row| row["surface"] == "flat").unwrap();
    assert!(flat["tokens"].as_u64().unwrap() > 40_000, "{flat}");
    // What clients keep to themselves is measured apart.
    assert!(large.iter().all(|row| row["other_tokens"].as_u64().unwrap() > 0), "{large:?}");
}

#[test]
fn annotations_do_not_count() {
    let categories = [("box".to_owned(), Vec::new())];
    // Further effects have more annotations, and on dispatch further tools.
    let row = |operations| {
        let rows = costs(&manifest("", &categories, operations));
        rows.into_iter().find(|row| row["surface"] == "flat").unwrap()
    };
    let (read, both) = (row(1), row(2));
    let per_tool = |row: &Value, key: &str, tools| row[key].as_u64().unwrap() / tools;
    let (first, second) = (per_tool(&read, "tokens", 1), per_tool(&both, "tokens", 2));
    assert!(first.abs_diff(second) <= 1, "{read} {both}");
    assert!(per_tool(&both, "other_tokens", 2) > per_tool(&read, "other_tokens", 1));
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 4, ..ProptestConfig::with_cases(8) })]

    #[test]
    fn meta_stays_within_its_budget_with_any_categories(
        names in prop::collection::btree_set("[a-z][a-z0-9_]{2,19}", 1..60),
        keyword in "[a-z]{3,12}",
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let categories: Vec<_> =
            names.iter().map(|name| (format!("c{name}"), vec![keyword.clone(); 1])).collect();
        let rows = costs(&manifest("wpnav", &categories, 3));
        prop_assert!(meta(&rows).all(|tokens| tokens <= MOST), "{:?}", rows);
    }
}
