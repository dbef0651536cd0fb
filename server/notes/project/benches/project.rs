//! What project operations cost on 2,000 entities in a vault of 20,000 notes: CPU time of reading the project
//! once and of single calls, and how much of an entity a default selection returns.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench prints, and fails if its vault does"
)]

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value};
use tempfile::TempDir;
use toolwrit_project::{
    BatchAction, BatchOperation, BatchOptions, CanvasPlan, Direction, EntityKind, Filters,
    OverviewOptions, Scope, Selection, Workspace, WorkspaceSettings, Workspaces,
};
use toolwrit_vault::{Folder, OpenOptions, Vault};

const NOTES: usize = 18_000;
const ENTITIES: usize = 2_000;
/// How often a call is made. The least time counts.
const RUNS: usize = 9;

/// The CPU time of this process so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

/// Prints the least CPU time of some calls, in milliseconds.
fn time(name: &str, runs: usize, mut call: impl FnMut()) {
    let run = |_| {
        let start = cpu();
        call();
        cpu().saturating_sub(start).as_secs_f64() * 1000.0
    };
    let least = (0..runs).map(run).min_by(f64::total_cmp).unwrap();
    println!("{least:9.2} ms  {name}");
}

/// A note of about 5 KB: ten milestones, a tenth stories, a tenth decisions and documents, otherwise tasks.
fn entity(n: usize) -> (String, String) {
    let (kind, number) = match n {
        0..10 => (EntityKind::Milestone, n + 1),
        10..200 => (EntityKind::Story, n - 9),
        200..300 => (EntityKind::Decision, n - 199),
        300..400 => (EntityKind::Document, n - 299),
        _ => (EntityKind::Task, n - 399),
    };
    let id = format!("{}-{number:03}", kind.prefix());
    let status = kind.statuses()[n % 3].name();
    let mut text =
        format!("---\nid: {id}\ntype: {kind}\ntitle: Entity {n} of the plan\nstatus: {status}\n");
    match kind {
        EntityKind::Story => {
            writeln!(text, "parent: M-{:03}\nworkstream: stream {}", n % 10 + 1, n % 7)
        }
        EntityKind::Task => {
            writeln!(text, "parent: S-{:03}\npriority: high\ntags: [t{}]", n % 190 + 1, n % 5)
                .unwrap();
            let before = number.saturating_sub(1 + n % 9).max(1);
            if before == number { Ok(()) } else { writeln!(text, "depends_on: [T-{before:03}]") }
        }
        _ => Ok(()),
    }
    .unwrap();
    text.push_str("created: 2026-01-01T00:00:00Z\nupdated: 2026-02-01T00:00:00Z\n---\n");
    text.push_str(&"Words about the matter at hand, as notes have them. ".repeat(90));
    (id, text)
}

fn open(folder: &TempDir) -> Workspaces {
    let notes = folder.path().join("vault");
    for number in 0..NOTES {
        let place = notes.join(format!("Area {}/Note {number}.md", number % 200));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, format!("Note {number}\n{}", "words of a note. ".repeat(100))).unwrap();
    }
    fs::create_dir_all(notes.join("Projects")).unwrap();
    for (id, text) in (0..ENTITIES).map(entity) {
        fs::write(notes.join(format!("Projects/{id}.md")), text).unwrap();
    }
    let state = Some(folder.path().join("state"));
    let vault = Vault::open_with(notes, OpenOptions { state, ..OpenOptions::default() }).unwrap();
    let folder = Folder::parse("Projects").unwrap();
    Workspaces::new(&vault, vec![WorkspaceSettings { name: "main".to_owned(), folder }]).unwrap()
}

fn bytes(workspace: &Workspace, fields: &[&str]) -> usize {
    let of = |n: usize| {
        let (id, _) = entity(n * 97 % ENTITIES);
        let got =
            workspace.get(id.parse().unwrap(), &Selection::from_names(fields), &|| false).unwrap();
        Value::Object(got).to_string().len()
    };
    (0..50).map(of).sum::<usize>() / 50
}

fn main() {
    let folder = TempDir::new().unwrap();
    let workspaces = open(&folder);
    let workspace = workspaces.find_by_name(None).unwrap();
    let never = || false;
    let now: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
    time("index", 1, || workspace.wait_for_index(&never).unwrap());
    time("first reading", 1, || drop(workspace.project(&never).unwrap()));
    let task = "T-800".parse().unwrap();
    time("get", RUNS, || drop(workspace.get(task, &Selection::DEFAULT, &never).unwrap()));
    let filters = Filters { kinds: vec![EntityKind::Task], ..Filters::default() };
    let search = |scope: &Scope| {
        let found = workspace.search(scope, &filters, None, &never).unwrap();
        let first = &found.ids[..found.ids.len().min(20)];
        drop(workspace.select(first, &Selection::DEFAULT, &never).unwrap());
    };
    time("search by filters, 20 results", RUNS, || search(&Scope::All));
    let words = Scope::Words("entity matter plan".to_owned());
    time("search by words, 20 results", RUNS, || search(&words));
    let related = Scope::Related { from: task, direction: Direction::Dependencies, depth: None };
    time("search of dependencies, 20 results", RUNS, || search(&related));
    let options = OverviewOptions::default();
    time("overview", RUNS, || drop(workspace.overview(&options, &never).unwrap()));
    let stale = SignedDuration::from_hours(24 * 14);
    time("analysis", RUNS, || drop(workspace.analyze(now, stale, None, &never).unwrap()));
    let mut data = Map::new();
    data.insert("title".to_owned(), "New".into());
    let kind = EntityKind::Task;
    time("create", RUNS, || {
        drop(workspace.create(kind, &data, "", &CanvasPlan::default(), now, &never).unwrap());
    });
    let operation = |number: usize| {
        let action = if number.is_multiple_of(2) {
            BatchAction::Create { kind, data: data.clone(), body: String::new() }
        } else {
            let id = format!("T-{number:03}");
            BatchAction::Update { id, data: data.clone() }
        };
        BatchOperation { client_id: number.to_string(), action }
    };
    let operations: Vec<_> = (0..200).map(operation).collect();
    let options = BatchOptions { atomic: true, ..BatchOptions::default() };
    time("atomic batch of 200", 1, || {
        let made = workspace.batch(&operations, &options, now, &never).unwrap();
        assert_eq!(made.summary().failed, 0);
    });
    let (default, all) = (bytes(workspace, &[]), bytes(workspace, &["*"]));
    println!("{default} bytes by default, {all} bytes with all fields");
}
