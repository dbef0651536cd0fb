//! A change of several files is complete even if the process is killed in the middle of it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use toolwrit_vault::{BulkMode, CaseSensitivity, SearchPattern};

use crate::generated::Random;
use crate::{Sandbox, never, open, path, tree};
use toolwrit_requirement::number;

const LINKING: usize = 30;
const DRAFTS: usize = 30;
const SEED: u64 = 0x6a_6f_75_72;

/// The text of a note that links to the hub.
fn linking(hub: &str, number: usize) -> String {
    format!("{number}: [[{hub}|the hub]]\r\n`[[hub 0]]` [t](<{hub}.md#{number}>)\n")
}

/// The work that is killed: the hub is renamed repeatedly, and the drafts are deleted.
#[expect(clippy::print_stdout, reason = "it tells whoever kills it")]
fn work(folder: &Path) -> ! {
    let vault = open(folder);
    vault.wait_for_index(&never).unwrap();
    println!("ready");
    let first = hub(folder);
    let drafts = SearchPattern::glob("Drafts/*.md", CaseSensitivity::Sensitive).unwrap();
    for number in first + 1.. {
        let (from, to) = (format!("hub {}", number - 1), format!("hub {number}"));
        vault.rename(&path(&from), &to, None, &never).unwrap();
        vault.bulk_delete(&drafts, BulkMode::Delete, &never).unwrap();
    }
    unreachable!("the numbers do not end");
}

/// The number of the only hub.
fn hub(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let hubs: Vec<usize> = names
        .filter_map(|name| name.strip_prefix("hub ")?.strip_suffix(".md")?.parse().ok())
        .collect();
    assert_eq!(hubs.len(), 1, "{hubs:?}");
    hubs[0]
}

#[test]
fn a_killed_change_of_many_files_is_finished_or_not_started() {
    if let Some(folder) = env::var_os("TOOLWRIT_TEST_VAULT") {
        work(Path::new(&folder));
    }
    let sandbox = Sandbox::new();
    sandbox.put("hub 0.md", "self: [[hub 0]]\n");
    for number in 0..LINKING {
        sandbox.put(&format!("Notes/{number}.md"), linking("hub 0", number));
    }
    let mut random = Random(SEED);
    let mut deleted = 0;
    let mut interrupted = 0;
    let rounds = number(40, 200);
    // A busy machine may run no worker while it changes something, so there are further rounds until one was hit.
    for round in 0..50 * rounds {
        if round >= rounds && interrupted > 0 {
            break;
        }
        for number in 0..DRAFTS {
            sandbox.put(&format!("Drafts/{round}-{number}.md"), "draft");
        }
        let before = hub(&sandbox.file(""));
        let mut worker = Command::new(env::current_exe().unwrap())
            .args(["--exact", "--nocapture"])
            .arg("journal::a_killed_change_of_many_files_is_finished_or_not_started")
            .env("TOOLWRIT_TEST_VAULT", sandbox.file(""))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(worker.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.ends_with("ready")));
        // Kill at a different time in each round, in every other round while a change is recorded.
        let in_a_change = round % 2 == 0;
        while in_a_change && !is_recorded(&sandbox) && worker.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        for _ in 0..random.below(if in_a_change { 200_000 } else { 4_000_000 }) {
            std::hint::spin_loop();
        }
        worker.kill().unwrap();
        worker.wait().unwrap();
        interrupted += usize::from(is_recorded(&sandbox));

        sandbox.reopen();
        let after = hub(&sandbox.file(""));
        assert!(after >= before);
        let name = format!("hub {after}");
        assert_eq!(sandbox.bytes(&format!("{name}.md")), format!("self: [[{name}]]\n").as_bytes());
        for number in 0..LINKING {
            let text = String::from_utf8(sandbox.bytes(&format!("Notes/{number}.md"))).unwrap();
            assert_eq!(text, linking(&name, number), "round {round}");
        }
        let mut left = tree(&sandbox.file("Drafts")).len();
        if left == 0 {
            deleted += DRAFTS;
        } else {
            assert_eq!(left, DRAFTS, "round {round}: some of the drafts");
            fs::remove_dir_all(sandbox.file("Drafts")).unwrap();
            left = 0;
        }
        let hidden =
            tree(&sandbox.file(".toolwrit")).len() + tree(&sandbox.file(".obsidian")).len();
        assert_eq!(
            tree(&sandbox.file("")).len(),
            1 + LINKING + left + count_trashed(&sandbox) + hidden
        );
        assert_eq!(count_trashed(&sandbox), deleted);
        let mut staged: BTreeMap<_, _> = tree(&sandbox.file(".toolwrit"));
        staged.retain(|path, _| {
            !path
                .parent()
                .is_none_or(|parent| parent.ends_with("marks") || parent.ends_with(".toolwrit"))
        });
        assert!(staged.is_empty(), "{staged:?}");
    }
    assert!(interrupted > 0, "no round hit a change");
}

/// Whether a change is recorded.
fn is_recorded(sandbox: &Sandbox) -> bool {
    let state = fs::read_dir(sandbox.beside("state")).into_iter().flatten().flatten();
    state.into_iter().any(|entry| entry.path().join("record").exists())
}

fn count_trashed(sandbox: &Sandbox) -> usize {
    if sandbox.file(".trash").exists() { tree(&sandbox.file(".trash")).len() } else { 0 }
}
