//! Only the user can read the state.

use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use toolwrit_tests::waiting::found;

use super::{flat, folder, lab, run};

fn mode(path: &Path) -> u32 {
    metadata(path).unwrap().permissions().mode() & 0o777
}

/// The mode of each file in the folder of the laboratory.
fn modes(data: &Path) -> Vec<(String, u32)> {
    let files = std::fs::read_dir(data.join("lab")).unwrap();
    let mut modes: Vec<_> = files
        .map(|file| file.unwrap())
        .map(|file| (file.file_name().into_string().unwrap(), mode(&file.path())))
        .collect();
    modes.sort();
    modes
}

#[test]
fn other_users_cannot_read_the_state() {
    let data = folder();
    let token = run(lab(), data.path(), &["token", "new", "--role", "owner"]);
    assert!(token.status.success(), "{token:?}");
    let mut server = flat(data.path());
    server.call("lab_echo", &json!({"text": "hi"})).ok();
    // While a server runs there are further files beside the database, which appear one after the other.
    let names = ["state.sqlite3", "state.sqlite3-wal", "state.sqlite3-shm", "tokens.toml"];
    let files = found("the files of a running server", || {
        server.call("lab_echo", &json!({"text": "hi"})).ok();
        let files = modes(data.path());
        let is_there = |name: &&str| files.iter().any(|(own, _)| own == name);
        names.iter().all(is_there).then_some(files)
    });
    assert!(files.iter().all(|(_, mode)| *mode == 0o600), "{files:?}");
    assert_eq!(mode(&data.path().join("lab")), 0o700);
}

#[test]
fn permissions_of_older_files_are_corrected() {
    let data = folder();
    assert!(run(lab(), data.path(), &["token", "new", "--role", "owner"]).status.success());
    assert!(run(lab(), data.path(), &["call", "lab.echo", "--text", "hi"]).status.success());
    let own = data.path().join("lab");
    for name in ["state.sqlite3", "tokens.toml"] {
        set_permissions(own.join(name), Permissions::from_mode(0o644)).unwrap();
    }
    set_permissions(&own, Permissions::from_mode(0o755)).unwrap();
    set_permissions(data.path(), Permissions::from_mode(0o755)).unwrap();
    assert!(run(lab(), data.path(), &["call", "lab.echo", "--text", "hi"]).status.success());
    let found = modes(data.path());
    assert!(found.iter().all(|(_, mode)| *mode == 0o600), "{found:?}");
    assert_eq!(mode(&own), 0o700);
    // The parent folder is shared with other programs.
    assert_eq!(mode(data.path()), 0o755);
}

#[test]
fn a_folder_named_by_the_operator_keeps_its_permissions() {
    let (data, other) = (folder(), folder());
    set_permissions(other.path(), Permissions::from_mode(0o755)).unwrap();
    let neighbour = other.path().join("neighbour");
    std::fs::write(&neighbour, "x").unwrap();
    set_permissions(&neighbour, Permissions::from_mode(0o644)).unwrap();
    let file = other.path().join("tokens.toml");
    let made = Command::new(lab())
        .args(["token", "new", "--role", "owner", "--tokens", file.to_str().unwrap()])
        .env("TOOLWRIT_DATA_DIR", data.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    assert_eq!((mode(&file), mode(&file.with_added_extension("lock"))), (0o600, 0o600));
    assert_eq!((mode(&neighbour), mode(other.path())), (0o644, 0o755));
}
