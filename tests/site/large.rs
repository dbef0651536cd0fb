//! The site of five hundred operations: how long it takes to build, to open and to search.

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::{browser, built};

const CATEGORIES: usize = 12;
const OPERATIONS: usize = 42;

/// Ceilings, ten times what an idle machine needs at most, so that a busy one passes.
const BUILD: Duration = Duration::from_secs(50);
const INTERACTIVE: f64 = 10_000.0;
const KEY: f64 = 500.0;

fn manifest() -> String {
    let mut yaml = "toolwrit: 1\nserver: { name: large }\nfocus: { full: { allow: ['*'] }, look: { allow: [{ effect: \
                    read }] } }\nroles: { owner: { allow: ['*'] }, reader: { allow: [{ effect: read }] } }\ntypes:\n  \
                    Path: { type: string, min_length: 1, example: a/b }\n  Done: { fields: { path: Path, total: \
                    integer } }\ncategories:\n"
        .to_owned();
    for category in 0..CATEGORIES {
        writeln!(yaml, "  area{category}: {{ summary: Things of area {category}. }}").unwrap();
    }
    yaml.push_str("operations:\n");
    for category in 0..CATEGORIES {
        for operation in 0..OPERATIONS {
            let effect = if operation % 3 == 0 { "write" } else { "read" };
            writeln!(
                yaml,
                "  area{category}.task{operation}: {{ summary: Do task {operation} of area {category}., effect: \
                 {effect}, params: {{ path: Path, 'count?': {{ type: integer, min: 1 }} }}, returns: Done, asks: [do \
                 task {operation} in area {category}] }}"
            )
            .unwrap();
        }
    }
    yaml
}

#[test]
fn a_site_of_five_hundred_operations_is_quick() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("authority.yaml");
    fs::write(&file, manifest()).unwrap();
    let start = Instant::now();
    let site = built(&["--manifest", file.to_str().unwrap()]);
    let took = start.elapsed();
    assert!(took < BUILD, "{took:?}");
    let pages = ["index", "operations/area3/task7", "operations/area3", "reference/policy"];
    let arguments = [&[site.path().to_str().unwrap()], &pages[..]].concat();
    let Some(found) = browser::run("large.mjs", &arguments) else { return };
    let times: Value = serde_json::from_slice(&found).unwrap();
    println!("built in {took:?}; {times}");
    assert!(times["interactive"].as_f64().unwrap() < INTERACTIVE, "{times}");
    assert!(times["key"].as_f64().unwrap() < KEY, "{times}");
}
