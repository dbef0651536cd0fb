//! A vault has one replica: a second one does not start while the first lives, and starts when it has died.

use std::fs;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::cluster::Cluster;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::toolwrit;

#[test]
fn a_second_replica_of_a_vault_does_not_start_before_the_first_has_ended() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let (vault, home) = (TempDir::new().unwrap(), Home::new());
    fs::write(vault.path().join("Note.md"), "A note.\n").unwrap();
    let replica = |name: &str| {
        let served = ["serve", "--vault", vault.path().to_str().unwrap(), "--surface", "flat"];
        let mut command: Command = home.command(toolwrit(), &served);
        command.args(["--http", "127.0.0.1:0", "--state", &cluster.database.url()]);
        command.args(["--location", "notes", "--replica", name]);
        command
    };
    let first = Server::start(replica("one"));
    let refused = replica("two").output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("the replica one serves the same already"), "{said}");
    let read = first.client("").call("vault_read", &json!({"path": "Note.md"}));
    assert!(read.text().contains("A note."), "{}", read.text());
    // Without a word to the database, as a machine that loses its power.
    first.end();
    let second = Server::start(replica("two"));
    let read = second.client("").call("vault_read", &json!({"path": "Note.md"}));
    assert!(read.text().contains("A note."), "{}", read.text());
}
