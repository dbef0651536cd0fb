//! What searches find for wishes of users, and what for wishes that no operation serves. The wishes are not part of the
//! project.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;
use toolwrit::retrieval::{Analysis, Relevance, ToolDocument, ToolIndex};
use toolwrit_tests::program::{self, workspace};
use toolwrit_tests::requirement::skip;

/// Names a folder with a file of wishes for each server: `vault.jsonl`, `wpnav.jsonl`, `jira.jsonl`, and `upstream.jsonl` for
/// the tools of other servers.
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

/// The tools of other servers, as they list them, with the asks that are known for them.
struct Upstream {
    ids: Vec<String>,
    index: ToolIndex,
}

impl Upstream {
    fn new() -> Self {
        let json =
            |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
        let asks = json(&workspace().join("server/remote/gateway/src/upstreams/asks/asks.json"));
        let (mut ids, mut analyses) = (Vec::new(), Vec::new());
        for file in fs::read_dir(workspace().join("tests/upstreams/lists")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|own| own != "json") {
                continue;
            }
            let (server, list) = (path.file_stem().unwrap().to_str().unwrap(), json(&path));
            let servers = asks.as_array().unwrap().iter();
            let of =
                |known: &&Value| known["places"].as_array().unwrap().contains(&list["package"]);
            let own = servers.filter(of).map(|known| &known["tools"]).next();
            for tool in list["tools"].as_array().unwrap() {
                let name = tool["name"].as_str().unwrap();
                let asks = own.and_then(|own| own[name].as_array()).into_iter().flatten();
                analyses.push(Analysis::from_document(&ToolDocument {
                    name,
                    description: tool["description"].as_str().unwrap_or_default(),
                    category: server,
                    asks: asks.map(|ask| ask.as_str().unwrap()).collect(),
                    ..ToolDocument::default()
                }));
                ids.push(format!("{server}.{name}"));
            }
        }
        Self { ids, index: ToolIndex::build(&analyses) }
    }

    fn search(&self, query: &str) -> Vec<(String, bool)> {
        let hits = self.index.search(query).into_iter();
        hits.map(|hit| (self.ids[hit.document].clone(), hit.relevance == Relevance::Strong))
            .collect()
    }
}

/// The wishes of a file. Those in other languages are left out: models ask in English.
fn wishes(file: &Path) -> Vec<Wish> {
    let text = fs::read_to_string(file).unwrap();
    let wishes = text.lines().map(|line| serde_json::from_str::<Wish>(line).unwrap());
    wishes.filter(|wish| wish.kind != "lang").collect()
}

impl Figures {
    fn add(&mut self, wish: &Wish, found: &[(String, bool)]) {
        let first = found.first().map_or("", |(id, _)| id);
        let is_newer = NEWER.contains(&first);
        if wish.expect.is_empty() {
            let is_false = !is_newer && found.iter().any(|(_, strong)| *strong);
            let is_opposite = wish.kind == "opposite";
            self.not_served += 1;
            self.false_strong += usize::from(is_false);
            self.opposite += usize::from(is_opposite);
            self.false_opposite += usize::from(is_opposite && is_false);
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
        for wish in wishes(&folder.join(server).with_extension("jsonl")) {
            figures.add(&wish, &search(&program, &wish.query));
        }
    }
    let upstream = Upstream::new();
    for wish in wishes(&folder.join("upstream.jsonl")) {
        figures.add(&wish, &upstream.search(&wish.query));
    }
    let Figures { served, not_served, opposite, .. } = figures;
    assert!(figures.right_first * 100 >= served * 80, "{figures:?}");
    assert!(figures.strong_and_right_first * 100 >= served * 55, "{figures:?}");
    assert!(figures.false_strong * 100 <= not_served * 8, "{figures:?}");
    assert!(figures.false_opposite * 100 <= opposite * 5, "{figures:?}");
}
