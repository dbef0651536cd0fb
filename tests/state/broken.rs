//! An unusable state file is reported, and affects only what needs it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwrit_tests::{program, vaults};

use super::{file, flat, folder, lab, run};

/// Sends calls to a server, closes its input, and returns the answers and its standard error.
fn session(
    program: &Path,
    data: &Path,
    arguments: &[&str],
    calls: &[Value],
) -> (Vec<Value>, String) {
    let mut child = Command::new(program)
        .args(["serve", "--surface", "flat"])
        .args(arguments)
        .env("TOOLWRIT_DATA_DIR", data)
        .env("XDG_CACHE_HOME", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    }});
    let calls = calls.iter().enumerate().map(|(number, params)| {
        json!({"jsonrpc": "2.0", "id": number + 1, "method": "tools/call", "params": params})
    });
    let mut input = child.stdin.take().unwrap();
    for message in [hello].into_iter().chain(calls) {
        writeln!(input, "{message}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let answers = String::from_utf8(output.stdout).unwrap();
    let mut answers: Vec<Value> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let results = answers.into_iter().skip(1).map(|mut answer| answer["result"].take()).collect();
    (results, String::from_utf8(output.stderr).unwrap())
}

/// Checks that the server reads, refuses a call with a key, runs one without, and reports the problem once.
fn assert_goes_on_without(data: &Path, fault: &str) {
    let keyed = |key: &str| {
        let meta = json!({"toolwrit/idempotencyKey": key});
        json!({"name": "lab_count", "arguments": {}, "_meta": meta})
    };
    let calls = [
        json!({"name": "lab_echo", "arguments": {"text": "hi"}}),
        keyed("k"),
        keyed("l"),
        json!({"name": "lab_echo", "arguments": {"text": "there"}}),
    ];
    let (answers, said) = session(lab(), data, &[], &calls);
    assert_eq!(answers[0]["structuredContent"]["text"], "hi");
    for refused in &answers[1..3] {
        let error = &refused["structuredContent"]["error"];
        assert_eq!(error["code"], "PROVIDER_UNAVAILABLE", "{refused}");
        assert_eq!(error["retryable"], false);
        assert!(error["message"].as_str().unwrap().contains("did not run"), "{error}");
    }
    assert_eq!(answers[3]["structuredContent"]["text"], "there");
    assert_eq!(said.matches("no state is kept").count(), 1, "{said}");
    assert!(said.contains("state.sqlite3"), "{said}");
    assert!(said.contains(fault), "{said}");
    assert_eq!(said.matches("ERROR").count(), 1, "{said}");

    let (answers, _) = session(lab(), data, &[], &[json!({"name": "lab_count", "arguments": {}})]);
    assert_eq!(answers[0]["structuredContent"]["result"], 1, "no refused call ran");
}

#[test]
fn a_damaged_file() {
    let data = folder();
    fs::create_dir(data.path().join("lab")).unwrap();
    fs::write(file(data.path()), "no database, but long enough to look like one\n".repeat(100))
        .unwrap();
    let before = fs::read(file(data.path())).unwrap();
    assert_goes_on_without(data.path(), "damaged");
    assert_eq!(fs::read(file(data.path())).unwrap(), before, "it may be of use to somebody");

    let output = run(lab(), data.path(), &["audit"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("damaged") && said.contains("state.sqlite3"), "{said}");
}

#[test]
fn a_file_of_a_later_version() {
    let data = folder();
    flat(data.path()).close();
    let database = rusqlite::Connection::open(file(data.path())).unwrap();
    database.pragma_update(None, "user_version", 7).unwrap();
    drop(database);
    assert_goes_on_without(data.path(), "version 7");
    assert_eq!(run(lab(), data.path(), &["audit"]).status.code(), Some(1));
}

#[test]
fn a_folder_that_cannot_be_made() {
    let data = folder();
    fs::write(data.path().join("lab"), "in the way").unwrap();
    assert_goes_on_without(data.path(), "cannot create the folder");
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_read_only() {
    use std::os::unix::fs::PermissionsExt;
    let data = folder();
    let closed = fs::Permissions::from_mode(0o555);
    fs::set_permissions(data.path(), closed).unwrap();
    if fs::create_dir(data.path().join("probe")).is_err() {
        assert_goes_on_without(data.path(), "cannot create the folder");
    } else {
        // Root may write everywhere except where the system itself refuses.
        assert_goes_on_without(Path::new("/proc"), "cannot create the folder");
    }
}

#[test]
fn a_vault_is_served_without_a_state_file() {
    let (vault, data) = (vaults::empty(), folder());
    fs::write(vault.path().join("A.md"), "still here\n").unwrap();
    fs::create_dir(data.path().join("toolwrit-vault")).unwrap();
    fs::write(data.path().join("toolwrit-vault/state.sqlite3"), [7; 8192]).unwrap();
    let folder = vault.path().to_str().unwrap();
    let read = json!({"name": "vault_read", "arguments": {"path": "A"}});
    let (answers, said) = session(program::toolwrit(), data.path(), &["--vault", folder], &[read]);
    assert_eq!(answers[0]["structuredContent"]["content"], "still here\n");
    assert_eq!(said.matches("no state is kept").count(), 1, "{said}");
}

#[test]
fn a_later_failure_is_logged_and_the_server_continues() {
    let data = folder();
    let mut server = flat(data.path());
    server.call("lab_names", &json!({}));
    server.close();
    // The tables are missing in a file of the right version.
    let database = rusqlite::Connection::open(file(data.path())).unwrap();
    database.execute_batch("DROP TABLE audit; DROP TABLE idempotency").unwrap();
    drop(database);
    let keyed = json!({
        "name": "lab_count", "arguments": {}, "_meta": {"toolwrit/idempotencyKey": "k"},
    });
    let read = json!({"name": "lab_echo", "arguments": {"text": "hi"}});
    let (answers, said) = session(lab(), data.path(), &[], &[read.clone(), keyed, read]);
    assert_eq!(answers[1]["structuredContent"]["error"]["code"], "PROVIDER_UNAVAILABLE");
    assert_eq!(answers[2]["structuredContent"]["text"], "hi");
    assert_eq!(said.matches("calls are not in the audit").count(), 1, "{said}");
    assert_eq!(said.matches("an operation on the state file failed").count(), 1, "{said}");
}
