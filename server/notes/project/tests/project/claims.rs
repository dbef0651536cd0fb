//! Ids are claimed once, whoever creates.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::json;
use toolwrit_project::{BatchOperation, EntityKind, ProjectError, Workspace};
use toolwrit_vault::VaultError;

use crate::batches::{ATOMIC, create, describe_outcome};
use crate::{Sandbox, map, never, open, parse_time};

const PROCESSES: usize = 8;
const EACH: usize = 125;

/// The work of one process: it creates tasks, and prints their ids.
#[expect(clippy::print_stdout, reason = "it tells whoever started it")]
fn work(vault: &Path) -> ! {
    let workspaces = open(vault);
    let workspace = workspaces.find_by_name(None).unwrap();
    let data = map(json!({ "title": std::process::id().to_string() }));
    let mut made = 0;
    while made < EACH {
        match workspace.create(
            EntityKind::Task,
            &data,
            "",
            &crate::NO_CANVAS,
            parse_time("2026-03-01T00:00:00Z"),
            &never,
        ) {
            Ok(changed) => {
                println!("\nmade {}", changed.id);
                made += 1;
            }
            // The others write more than this process waits for.
            Err(ProjectError::Vault(VaultError::Busy)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    std::process::exit(0);
}

#[test]
fn processes_and_a_person_never_make_the_same_id() {
    if let Some(vault) = env::var_os("TOOLWRIT_TEST_VAULT") {
        work(Path::new(&vault));
    }
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.file("Projects")).unwrap();
    let start = |_| {
        Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "claims::processes_and_a_person_never_make_the_same_id",
            ])
            .env("TOOLWRIT_TEST_VAULT", sandbox.file(""))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let workers: Vec<_> = (0..PROCESSES).map(start).collect();
    // A person makes notes meanwhile, without the engine.
    let mut by_hand = 0;
    for number in (1..PROCESSES * EACH).step_by(97) {
        let name = sandbox.file(&format!("Projects/T-{number:03}.md"));
        if let Ok(mut file) = fs::File::create_new(name) {
            let text =
                format!("---\nid: T-{number:03}\ntype: task\ntitle: hand\nstatus: todo\n---\n");
            std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
            by_hand += 1;
        }
    }
    let mut made = Vec::new();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        made.extend(text.lines().filter_map(|line| line.strip_prefix("made ")).map(str::to_owned));
    }
    assert_eq!(made.len(), PROCESSES * EACH);
    assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len());
    sandbox.workspace().wait_for_index(&never).unwrap();
    let project = sandbox.workspace().project(&never).unwrap();
    assert_eq!(project.entities().count(), made.len() + by_hand);
    assert_eq!(project.entities().filter(|entity| entity.title == "hand").count(), by_hand);
    assert_eq!(project.problems(), []);
}

const BATCHES: usize = 8;

/// The batches of one process, each of five creations.
fn batches(process: usize) -> Vec<Vec<BatchOperation>> {
    let operation = |batch: usize, number: usize| {
        let name = format!("{process}-{batch}-{number}");
        create(&name, "task", json!({ "title": name }))
    };
    (0..BATCHES).map(|batch| (0..5).map(|number| operation(batch, number)).collect()).collect()
}

/// Makes the batches of a process, and returns what they have made.
fn make(workspace: &Workspace, process: usize) -> Vec<String> {
    let mut made = Vec::new();
    for batch in batches(process) {
        let outcome = loop {
            match workspace.batch(&batch, &ATOMIC, parse_time("2026-03-01T00:00:00Z"), &never) {
                Err(ProjectError::Vault(VaultError::Busy)) => {}
                outcome => break outcome.unwrap(),
            }
        };
        made.extend(describe_outcome(&outcome));
    }
    made
}

#[test]
fn batches_of_several_processes_are_remembered_side_by_side() {
    let variables =
        ["TOOLWRIT_TEST_VAULT", "TOOLWRIT_TEST_PROCESS"].map(|name| env::var(name).ok());
    if let [Some(vault), Some(process)] = variables {
        make(open(Path::new(&vault)).find_by_name(None).unwrap(), process.parse().unwrap());
        return;
    }
    let sandbox = Sandbox::new();
    let start = |process: usize| {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "claims::batches_of_several_processes_are_remembered_side_by_side"])
            .env("TOOLWRIT_TEST_VAULT", sandbox.file(""))
            .env("TOOLWRIT_TEST_PROCESS", process.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let workers: Vec<_> = (0..4).map(start).collect();
    for mut worker in workers {
        assert!(worker.wait().unwrap().success());
    }
    sandbox.workspace().wait_for_index(&never).unwrap();
    // A change would hide from a creation that was not confirmed that it was made.
    let project = sandbox.workspace().project(&never).unwrap();
    for id in project.entities().map(|entity| entity.id.to_string()) {
        sandbox.update(&id, json!({ "status": "completed" })).unwrap();
    }
    let again: BTreeSet<String> =
        (0..4).flat_map(|title| make(sandbox.workspace(), title)).collect();
    assert_eq!(again.len(), 4 * BATCHES * 5);
    let project = sandbox.workspace().project(&never).unwrap();
    assert_eq!(project.entities().count(), again.len());
    for entity in project.entities() {
        assert!(again.contains(&format!("{}: already {}", entity.title, entity.id)));
    }
}
