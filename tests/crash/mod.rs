//! The server is killed during its work, many times, and no note is ever partially written.
//!
//! Each round sends some changes without waiting, kills the process after a random number of answers,
//! starts it again and compares every byte: in the folder itself, and as the server reads it, with every
//! link. Every change has two valid outcomes, before and after; a change that was answered has only the
//! second.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod changes;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use changes::{CHANGES, Change, Files, Random, changes, links, sizes};
use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::files::put;
use toolwrit_tests::{requirement, vaults};

const SEED: u64 = 0x70_6f_6f_6c;

/// Starts a server, which finishes or undoes the change of an earlier one. It has the index and the journal
/// of the earlier servers in `own`.
fn start(vault: &Path, own: &Path) -> Client {
    let own = own.to_str().unwrap();
    let environment = [("XDG_CACHE_HOME", own), ("TOOLWRIT_DATA_DIR", own)];
    let client = Client::vault_in(&environment, vault, &["--surface", "flat"]);
    assert_eq!(staged(vault), 0, "not swept");
    client
}

/// How many files are staged, for changes of one file and of several files.
fn staged(vault: &Path) -> usize {
    let folders = fs::read_dir(vault.join(".toolwrit")).into_iter().flatten().flatten();
    let named = |name: &str| name == "tmp" || name.starts_with("change-");
    let folders = folders.filter(|entry| entry.file_name().to_str().is_some_and(named));
    folders.map(|entry| fs::read_dir(entry.path()).into_iter().flatten().count()).sum()
}

/// Every file of the vault except the server's own and the settings.
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
    // Kill at a different point of the work each time.
    for _ in 0..random.below(200_000) {
        std::hint::spin_loop();
    }
    client.kill();
    answered
}

/// Checks that the server lists every file, reads it unchanged, and finds every link.
fn verify(client: &mut Client, model: &Files) {
    let call = json!({"query": "**", "mode": "glob", "limit": 1000});
    let found = client.call("vault_search", &call).ok();
    let matches = found["matches"].as_array().unwrap();
    assert_eq!(found["total"], matches.len(), "the limit hides some");
    let mut listed: Vec<&str> = matches.iter().map(|one| one["path"].as_str().unwrap()).collect();
    listed.sort_unstable();
    let visible = || model.keys().filter(|path| !path.starts_with('.'));
    assert!(listed.iter().eq(visible()), "{listed:?}");
    let reads: Vec<u64> =
        visible().map(|path| client.begin_call("vault_read", &json!({ "path": path }))).collect();
    for (path, id) in visible().zip(reads) {
        let note = client.finish_call(id).ok();
        assert!(note["content"].as_str().unwrap().as_bytes() == model[path], "{path}");
    }
    for (target, expected) in links(model) {
        let call = json!({"path": target, "limit": 1000});
        let found = client.call("vault_backlinks", &call).ok();
        let place = |link: &Value| {
            let line = link["line"].as_u64().map(|line| usize::try_from(line).unwrap());
            (link["path"].as_str().unwrap().to_owned(), line)
        };
        let links: Vec<_> = found["links"].as_array().unwrap().iter().map(place).collect();
        assert_eq!(links, expected, "{target}");
    }
}

#[test]
fn a_killed_server_leaves_every_note_and_link_intact() {
    let (folder, own) = (vaults::empty(), vaults::empty());
    let (vault, own) = (folder.path(), own.path());
    let mut random = Random(SEED);
    let mut model = changes::vault(&mut random);
    for (path, bytes) in &model {
        put(&vault.join(path), bytes);
    }
    let rounds = requirement::number(40, 200);
    let (mut killed, mut interrupted, mut swept) = (0, 0, 0);
    let mut client = start(vault, own);
    verify(&mut client, &model);
    // A busy machine may run the server between few changes, so there are further rounds until enough were hit.
    for round in 0..10 * rounds {
        if round >= rounds && interrupted > rounds / 4 && swept > 0 {
            break;
        }
        let changes = changes(&mut random, round, vault, &mut model);
        let answered = interrupt(client, &changes, &mut random);
        killed += 1;
        swept += usize::from(staged(vault) > 0);

        client = start(vault, own);
        let disk = disk(vault);
        let mut done = 0;
        for (change, answered) in changes.iter().zip(answered) {
            let what =
                format!("round {round} of seed {SEED}, {} {}", change.tool, change.arguments);
            let happened = change.has_happened(&disk, &what);
            assert!(happened || !answered, "{what}: answered, but not done");
            if happened {
                change.apply(&mut model);
                done += 1;
            }
        }
        assert!(disk == model, "round {round}: {:?} is not {:?}", sizes(&disk), sizes(&model));
        verify(&mut client, &model);
        interrupted += usize::from(done > 0 && done < changes.len());
        // The files of the bulk deletion have been checked and are not needed any more.
        for folder in [".trash", "Drafts"].map(|name| vault.join(name)) {
            if folder.exists() {
                fs::remove_dir_all(folder).unwrap();
            }
        }
        model.retain(|path, _| !(path.starts_with(".trash/") || path.starts_with("Drafts/")));
    }
    // Otherwise the test would have killed only idle servers.
    assert!(interrupted > rounds / 4, "only {interrupted} kills came in the middle");
    assert!(swept > 0, "no kill came while a file was being written");
    let notice = format!(
        "killed {killed} times, {interrupted} of them between changes, {swept} within one\n"
    );
    std::io::stderr().write_all(notice.as_bytes()).unwrap();
}
