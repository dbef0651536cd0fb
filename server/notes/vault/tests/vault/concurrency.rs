//! Concurrent writers, and what a killed writer leaves.

use std::fs;
use std::thread;

use toolwrit_vault::{IfMissing, Vault, VaultError, WriteMode};

use crate::{Sandbox, path};

const WRITERS: usize = 4;
const ROUNDS: usize = 25;

/// Half of the writers open the vault separately, as other processes do.
fn writers(sandbox: &Sandbox) -> Vec<Vault> {
    (0..WRITERS)
        .map(|writer| match writer % 2 {
            0 => sandbox.vault.clone(),
            _ => Vault::open(sandbox.file("")).unwrap(),
        })
        .collect()
}

/// Repeats a change while it finds the vault busy: others may have the lock for longer than it waits.
fn unless_busy<T>(change: impl Fn() -> Result<T, VaultError>) -> Result<T, VaultError> {
    loop {
        match change() {
            Err(VaultError::Busy) => {}
            outcome => return outcome,
        }
    }
}

#[test]
fn concurrent_appends_are_all_complete() {
    let sandbox = Sandbox::new();
    thread::scope(|scope| {
        for (writer, vault) in writers(&sandbox).into_iter().enumerate() {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let line = format!("{writer}:{round}\n");
                    unless_busy(|| vault.append(&path("log"), &line, IfMissing::Create, None))
                        .unwrap();
                }
            });
        }
    });
    let text = String::from_utf8(sandbox.bytes("log.md")).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let mut expected: Vec<String> = (0..WRITERS)
        .flat_map(|writer| (0..ROUNDS).map(move |round| format!("{writer}:{round}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

#[test]
fn counting_with_if_match_loses_no_update() {
    let sandbox = Sandbox::new();
    sandbox.put("count.md", "0");
    thread::scope(|scope| {
        for vault in writers(&sandbox) {
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    loop {
                        let note = vault.read(&path("count"), None).unwrap();
                        let next = (note.content.parse::<usize>().unwrap() + 1).to_string();
                        let mode = WriteMode::Overwrite;
                        match vault.write(&path("count"), &next, mode, Some(&note.etag)) {
                            Ok(_) => break,
                            Err(VaultError::Conflict { .. } | VaultError::Busy) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
    });
    assert_eq!(sandbox.bytes("count.md"), (WRITERS * ROUNDS).to_string().as_bytes());
}

#[test]
fn only_one_of_several_concurrent_creators_succeeds() {
    let sandbox = Sandbox::new();
    let results: Vec<_> = thread::scope(|scope| {
        let spawned: Vec<_> = writers(&sandbox)
            .into_iter()
            .map(|vault| {
                scope.spawn(move || {
                    unless_busy(|| vault.write(&path("id"), "x", WriteMode::CreateOnly, None))
                })
            })
            .collect();
        spawned.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let lost = |result: &_| matches!(result, Err(VaultError::AlreadyExists { .. }));
    assert_eq!(results.iter().filter(|result| lost(result)).count(), WRITERS - 1);
}

#[test]
fn files_of_a_killed_writer_are_removed_unless_a_writer_is_active() {
    let sandbox = Sandbox::new();
    sandbox.vault.write(&path("n"), "n", WriteMode::CreateOnly, None).unwrap();
    let staging = sandbox.file(".toolwrit/tmp");
    assert_eq!(fs::read_dir(&staging).unwrap().count(), 0, "a writer cleans up after itself");
    sandbox.put(".toolwrit/tmp/.toolwrit-1-0.tmp", "half a no");
    let lock = fs::File::open(sandbox.file(".toolwrit/lock")).unwrap();
    lock.lock().unwrap();
    Vault::open(sandbox.file("")).unwrap();
    assert_eq!(fs::read_dir(&staging).unwrap().count(), 1);
    drop(lock);
    Vault::open(sandbox.file("")).unwrap();
    assert_eq!(fs::read_dir(&staging).unwrap().count(), 0);
}
