//! An atomic batch is made completely or not at all, even if the process is killed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::json;
use toolwrit_project::{BatchAction, BatchOperation};

use crate::batches::{ATOMIC, create, describe_outcome};
use crate::{Sandbox, map, never, open, parse_time};
use toolwrit_requirement::number;

const OPERATIONS: usize = 200;

/// Half of the operations create a task, and half of them change the one that was created.
fn operations(round: &str) -> Vec<BatchOperation> {
    let pair = |number: usize| {
        let name = format!("{round}-{number}");
        let action =
            BatchAction::Update { id: name.clone(), data: map(json!({ "status": "completed" })) };
        let update = BatchOperation { client_id: format!("update-{number}"), action };
        let update_old = BatchOperation {
            client_id: format!("old-{number}"),
            action: BatchAction::Update {
                id: "T-001".to_owned(),
                data: map(json!({ "title": format!("{round}: {number}") })),
            },
        };
        let last = if number.is_multiple_of(2) { update } else { update_old };
        [create(&name, "task", json!({ "title": name })), last]
    };
    (0..OPERATIONS / 2).flat_map(pair).collect()
}

/// The work that is killed: one batch.
#[expect(clippy::print_stdout, reason = "it tells whoever kills it")]
fn work(vault: &Path, round: &str) -> ! {
    let workspaces = open(vault);
    let workspace = workspaces.find_by_name(None).unwrap();
    workspace.wait_for_index(&never).unwrap();
    println!("\nready");
    let made =
        workspace.batch(&operations(round), &ATOMIC, parse_time("2026-03-01T00:00:00Z"), &never);
    assert_eq!(made.unwrap().summary().failed, 0);
    std::process::exit(0);
}

/// How many tasks each round has made.
fn tasks(sandbox: &Sandbox) -> BTreeMap<String, usize> {
    let mut made = BTreeMap::new();
    for entry in fs::read_dir(sandbox.file("Projects")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let title = text.lines().find_map(|line| line.strip_prefix("title: ")).unwrap();
        if let Some((round, _)) = title.trim_matches('"').split_once('-') {
            *made.entry(round.to_owned()).or_default() += 1;
        }
    }
    made
}

#[test]
fn a_killed_batch_is_made_completely_or_not_at_all() {
    if let (Some(vault), Ok(round)) =
        (env::var_os("TOOLWRIT_TEST_VAULT"), env::var("TOOLWRIT_TEST_ROUND"))
    {
        work(Path::new(&vault), &round);
    }
    let sandbox = Sandbox::new();
    sandbox.made("task", json!({ "title": "first" }));
    let mut random = 0x6a_6f_75_72_u64;
    let mut interrupted = 0;
    let rounds = number(20, 100);
    // A busy machine may run no worker while it changes something, so there are further rounds until one was hit.
    for round in 0..50 * rounds {
        if round >= rounds && interrupted > 0 {
            break;
        }
        let mut worker = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "killed::a_killed_batch_is_made_completely_or_not_at_all",
            ])
            .env("TOOLWRIT_TEST_VAULT", sandbox.file(""))
            .env("TOOLWRIT_TEST_ROUND", round.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(worker.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // Kill at a different time in each round, in every other round while the change is recorded.
        let in_the_change = round % 2 == 0;
        while in_the_change && !is_recorded(&sandbox) && worker.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        for _ in 0..(random >> 33) % if in_the_change { 100_000 } else { 60_000_000 } {
            std::hint::spin_loop();
        }
        worker.kill().unwrap();
        worker.wait().unwrap();
        interrupted += usize::from(is_recorded(&sandbox));

        let other = open(&sandbox.file(""));
        let made = tasks(&sandbox).get(&round.to_string()).copied().unwrap_or(0);
        assert!([0, OPERATIONS / 2].contains(&made), "round {round}: {made} of the tasks");
        let title = sandbox.text("T-001").contains(&format!("title: \"{round}: "));
        assert_eq!(title, made > 0, "round {round}");
        // The same batch again makes what is missing, and nothing twice.
        let workspace = other.find_by_name(None).unwrap();
        workspace.wait_for_index(&never).unwrap();
        let again =
            workspace.batch(&operations(&round.to_string()), &ATOMIC, sandbox.now, &never).unwrap();
        assert_eq!(again.summary().failed, 0, "round {round}: {:?}", describe_outcome(&again));
        assert_eq!(tasks(&sandbox)[&round.to_string()], OPERATIONS / 2, "round {round}");
        assert_eq!(workspace.project(&never).unwrap().problems(), []);
    }
    assert!(interrupted > 0, "no round hit a change");
}

/// Whether a change is recorded.
fn is_recorded(sandbox: &Sandbox) -> bool {
    let state = fs::read_dir(sandbox.dir.path().join("state")).into_iter().flatten().flatten();
    state.into_iter().any(|entry| entry.path().join("record").exists())
}
