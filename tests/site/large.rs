//! The site of five hundred operations: how large its pages are, and how long it takes to build, to open and to search.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use toolwrit_tests::large;

use crate::site::{browser, built};

/// The largest page of an operation, in bytes.
const LARGEST: u64 = 40_000;
/// The largest page that lists all operations.
const LARGEST_LIST: u64 = 300_000;
/// Ceilings, ten times what an idle machine needs at most, so that a busy one passes.
const BUILD: Duration = Duration::from_secs(50);
const INTERACTIVE: f64 = 10_000.0;
const KEY: f64 = 500.0;

/// All files of a site, with their size in bytes.
fn sizes(folder: &Path, sizes: &mut Vec<(PathBuf, u64)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            self::sizes(&entry.path(), sizes);
        } else {
            sizes.push((entry.path(), entry.metadata().unwrap().len()));
        }
    }
}

#[test]
fn a_site_of_five_hundred_operations_is_quick() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("authority.yaml");
    fs::write(&file, large::manifest()).unwrap();
    let start = Instant::now();
    let site = built(&["--manifest", file.to_str().unwrap()]);
    let took = start.elapsed();
    assert!(took < BUILD, "{took:?}");
    let mut files = Vec::new();
    sizes(site.path(), &mut files);
    files.retain(|(path, _)| path.extension().is_some_and(|own| own == "html"));
    assert!(files.len() > large::TOTAL);
    for (path, size) in files {
        let is_operation = path.starts_with(site.path().join("operations"));
        assert!(
            size < if is_operation { LARGEST } else { LARGEST_LIST },
            "{}: {size} bytes",
            path.display()
        );
    }
    let pages = ["index", "operations/area3/task7", "operations/area3", "reference/policy"];
    let arguments = [&[site.path().to_str().unwrap()], &pages[..]].concat();
    let Some(found) = browser::run("large.mjs", &arguments) else { return };
    let times: Value = serde_json::from_slice(&found).unwrap();
    println!("built in {took:?}; {times}");
    assert!(times["interactive"].as_f64().unwrap() < INTERACTIVE, "{times}");
    assert!(times["key"].as_f64().unwrap() < KEY, "{times}");
}
