//! How commands end, and the processes that they start.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process;
use std::time::Duration;

use serde_json::json;
use toolwrit_bindings::model::{Command, Effect};

use super::{Calling, commands, script};

/// Makes a pipe that has an end as soon as all processes that write to it have ended.
fn pipe(path: &Path) {
    assert!(process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn all_processes_of_a_cancelled_command_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    pipe(&path);
    let runner = commands(folder.path());
    let code = "sh -c 'sleep 1000' > pipe & exec sleep 1000";
    for effect in [Effect::Read, Effect::Write] {
        let command = Command { effect, ..script(code, Vec::new()) };
        let calling = Calling::new(json!({}));
        let cancellation = calling.cancellation.clone();
        let path = path.clone();
        // Opens as soon as the command has opened the other end.
        let ended = tokio::task::spawn_blocking(move || {
            let mut pipe = File::open(path).unwrap();
            cancellation.cancel();
            pipe.read_to_end(&mut Vec::new()).unwrap()
        });
        let failure = calling.run(&runner, &command).await.unwrap_err();
        assert_eq!(failure.code.as_str(), "CANCELLED");
        assert_eq!(failure.sent, effect == Effect::Write);
        assert_eq!(ended.await.unwrap(), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_not_wait_for_processes_that_it_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    pipe(&path);
    let ended = tokio::task::spawn_blocking(move || {
        File::open(path).unwrap().read_to_end(&mut Vec::new()).unwrap()
    });
    // The process that is left keeps the output open, too.
    let code = "exec 3> pipe; sleep 1000 & echo done";
    let calling = Calling::new(json!({}));
    let answer = calling.run(&commands(folder.path()), &script(code, Vec::new())).await.unwrap();
    assert_eq!(answer.value, "done");
    assert_eq!(ended.await.unwrap(), 0);
}

#[tokio::test]
async fn a_command_ends_at_the_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let command = Command { effect: Effect::Write, ..script("exec sleep 1000", Vec::new()) };
    let calling = Calling { patience: Duration::from_millis(50), ..Calling::new(json!({})) };
    let failure = calling.run(&commands(folder.path()), &command).await.unwrap_err();
    assert_eq!(failure.code.as_str(), "TIMEOUT");
}
