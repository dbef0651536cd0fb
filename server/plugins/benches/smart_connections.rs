//! What search by meaning costs, and how well it finds notes compared with search by words.
//!
//! `cargo bench -p toolwrit-plugins --bench smart_connections -- VAULT` prints the CPU time and the size of the
//! index, the time of a query, and for two sets of labelled queries that are made from the vault (titles of notes,
//! whose notes are searched without the title, and texts of links, whose targets are searched) how often the note
//! is the first hit and among the first ten.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]
#![expect(clippy::cast_precision_loss, reason = "counts of queries")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use toolwrit_plugins::smart_connections::{Query, SmartConnections};
use toolwrit_vault::document::Document;
use toolwrit_vault::{Folder, SearchPattern, Vault, VaultPath};

/// How many queries of each set are asked.
const MOST: usize = 300;
const LIMIT: usize = 10;

fn main() {
    let arguments = std::env::args().skip(1).filter(|it| it != "--bench");
    let Some(folder) = arguments.map(PathBuf::from).next() else {
        println!("usage: cargo bench -p toolwrit-plugins --bench smart_connections -- VAULT");
        return;
    };
    let vault = Vault::open(folder).unwrap();
    vault.wait_for_index(&|| false).unwrap();
    let (before, memory) = (cpu_seconds(), resident_mb());
    let search = SmartConnections::new(vault.clone());
    let ask = |text: &str| {
        let query = Query { text, limit: LIMIT, folders: &[], exclude_folders: &[] };
        let found = search.search(&query, &|| false).unwrap();
        found.into_iter().map(|it| it.path).collect::<Vec<_>>()
    };
    ask("anything");
    println!("index: {:.1} CPU s, {:.0} MB more", cpu_seconds() - before, resident_mb() - memory);
    let start = Instant::now();
    let texts =
        ["where do I keep the bread", "plans for the summer", "who pays the rent", "lantern"];
    for text in &texts {
        ask(text);
    }
    println!("query: {:.1} ms", start.elapsed().as_secs_f64() * 1000.0 / texts.len() as f64);
    let by_words = |text: &str| {
        let pattern = SearchPattern::text(text).unwrap();
        let found = vault.search(&pattern, &Folder::ROOT, LIMIT, &|| false).unwrap();
        found.hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>()
    };
    for (name, labelled) in
        [("first line -> note", first_lines(&vault)), ("link text -> target", links(&vault))]
    {
        println!("{name}: {} queries", labelled.len());
        report("meaning", &labelled, &ask);
        report("words", &labelled, &by_words);
    }
}

fn report(name: &str, labelled: &[(String, VaultPath)], ask: &dyn Fn(&str) -> Vec<VaultPath>) {
    let (mut first, mut among) = (0, 0);
    for (text, wanted) in labelled {
        let found = ask(text);
        first += usize::from(found.first() == Some(wanted));
        among += usize::from(found.contains(wanted));
    }
    let share = |count: usize| 100.0 * count as f64 / labelled.len().max(1) as f64;
    println!("  {name}: first {:.1}%, among {LIMIT} {:.1}%", share(first), share(among));
}

/// Spread over the vault.
fn some<T>(all: Vec<T>) -> Vec<T> {
    let step = all.len().div_ceil(MOST).max(1);
    all.into_iter().step_by(step).collect()
}

fn paths(vault: &Vault) -> Vec<VaultPath> {
    let found = vault.search(
        &SearchPattern::glob("**/*.md", toolwrit_vault::CaseSensitivity::Sensitive).unwrap(),
        &Folder::ROOT,
        usize::MAX,
        &|| false,
    );
    found.unwrap().hits.into_iter().map(|hit| hit.path).collect()
}

/// The first line of prose of each note, every second word of it.
fn first_lines(vault: &Vault) -> Vec<(String, VaultPath)> {
    let line = |path: VaultPath| {
        let note = vault.read(&path, None).ok()?;
        let document = Document::parse(&note.content).ok()?;
        let body = document.body.of(&note.content);
        let prose = |line: &&str| line.split_whitespace().count() > 8 && !line.starts_with('#');
        let words: Vec<&str> = body.lines().find(prose)?.split_whitespace().step_by(2).collect();
        Some((words.join(" "), path))
    };
    some(paths(vault)).into_iter().filter_map(line).collect()
}

/// The texts of links that differ from the names of their targets.
fn links(vault: &Vault) -> Vec<(String, VaultPath)> {
    let snapshot = vault.snapshot(&|| false).unwrap();
    let mut found = BTreeSet::new();
    for path in paths(vault) {
        let Ok(note) = vault.read(&path, None) else { continue };
        let Ok(document) = Document::parse(&note.content) else { continue };
        for link in document.links {
            let Some(text) = link.display.filter(|text| *text != link.target) else { continue };
            if let Some(target) = snapshot.resolve(&link.target, Some(&path)) {
                found.insert((text.to_owned(), target.clone()));
            }
        }
    }
    some(found.into_iter().collect())
}

/// The CPU time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / 100.0
}

/// The memory of this process.
fn resident_mb() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 4096.0 / 1e6
}
