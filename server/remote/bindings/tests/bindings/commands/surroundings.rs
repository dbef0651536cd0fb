//! Where commands run, and what they see.

use std::fs;

use serde_json::json;
use toolwrit_bindings::model::Word;

use super::{Calling, argument, command, commands, script, value};

#[tokio::test]
async fn commands_see_the_declared_variables_only() {
    let folder = tempfile::tempdir().unwrap();
    let runner = commands(folder.path());
    // A secret is masked in what a command writes, but not a part of it.
    let end = script("printf %s \"${TOKEN#s3cret-}\"", Vec::new());
    for (account, token) in [(None, "of-all"), (Some("anna"), "of-anna")] {
        let calling = Calling { account, ..Calling::new(json!({})) };
        let answer = calling.run(&runner, &command("env", Vec::new())).await.unwrap();
        assert_eq!(answer.value, "PAGER=cat\nTOKEN=***");
        assert_eq!(calling.run(&runner, &end).await.unwrap().value, token);
    }
    let stranger = Calling { account: Some("ben"), ..Calling::new(json!({})) };
    let failure = stranger.run(&runner, &command("env", Vec::new())).await.unwrap_err();
    assert_eq!(failure.code.as_str(), "PROVIDER_UNAVAILABLE");
    assert!(failure.message.contains("this account has none of its own"), "{failure}");
}

#[tokio::test]
async fn they_run_in_their_folder_and_read_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    let answer = Calling::new(json!({}));
    let answer = answer.run(&commands(&path), &script("pwd; cat", Vec::new())).await.unwrap();
    assert_eq!(answer.value, path.to_str().unwrap());
}

/// Idempotency keys of one folder are not those of another.
#[test]
fn the_location_says_the_folder_and_no_secret() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = folders.each_ref().map(|folder| commands(folder.path()).location(None));
    assert_ne!(first, second);
    assert_eq!(first, commands(folders[0].path()).location(None));
    assert!(!first.to_lowercase().contains("s3cret"), "{first}");
}

#[tokio::test]
async fn a_folder_or_a_program_that_is_missing_makes_the_provider_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let missing = command("toolwrit-has-no-such-program", Vec::new());
    let runner = commands(folder.path());
    let calling = Calling::new(json!({}));
    let failure = calling.run(&runner, &missing).await.unwrap_err();
    let probed = runner.probe([&*missing.program], None).await.unwrap_err();
    assert_eq!(failure.message, probed.message);
    assert_eq!(failure.code.as_str(), "PROVIDER_UNAVAILABLE");
    assert_eq!(
        failure.message,
        "The program `toolwrit-has-no-such-program` of tests is not installed."
    );
    runner.probe(["sh", "/bin/sh"], None).await.unwrap();

    for bad in [folder.path().join("none"), "relative".into()] {
        let runner = commands(&bad);
        let failure = calling.run(&runner, &command("env", Vec::new())).await.unwrap_err();
        assert_eq!(failure.code.as_str(), "PROVIDER_UNAVAILABLE");
        assert!(failure.message.ends_with("is not the absolute path of a folder."), "{failure}");
        assert!(failure.hint.unwrap().contains("providers.tests.folder"));
        runner.probe([], None).await.unwrap_err();
    }
}

#[tokio::test]
async fn each_call_runs_once() {
    let folder = tempfile::tempdir().unwrap();
    let failing = script("echo >> runs; exit 1", Vec::new());
    Calling::new(json!({})).run(&commands(folder.path()), &failing).await.unwrap_err();
    assert_eq!(fs::read_to_string(folder.path().join("runs")).unwrap(), "\n");
}

#[tokio::test]
async fn a_program_does_not_come_from_an_argument() {
    // The value is a word, whatever program has its name.
    let echo = command("echo", vec![Word::Values { optional: false, value: argument("a") }]);
    assert_eq!(
        value(&echo, json!({ "a": "/bin/false; false" })).await.unwrap(),
        "/bin/false; false"
    );
}
