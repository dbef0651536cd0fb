//! The server is killed in the middle of its work, again and again, and no note is ever torn.
//!
//! Each round sends a handful of changes without waiting, kills the process after a random number
//! of answers, starts it again and looks at the folder itself. Every change has two lawful outcomes, before and
//! after; one that was answered has only the second.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::client::Client;
use toolwrit_tests::vaults;

const ROUNDS: usize = 200;
/// Changes in flight when the process is killed.
const CHANGES: usize = 12;
const SEED: u64 = 0x70_6f_6f_6c;

type Files = BTreeMap<String, Vec<u8>>;

/// `SplitMix64`: small, seeded, good enough to choose.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    /// A text that no other call returns, from a few bytes to some tens of kilobytes.
    fn text(&mut self) -> String {
        let (id, lines) = (self.below(usize::MAX), 1 << self.below(11));
        (0..lines).flat_map(|line| [line.to_string(), format!(" of {id:x}\n")]).collect()
    }
}

/// A change to files that no other change of its round touches.
struct Change {
    tool: &'static str,
    arguments: Value,
    /// What each file it touches may turn from and into; absent files have no content.
    steps: Vec<Step>,
}

/// A part of a change that happens at once: all of its files are as before, or all as after.
struct Step {
    before: Files,
    after: Files,
}

impl Step {
    /// Whether it has happened, seen on disk; fails when it is anything in between.
    fn happened(&self, disk: &Files, what: &str) -> bool {
        let paths: HashSet<&String> = self.before.keys().chain(self.after.keys()).collect();
        let now: Files = paths
            .into_iter()
            .filter_map(|path| disk.get(path).map(|bytes| (path.clone(), bytes.clone())))
            .collect();
        let happened = now == self.after;
        assert!(happened || now == self.before, "{what}: torn or lost: {:?}", sizes(&now));
        happened
    }
}

fn sizes(files: &Files) -> Vec<(&String, usize)> {
    files.iter().map(|(path, bytes)| (path, bytes.len())).collect()
}

/// Makes the changes of a round, each to notes of its own.
fn changes(random: &mut Random, round: usize, vault: &Path, model: &mut Files) -> Vec<Change> {
    let mut free: Vec<String> =
        model.keys().filter(|path| path.starts_with("Notes/")).cloned().collect();
    (0..CHANGES)
        .map(|number| {
            let path = free.swap_remove(random.below(free.len()));
            let old = model[&path].clone();
            match random.below(8) {
                0..=2 => write(path, old, random.text()),
                3 => create(format!("Notes/{round}-{number}.md"), random.text()),
                4 | 5 => append(path, old, &random.text()),
                6 => relocate(path, format!("Notes/{round}-{number}.md"), old),
                _ => bulk_delete(&format!("Drafts/{number}"), random, vault, model),
            }
        })
        .collect()
}

fn write(path: String, old: Vec<u8>, text: String) -> Change {
    Change {
        tool: "vault_write",
        arguments: json!({"path": path, "content": text}),
        steps: vec![Step {
            before: Files::from([(path.clone(), old)]),
            after: Files::from([(path, text.into_bytes())]),
        }],
    }
}

fn create(path: String, text: String) -> Change {
    Change {
        tool: "vault_write",
        arguments: json!({"path": path, "content": text, "mode": "create"}),
        steps: vec![Step { before: Files::new(), after: Files::from([(path, text.into_bytes())]) }],
    }
}

fn append(path: String, old: Vec<u8>, text: &str) -> Change {
    let new = [&old, text.as_bytes()].concat();
    Change {
        tool: "vault_append",
        arguments: json!({"path": path, "content": text}),
        steps: vec![Step {
            before: Files::from([(path.clone(), old)]),
            after: Files::from([(path, new)]),
        }],
    }
}

/// Linux and macOS move without replacing in one step, so the note is at exactly one place. Where
/// the file system has no such step, a note may be at both for a moment, never at none.
fn relocate(path: String, to: String, old: Vec<u8>) -> Change {
    Change {
        tool: "vault_move",
        arguments: json!({"path": path, "to": to}),
        steps: vec![Step {
            before: Files::from([(path, old.clone())]),
            after: Files::from([(to, old)]),
        }],
    }
}

/// Deletes a new folder of notes: all of them go, or none.
fn bulk_delete(folder: &str, random: &mut Random, vault: &Path, model: &mut Files) -> Change {
    fs::create_dir_all(vault.join(folder)).unwrap();
    let (mut before, mut after) = (Files::new(), Files::new());
    for number in 0..8 {
        let (path, text) = (format!("{folder}/{number}.md"), random.text().into_bytes());
        fs::write(vault.join(&path), &text).unwrap();
        model.insert(path.clone(), text.clone());
        after.insert(format!(".trash/{path}"), text.clone());
        before.insert(path, text);
    }
    let arguments = json!({"match": format!("{folder}/*.md")});
    Change { tool: "vault_bulk_delete", arguments, steps: vec![Step { before, after }] }
}

/// Every file of the vault but the server's own and the settings.
fn disk(vault: &Path) -> Files {
    let mut files = vaults::contents(vault);
    files.retain(|path, _| {
        !(path.ends_with('/') || path.starts_with(".toolwrit/") || path.starts_with(".obsidian/"))
    });
    files
}

/// Sends all changes, kills the server after some of the answers, and returns which were answered.
fn interrupt(mut client: Client, changes: &[Change], random: &mut Random) -> Vec<bool> {
    let ids: Vec<u64> =
        changes.iter().map(|change| client.begin_call(change.tool, &change.arguments)).collect();
    let mut answered = vec![false; changes.len()];
    for _ in 0..random.below(CHANGES + 1) {
        let answer = client.next_answer();
        let position = ids.iter().position(|id| answer["id"] == *id).unwrap();
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        answered[position] = true;
    }
    // Hits the work that is under way at a point that differs each time.
    for _ in 0..random.below(200_000) {
        std::hint::spin_loop();
    }
    client.kill();
    answered
}

/// What the server says is in the vault.
fn visible(client: &mut Client) -> Vec<String> {
    let call = json!({"query": "**", "mode": "glob", "limit": 1000});
    let found = client.call("vault_search", &call).ok();
    let matches = found["matches"].as_array().unwrap();
    assert_eq!(found["total"], matches.len(), "the limit hides some");
    matches.iter().map(|found| found["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_killed_server_leaves_every_note_whole() {
    let folder = vaults::empty();
    let vault = folder.path();
    let mut random = Random(SEED);
    let mut model = Files::new();
    fs::create_dir(vault.join("Notes")).unwrap();
    for number in 0..40 {
        let (path, text) = (format!("Notes/{number}.md"), random.text().into_bytes());
        fs::write(vault.join(&path), &text).unwrap();
        model.insert(path, text);
    }
    let (mut interrupted, mut swept) = (0, 0);
    for round in 0..ROUNDS {
        let mut client = Client::vault(vault, &["--surface", "flat"]);
        let staging = vault.join(".toolwrit/tmp");
        if staging.exists() {
            assert_eq!(fs::read_dir(&staging).unwrap().count(), 0, "round {round}: not swept");
        }
        let mut listed = visible(&mut client);
        listed.sort();
        assert!(listed.iter().eq(model.keys()), "round {round}: {listed:?}");

        let changes = changes(&mut random, round, vault, &mut model);
        let answered = interrupt(client, &changes, &mut random);
        swept += usize::from(fs::read_dir(&staging).is_ok_and(|mut left| left.next().is_some()));

        // Whoever opens the vault next finishes what was begun, or takes it back.
        drop(Client::vault(vault, &["--surface", "flat"]));
        let disk = disk(vault);
        let (mut done, mut steps) = (0, 0);
        for (change, answered) in changes.iter().zip(answered) {
            let what = format!("round {round} of seed {SEED}, {}", change.tool);
            for step in &change.steps {
                let happened = step.happened(&disk, &what);
                assert!(happened || !answered, "{what}: answered, but not done");
                (done, steps) = (done + usize::from(happened), steps + 1);
                if happened {
                    step.before.keys().for_each(|path| drop(model.remove(path)));
                    model.extend(step.after.clone());
                }
            }
        }
        assert!(disk == model, "round {round}: {:?} is not {:?}", sizes(&disk), sizes(&model));
        interrupted += usize::from(done > 0 && done < steps);
        // What bulk deletion was about has been checked and is only in the way.
        for folder in fs::read_dir(vault).unwrap().map(|entry| entry.unwrap().path()) {
            if [".trash", "Drafts"].iter().any(|name| folder.ends_with(name)) {
                fs::remove_dir_all(folder).unwrap();
            }
        }
        model.retain(|path, _| path.starts_with("Notes/"));
    }
    // Else the test would have looked only at servers that were idle, or not yet at work.
    assert!(interrupted > ROUNDS / 4, "only {interrupted} kills came in the middle");
    assert!(swept > 0, "no kill came while a file was being written");
}
