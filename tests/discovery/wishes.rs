//! What searches find for wishes of users, and what for wishes that no operation serves. The wishes are not part of the
//! project.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;
use toolwrit_tests::program;
use toolwrit_tests::requirement::skip;

/// Names a folder with a file of wishes for each server: `vault.jsonl`, `wpnav.jsonl` and `jira.jsonl`.
const WISHES: &str = "TOOLWRIT_WISHES";
/// Operations that are newer than the wishes: they count as right, and as none that is missing.
const NEWER: [&str; 7] = [
    "vault.tag",
    "vault.task",
    "vault.undo",
    "vault.history",
    "vault.links",
    "vault.attachment",
    "vault.bulk_properties",
];

#[derive(Deserialize)]
struct Wish {
    query: String,
    /// Empty if no operation serves the wish.
    expect: Vec<String>,
    kind: String,
}

#[derive(Debug, Default)]
struct Figures {
    served: usize,
    right_first: usize,
    strong_and_right_first: usize,
    not_served: usize,
    false_strong: usize,
    opposite: usize,
    false_opposite: usize,
}

/// The ids that a search finds, and whether each is strong.
fn search(program: &Path, query: &str) -> Vec<(String, bool)> {
    let mut command = Command::new(program);
    command.args(["search", "--json", "--weak", "--limit", "50", query]);
    let output = command.env("WPNAV_ENABLE_WRITES", "1").output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = found["operations"].as_array().unwrap().iter();
    rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row["relevance"] == "strong")).collect()
}

impl Figures {
    fn add(&mut self, wish: &Wish, found: &[(String, bool)]) {
        let first = found.first().map_or("", |(id, _)| id);
        let is_newer = NEWER.contains(&first);
        let is_strong = found.iter().any(|(_, strong)| *strong);
        if wish.expect.is_empty() {
            if is_newer && is_strong {
                return;
            }
            let is_opposite = wish.kind == "opposite";
            self.not_served += 1;
            self.false_strong += usize::from(is_strong);
            self.opposite += usize::from(is_opposite);
            self.false_opposite += usize::from(is_opposite && is_strong);
        } else {
            let is_right = is_newer || wish.expect.iter().any(|id| id == first);
            self.served += 1;
            self.right_first += usize::from(is_right);
            self.strong_and_right_first += usize::from(is_right && found[0].1);
        }
    }
}

#[test]
fn wishes_find_what_serves_them_and_nothing_strong_else() {
    let Some(folder) = std::env::var_os(WISHES).map(PathBuf::from) else {
        skip(&format!("{WISHES} names no folder with wishes"));
        return;
    };
    let mut figures = Figures::default();
    let programs = [("vault", "toolwrit"), ("wpnav", "wpnav"), ("jira", "toolwrit-jira")];
    for (server, name) in programs {
        let program = program::toolwrit().with_file_name(name);
        let wishes = std::fs::read_to_string(folder.join(server).with_extension("jsonl")).unwrap();
        for line in wishes.lines() {
            let wish: Wish = serde_json::from_str(line).unwrap();
            // Models ask in English.
            if wish.kind != "lang" {
                figures.add(&wish, &search(&program, &wish.query));
            }
        }
    }
    let Figures { served, not_served, opposite, .. } = figures;
    assert!(figures.right_first * 100 >= served * 80, "{figures:?}");
    assert!(figures.strong_and_right_first * 100 >= served * 55, "{figures:?}");
    assert!(figures.false_strong * 100 <= not_served * 8, "{figures:?}");
    assert!(figures.false_opposite * 100 <= opposite * 5, "{figures:?}");
}
