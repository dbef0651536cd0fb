//! What Dataview queries cost on 20,000 notes: CPU time of reading all notes once, of a query, and of a query
//! after one note has changed.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints, and fails if its vault does"
)]

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tempfile::TempDir;
use toolwrit_dataview::{Dataview, QueryOptions};
use toolwrit_vault::Vault;

const NOTES: usize = 20_000;
/// How often a query runs. The least time counts.
const RUNS: usize = 7;

const QUERIES: [&str; 4] = [
    "TABLE score, file.mtime FROM #t1 WHERE score > 50 SORT score DESC",
    "TABLE score, kind WHERE score > 50 AND kind = \"log\" SORT kind, score DESC LIMIT 100",
    "TABLE length(rows) AS n, sum(rows.score) GROUP BY kind",
    "TASK WHERE !completed",
];

/// The CPU time of this process so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// Milliseconds of CPU time since then.
fn since(start: Duration) -> f64 {
    cpu().saturating_sub(start).as_secs_f64() * 1000.0
}

fn note(n: usize) -> (String, String) {
    let path = format!("Area {}/Note {n}.md", n % 200);
    let kind = ["memo", "log", "idea"][n % 3];
    let words = "some words about the matter at hand, as notes have them. ".repeat(30);
    let text = format!(
        "---\nkind: {kind}\nscore: {}\ntags: [t{}]\n---\n# Note {n}\n\nstate:: open\n\n{words}\n\
         See [[Note {}]] and [[Note {}|other]].\n\n- [ ] task of {n} [weight:: {}]\n- [x] done\n",
        n * 37 % 101,
        n % 5,
        n * 3 % NOTES,
        n * 7 % NOTES,
        n % 11,
    );
    (path, text)
}

fn main() {
    let folder = TempDir::new().unwrap();
    for number in 0..NOTES {
        let (path, text) = note(number);
        let place = folder.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
    let vault = Vault::open(folder.path()).unwrap();
    let never = || false;
    let dataview = Dataview::new(vault.clone());
    let options = QueryOptions { time: Duration::from_mins(1), ..QueryOptions::default() };
    let timed = |name: &str, work: &dyn Fn()| {
        let start = cpu();
        work();
        println!("{:8.1} ms  {name}", since(start));
    };
    timed("index", &|| vault.wait_for_index(&never).unwrap());
    timed("first query", &|| drop(dataview.query("LIST LIMIT 1", &options, &never).unwrap()));
    for query in QUERIES {
        let run = || {
            let start = cpu();
            let rows = dataview.query(query, &options, &never).unwrap().rows.len();
            (since(start), rows)
        };
        let (least, rows) =
            (0..RUNS).map(|_| run()).min_by(|(a, _), (b, _)| a.total_cmp(b)).unwrap();
        println!("{least:8.1} ms  {rows:6} rows  {query}");
    }
    fs::write(folder.path().join("Area 0/Note 0.md"), "score:: 99").unwrap();
    vault.wait_for_index(&never).unwrap();
    timed("query after a change", &|| drop(dataview.query(QUERIES[0], &options, &never).unwrap()));
}
