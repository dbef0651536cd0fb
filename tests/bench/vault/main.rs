//! Compares our vault server with others, with the same notes and driver in the same run.
//!
//! `cargo bench -p toolwrit-tests --bench vault -- 20000` prints a Markdown table of processor time and
//! wall time per call. It asserts nothing, because a build must not fail on a busy machine. On Linux it
//! prints a second table with the vault in memory, without the cost of syncing to the disk.
//! `tests/bench/vault/install` installs the other servers.
//!
//! With two folders as further arguments, it compares the program `toolwrit` of two builds instead:
//! `cargo bench -p toolwrit-tests --bench vault -- 20000 target/release target/dist`.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark")]

mod builds;
#[allow(dead_code, reason = "shared with the vault's own tests")]
#[path = "../../../server/notes/vault/tests/vault/generated.rs"]
mod generated;
mod servers;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use servers::{OTHERS, OURS, Operation, Scene, Server};
use tempfile::TempDir;
use toolwrit_tests::drivers::benchmark::{self, processor_time};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::files::copy_folder;
use toolwrit_tests::memory::resident;
use toolwrit_tests::requirement::{Need, met};

const NOTES: usize = 20_000;
/// Processor time that is long enough to measure, in seconds: the kernel counts in hundredths.
const ENOUGH: f64 = 0.3;
/// The time after which a slow call is not repeated any more.
const LONG: Duration = Duration::from_secs(15);
const MOST_CALLS: usize = 2_000;
/// How many times a server is started.
const STARTS: usize = 5;

/// The cost of a call, in milliseconds.
#[derive(Clone, Copy)]
struct Cost {
    cpu: f64,
    wall: f64,
}

/// A row of the table: an operation, and a cell for each server.
struct Line {
    name: &'static str,
    costs: Vec<Option<Cost>>,
}

fn main() {
    let count = std::env::args().find_map(|count| count.parse().ok()).unwrap_or(NOTES);
    let disk = std::env::temp_dir();
    let memory = Path::new("/dev/shm");
    if let Some(folders) = benchmark::builds() {
        // The disk costs both builds the same.
        builds::compare(&folders, count, if memory.is_dir() { memory } else { &disk });
        return;
    }
    let servers: Vec<&Server> =
        [&OURS].into_iter().chain(&OTHERS).filter(|server| is_there(server)).collect();
    table(&servers, count, &disk, "on the disk");
    if memory.is_dir() && !disk.starts_with(memory) {
        table(&servers, count, memory, "in memory");
    }
}

/// Measures all servers on their vaults in a folder, and prints the table.
fn table(servers: &[&Server], count: usize, folder: &Path, place: &str) {
    let mut lines: Vec<Line> = names().map(Line::new).collect();
    let mut memory = Vec::new();
    let (notes, linked) = notes(count, folder);
    for server in servers {
        let (costs, held) = measure(server, None, notes.path(), linked);
        lines.iter_mut().zip(costs).for_each(|(line, cost)| line.costs.push(cost));
        memory.push(held.map_or("-".to_owned(), |bytes| format!("{}", bytes >> 20)));
    }
    let names: Vec<&str> = servers.iter().map(|server| server.name).collect();
    println!("\n{count} notes {place}, milliseconds of CPU / wall per call\n");
    println!("| | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    for line in &lines {
        println!("{}", line.text());
    }
    println!("| resident at the end, MB | {} |", memory.join(" | "));
}

/// The names of the rows.
fn names() -> impl Iterator<Item = &'static str> {
    let operations = Operation::ALL.into_iter().map(Operation::name);
    ["initialize", "first search"].into_iter().chain(operations)
}

/// Writes the notes below a folder. Returns how many of them have backlinks.
fn notes(count: usize, folder: &Path) -> (TempDir, usize) {
    let notes = TempDir::new_in(folder).unwrap();
    // They include the notes without backlinks.
    let linked = count.saturating_sub(MOST_CALLS).max(1);
    generated::write(notes.path(), linked);
    fs::create_dir(notes.path().join("Lone")).unwrap();
    for call in 0..MOST_CALLS {
        fs::write(notes.path().join(servers::lone(call)), generated::note(call, linked)).unwrap();
    }
    (notes, linked)
}

/// Whether a server can run; if not, says why.
fn is_there(server: &Server) -> bool {
    let Some(needs) = server.needs else { return true };
    met(
        &[Need::Program(Path::new("node"), (20, 0)), Need::File(&needs())],
        "tests/bench/vault/install",
    )
}

/// Measures a server, or another build of it, on a copy of the notes, `count` of which have backlinks. Returns
/// the costs in the order of the rows, and the memory.
fn measure(
    server: &Server,
    build: Option<&Path>,
    notes: &Path,
    count: usize,
) -> (Vec<Option<Cost>>, Option<u64>) {
    let folder = TempDir::new_in(notes.parent().unwrap()).unwrap();
    copy_folder(notes, folder.path());
    fs::create_dir_all(folder.path().join(".obsidian")).unwrap();
    fs::create_dir(folder.path().join("Moved")).unwrap();
    // The index reads recently written files twice.
    thread::sleep(Duration::from_secs(3));
    let scene = Scene { vault: folder.path(), count };
    let arguments = (server.arguments)(folder.path());
    let program = build.map_or_else(server.program, Path::to_owned);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (mut client, start) = start(&program, &arguments);
    let mut costs = vec![Some(start)];
    costs.push(repeat(&mut client, server, Operation::Text, scene, 1));
    for operation in Operation::ALL {
        costs.push(repeat(&mut client, server, operation, scene, MOST_CALLS));
    }
    (costs, resident(client.pid()))
}

/// Starts a server several times, and returns the cost of the median start: the first may read the program
/// from the disk.
fn start(program: &Path, arguments: &[&str]) -> (Client, Cost) {
    let begin = || {
        let begun = Instant::now();
        let client = Client::connect(program, arguments, Era::Initialize);
        let wall = begun.elapsed().as_secs_f64() * 1e3;
        let cpu = processor_time(client.pid()) * 1e3;
        (client, Cost { cpu, wall })
    };
    let mut costs: Vec<Cost> = (1..STARTS).map(|_| begin().1).collect();
    let (client, cost) = begin();
    costs.push(cost);
    costs.sort_by(|one, other| one.wall.total_cmp(&other.wall));
    (client, costs[STARTS / 2])
}

/// Repeats a call until its cost is known; `None` if the server has no such tool or it fails.
#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn repeat(
    client: &mut Client,
    server: &Server,
    operation: Operation,
    scene: Scene<'_>,
    most: usize,
) -> Option<Cost> {
    let cpu_before = processor_time(client.pid());
    let (mut wall, mut calls) = (Duration::ZERO, 0);
    loop {
        let (tool, arguments) = (server.call)(operation, scene, calls)?;
        let begun = Instant::now();
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        wall += begun.elapsed();
        calls += 1;
        if answer.get("result").is_none_or(|result| result["isError"] == true) {
            println!("{}, {}: {answer}", server.name, operation.name());
            return None;
        }
        let cpu = processor_time(client.pid()) - cpu_before;
        if calls >= most || wall > LONG || (cpu > ENOUGH && calls >= 3) {
            let each = 1e3 / calls as f64;
            return Some(Cost { cpu: cpu * each, wall: wall.as_secs_f64() * each });
        }
    }
}

impl Line {
    fn new(name: &'static str) -> Self {
        Self { name, costs: Vec::new() }
    }

    /// The row, with the ratio of the others' processor time to ours.
    fn text(&self) -> String {
        let ours = self.costs[0];
        let cells = self.costs.iter().enumerate().map(|(at, cost)| match (cost, ours) {
            (None, _) => "-".to_owned(),
            (Some(cost), Some(ours)) if at > 0 && ours.cpu > 0.0 => {
                format!("{:.2} / {:.2}, {:.1}x", cost.cpu, cost.wall, cost.cpu / ours.cpu)
            }
            (Some(cost), _) => format!("{:.2} / {:.2}", cost.cpu, cost.wall),
        });
        format!("| {} | {} |", self.name, cells.collect::<Vec<_>>().join(" | "))
    }
}
