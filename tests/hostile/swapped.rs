//! A folder of the vault and a link to a folder outside are swapped while files are deleted. No file
//! outside is deleted.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::vaults;
use toolwrit_tests::waiting::Stop;

/// How many times the folder is filled and its files are deleted.
const ROUNDS: usize = 12;
/// How many times at most, until a deletion has met the folder and not the link.
const MOST_ROUNDS: usize = 120;
/// The number of files in it, and of files outside with the same names.
const FILES: usize = 100;

fn fill(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    for number in 0..FILES {
        fs::write(folder.join(format!("{number}.md")), "lantern\n").unwrap();
    }
}

/// Swaps the folder and a link until told to stop, and then restores the folder.
fn swap(place: &Path, outside: &Path, stop: &AtomicBool) {
    let link = place.with_file_name("Link");
    symlink(outside, &link).unwrap();
    let exchange = || renameat2(AT_FDCWD, place, AT_FDCWD, &link, RenameFlags::RENAME_EXCHANGE);
    for turn in 0.. {
        exchange().unwrap();
        // Checks and actions of a deletion meet the swap at any moment in between.
        (0..turn % 16).for_each(|_| drop(place.metadata()));
        if turn % 2 == 1 && stop.load(Ordering::Relaxed) {
            return fs::remove_file(link).unwrap();
        }
    }
}

/// Runs deletions in rounds, and returns how many calls succeeded.
fn deletions_beside_a_swap(delete: impl Fn(&mut Client) -> usize) -> usize {
    let (folder, outside, data) =
        (vaults::empty(), TempDir::new().unwrap(), TempDir::new().unwrap());
    // The system's trash, because it takes paths.
    fs::write(folder.path().join(".obsidian/app.json"), "{}").unwrap();
    fill(outside.path());
    let before = vaults::contents(outside.path());
    let environment = [("XDG_DATA_HOME", data.path().to_str().unwrap())];
    let mut client = Client::vault_in(&environment, folder.path(), &["--surface", "flat"]);
    let (place, mut deleted) = (folder.path().join("Folder"), 0);
    for round in 0..MOST_ROUNDS {
        if round >= ROUNDS && deleted > 0 {
            break;
        }
        fill(&place);
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let swapping = scope.spawn(|| swap(&place, outside.path(), &stop));
            let stopping = Stop(&stop);
            deleted += delete(&mut client);
            drop(stopping);
            swapping.join().unwrap();
        });
        let left = vaults::contents(outside.path());
        assert_eq!(left.len(), before.len(), "files outside are gone");
        assert!(left == before, "files outside are others");
    }
    deleted
}

#[test]
fn a_deletion_removes_nothing_outside_the_vault() {
    let deleted = deletions_beside_a_swap(|client| {
        let begin = |number| {
            let path = format!("Folder/{number}.md");
            client.begin_call("vault_delete", &json!({ "path": path }))
        };
        let calls: Vec<u64> = (0..FILES).map(begin).collect();
        calls.into_iter().filter(|id| !client.finish_call(*id).is_error()).count()
    });
    assert!(deleted > 0, "no deletion met the folder");
}

#[test]
fn a_bulk_deletion_removes_nothing_outside_the_vault() {
    let deleted = deletions_beside_a_swap(|client| {
        let mut deleted = 0;
        for number in 0..10 {
            let some = json!({ "match": format!("Folder/*{number}.md") });
            let done = client.call("vault_bulk_delete", &some);
            if !done.is_error() {
                let items = done.ok()["items"].take();
                let outcome = |item: &&serde_json::Value| item["outcome"] == "deleted";
                deleted += items.as_array().unwrap().iter().filter(outcome).count();
            }
        }
        deleted
    });
    assert!(deleted > 0, "no deletion met the folder");
}
