//! A vault in which something else is in the place of the server's own folder or lock.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::vaults;

/// Puts an obstruction in place, and returns its name.
type Obstacle = (&'static str, &'static str, fn(&Path));

const OBSTACLES: [Obstacle; 6] = [
    (".toolwrit", "a file", |path| fs::write(path, "").unwrap()),
    (".toolwrit", "a symbolic link", |path| symlink("Elsewhere", path).unwrap()),
    (".toolwrit/lock", "a folder", |path| fs::create_dir(path).unwrap()),
    (".toolwrit/lock", "a symbolic link", |path| symlink("../Note.md", path).unwrap()),
    (".toolwrit/lock", "neither a file nor a folder", |path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }),
    (".toolwrit/tmp", "a file", |path| fs::write(path, "").unwrap()),
];

#[test]
fn writers_get_an_error_that_names_the_obstruction() {
    for (place, what, put) in OBSTACLES {
        let vault = vaults::empty();
        fs::write(vault.path().join("Note.md"), "note").unwrap();
        fs::create_dir(vault.path().join("Elsewhere")).unwrap();
        let obstacle = vault.path().join(place);
        if place != ".toolwrit" {
            fs::create_dir(vault.path().join(".toolwrit")).unwrap();
        }
        put(&obstacle);
        let mut client = Client::vault(vault.path(), &["--surface", "flat"]);
        let write = json!({"path": "Note", "content": "new", "mode": "overwrite"});
        let error = client.call("vault_write", &write).error();
        assert_eq!(error["code"], "WRITES_DISABLED", "{place}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(place) && message.contains(what), "{message}");
        assert!(error["hint"].as_str().unwrap().contains(place), "{error}");
        assert_eq!(fs::read_to_string(vault.path().join("Note.md")).unwrap(), "note");

        if obstacle.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir(&obstacle).unwrap();
        } else {
            fs::remove_file(&obstacle).unwrap();
        }
        client.call("vault_write", &write).ok();
        assert_eq!(fs::read_to_string(vault.path().join("Note.md")).unwrap(), "new", "{place}");
    }
}
