//! The cost of each operation on generated vaults.
//!
//! `cargo bench -p toolwrit-vault -- 20000` for one size; without a size 5,000, 20,000 and 100,000.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a program for developers"
)]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/vault/generated.rs"]
mod generated;

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use generated::note_path;
use rustix::time::{ClockId, clock_gettime};
use tempfile::TempDir;
use toolwrit_vault::{
    CaseSensitivity, Depth, Folder, IfMissing, OpenOptions, SearchPattern, Vault, VaultPath,
    WriteMode,
};

fn main() {
    let sizes: Vec<usize> = std::env::args().filter_map(|size| size.parse().ok()).collect();
    for count in if sizes.is_empty() { vec![5_000, 20_000, 100_000] } else { sizes } {
        let folder = TempDir::new().unwrap();
        generated::write(folder.path(), count);
        // The index reads recently written files twice.
        std::thread::sleep(Duration::from_secs(3));
        measure(folder.path(), TempDir::new().unwrap().path(), count);
    }
}

/// Processor time that this process has used, all threads together.
fn processor() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// Resident memory in MB; zero where it is unknown.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let size = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    size.unwrap_or(0) / 1024
}

/// Runs something several times and prints the cost of one run, in milliseconds.
fn time(what: &str, runs: usize, mut run: impl FnMut(usize)) {
    let (processor_start, start) = (processor(), Instant::now());
    (0..runs).for_each(&mut run);
    let each = |time: Duration| time.as_secs_f64() * 1000.0 / runs as f64;
    let (used, took) = (each(processor().saturating_sub(processor_start)), each(start.elapsed()));
    println!("{what:<34} {used:>10.3} {took:>10.3}");
}

fn measure(folder: &Path, cache: &Path, count: usize) {
    println!("\n{count} notes                          CPU ms    wall ms");
    let before = resident();
    let state = Some(cache.join("state"));
    let options = OpenOptions { state, cache: Some(cache.to_owned()), ..OpenOptions::default() };
    let open = || Vault::open_with(folder, options.clone()).unwrap();
    let opened = Cell::new(None);
    time("open", 1, |_| opened.set(Some(open())));
    let vault = opened.take().unwrap();
    time("index", 1, |_| vault.wait_for_index(&never).unwrap());
    println!("{:<34} {:>10} MB", "resident, of which before", format!("{}, {before}", resident()));
    let path = |number: usize| VaultPath::parse(&note_path(number * 7919 % count)).unwrap();
    let search = |pattern: &SearchPattern| {
        vault.search(pattern, &Folder::ROOT, 50, &never).unwrap().total_hits
    };
    time("read", 1000, |run| drop(vault.read(&path(run), None).unwrap()));
    let folders = |run: usize| path(run).folder();
    time("list a folder", 100, |run| {
        drop(vault.list(&folders(run), Depth::SHALLOW, None, &never).unwrap());
    });
    for query in ["kami kalo", "note 4711", "ing quamor tivel"] {
        let pattern = SearchPattern::text(query).unwrap();
        let found = search(&pattern);
        time(&format!("words: {query} ({found})"), 20, |_| assert!(search(&pattern) == found));
    }
    for query in ["status = todo and priority > 2", "tags contains area7"] {
        let pattern = SearchPattern::frontmatter(query).unwrap();
        let found = search(&pattern);
        time(&format!("{query} ({found})"), 20, |_| assert!(search(&pattern) == found));
    }
    for (number, name) in [(1, "popular"), (count / 2, "ordinary")] {
        let path = VaultPath::parse(&note_path(number)).unwrap();
        let found = vault.backlinks(&path, 50, &never).unwrap().files;
        time(&format!("backlinks, {name} ({found})"), 20, |_| {
            drop(vault.backlinks(&path, 50, &never).unwrap());
        });
    }
    time("tags", 20, |_| drop(vault.tags(&Folder::ROOT, &never).unwrap()));
    for (name, source) in
        [("regex", r"lo[a-z]{2}ren\b.*ta"), ("regex, every note read", r"\d{4}-\d\d-2[89]")]
    {
        let regex = SearchPattern::regex(source, CaseSensitivity::Insensitive).unwrap();
        let found = search(&regex);
        time(&format!("{name} ({found})"), 3, |_| assert!(search(&regex) == found));
    }
    let glob = SearchPattern::glob("*77.md", CaseSensitivity::Sensitive).unwrap();
    let found = search(&glob);
    time(&format!("glob ({found})"), 3, |_| assert!(search(&glob) == found));
    time("write, one fsync of file and folder", 50, |run| {
        drop(vault.write(&path(run), "new text\n", WriteMode::Overwrite, None).unwrap());
    });
    time("append", 50, |run| {
        drop(vault.append(&path(run), "more\n", IfMissing::Fail, None).unwrap());
    });
    let moved = VaultPath::parse(&note_path(count / 3)).unwrap();
    let rewritten = Cell::new(0);
    time("rename with rewrites", 10, |run| {
        let named = |run| VaultPath::parse(&format!("{}/Moved {run}", moved.folder())).unwrap();
        let from = if run == 0 { moved.clone() } else { named(run - 1) };
        let done = vault.rename(&from, &format!("Moved {run}"), None, &never).unwrap();
        rewritten.set(done.rewritten.len());
    });
    println!("{:<34} {:>10} files", "  of these", rewritten.get());
    println!("{:<34} {:>10} MB", "resident, after changes", resident());
    drop(vault);
    let opened = Cell::new(None);
    time("open again, until indexed", 1, |_| {
        let vault = open();
        vault.wait_for_index(&never).unwrap();
        opened.set(Some(vault));
    });
}

fn never() -> bool {
    false
}
