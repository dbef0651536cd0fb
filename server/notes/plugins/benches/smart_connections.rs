//! What search by meaning costs, and how well it finds notes compared with search by words.
//!
//! `cargo bench -p toolwrit-plugins --bench smart_connections -- VAULT` prints the CPU time and the size of the
//! index, the CPU time of a query, and for two sets of labelled queries that are made from the vault (titles of
//! notes, whose notes are searched without their titles, and texts of links, whose targets are searched) how often
//! the note is the first hit and among the first ten.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]
#![expect(clippy::cast_precision_loss, reason = "counts of queries")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tempfile::TempDir;
use toolwrit_plugins::smart_connections::{Query, SmartConnections};
use toolwrit_vault::document::Document;
use toolwrit_vault::{Folder, SearchPattern, Vault, VaultPath};

/// How many queries of each set are asked.
const MOST: usize = 300;
const LIMIT: usize = 10;
/// Queries whose cost is measured.
const QUERIES: [&str; 4] =
    ["where do I keep the bread", "plans for the summer", "who pays the rent", "lantern"];

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(folder) = arguments.map(PathBuf::from).next() else {
        println!("usage: cargo bench -p toolwrit-plugins --bench smart_connections -- VAULT");
        return;
    };
    let vault = Vault::open(folder).unwrap();
    vault.wait_for_index(&|| false).unwrap();
    let (before, memory) = (cpu(), resident_mb());
    let search = SmartConnections::new(vault.clone());
    by_meaning(&search, "anything");
    println!("index: {:.1} CPU s, {:.0} MB more", seconds_since(before), resident_mb() - memory);
    for text in QUERIES {
        by_meaning(&search, text);
    }
    let before = cpu();
    for text in QUERIES {
        by_meaning(&search, text);
    }
    println!("query: {:.1} CPU ms", seconds_since(before) * 1000.0 / QUERIES.len() as f64);
    let folder = TempDir::new().unwrap();
    let (bodies, titles) = untitled(&vault, folder.path());
    bodies.wait_for_index(&|| false).unwrap();
    report("title -> body", &bodies, &titles);
    report("link text -> target", &vault, &links(&vault));
}

fn by_meaning(search: &SmartConnections, text: &str) -> Vec<VaultPath> {
    let query = Query { text, limit: LIMIT, folders: &[], exclude_folders: &[] };
    let found = search.search(&query, &|| false).unwrap();
    found.into_iter().map(|passage| passage.path).collect()
}

fn by_words(vault: &Vault, text: &str) -> Vec<VaultPath> {
    let Ok(pattern) = SearchPattern::text(text) else { return Vec::new() };
    let found = vault.search(&pattern, &Folder::ROOT, LIMIT, &|| false).unwrap();
    found.hits.into_iter().map(|hit| hit.path).collect()
}

fn report(name: &str, vault: &Vault, labelled: &[(String, VaultPath)]) {
    println!("{name}: {} queries", labelled.len());
    let search = SmartConnections::new(vault.clone());
    print_shares("meaning", labelled, &|text| by_meaning(&search, text));
    print_shares("words", labelled, &|text| by_words(vault, text));
}

fn print_shares(
    name: &str,
    labelled: &[(String, VaultPath)],
    ask: &dyn Fn(&str) -> Vec<VaultPath>,
) {
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

/// A vault of the same notes under numbers as names and without their headings of the first level, and the title
/// of each.
fn untitled(vault: &Vault, folder: &Path) -> (Vault, Vec<(String, VaultPath)>) {
    let mut titles = Vec::new();
    for (number, path) in paths(vault).into_iter().enumerate() {
        let Ok(note) = vault.read(&path, None) else { continue };
        let Ok(document) = Document::parse(&note.content) else { continue };
        let mut text = note.content.clone();
        let mut title = path.stem().to_owned();
        for heading in document.headings.iter().filter(|heading| heading.level == 1).rev() {
            heading.text.clone_into(&mut title);
            text.replace_range(heading.span.start..heading.span.end, "");
        }
        let name = format!("{number}.md");
        fs::write(folder.join(&name), text).unwrap();
        titles.push((title, VaultPath::parse(&name).unwrap()));
    }
    (Vault::open(folder).unwrap(), some(titles))
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

/// The CPU time of this process so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// Seconds of CPU time since then.
fn seconds_since(start: Duration) -> f64 {
    cpu().saturating_sub(start).as_secs_f64()
}

/// The memory of this process.
fn resident_mb() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() * 4096.0 / 1e6
}
