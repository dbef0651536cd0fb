//! Every call is one row, over any transport and with any outcome.

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::waiting::{found, until};
use toolwrit_tests::{program, vaults};

use super::{audit_of, count, file, flat, folder, lab, rows, run, serve};

/// A row, reduced to how a call ended.
fn ending(row: &Value) -> Vec<&str> {
    ["name", "operation", "effect", "decision", "outcome"]
        .map(|key| row[key].as_str().unwrap_or("-"))
        .to_vec()
}

/// Makes the calls and returns their rows.
fn rows_of(surface: &str, calls: &[(&str, Value)]) -> Vec<Value> {
    let data = folder();
    let mut server = serve(data.path(), &["--surface", surface]);
    for (tool, arguments) in calls {
        server.call(tool, arguments);
    }
    assert_eq!(server.close().0, Some(0));
    let rows = rows(data.path(), &[]);
    for (row, (_, arguments)) in rows.iter().zip(calls) {
        assert_eq!(row["surface"], surface);
        assert_eq!(row["bytes_in"], arguments.to_string().len(), "{row}");
    }
    rows
}

#[test]
fn calls_of_flat_tools_are_recorded() {
    let rows = rows_of(
        "flat",
        &[
            ("lab_echo", json!({"text": "hi \"there\"\n"})),
            ("lab_count", json!({"fail": "not_found"})),
            ("lab_echo", json!({"txt": "hi"})),
            ("lab_panic", json!({"secret": "x"})),
            ("lab_hasty", json!({"millis": 60_000})),
            ("lab_rehearse", json!({"json": "x"})),
            ("no_such_tool", json!({"text": "hi"})),
        ],
    );
    let endings: Vec<_> = rows.iter().map(ending).collect();
    assert_eq!(
        endings,
        [
            ["lab_echo", "lab.echo", "read", "allowed", "ok"],
            ["lab_count", "lab.count", "write", "allowed", "NOT_FOUND"],
            ["lab_echo", "lab.echo", "read", "allowed", "VALIDATION_ERROR"],
            ["lab_panic", "lab.panic", "read", "allowed", "INTERNAL"],
            ["lab_hasty", "lab.hasty", "write", "allowed", "TIMEOUT"],
            ["lab_rehearse", "lab.clash", "destroy", "allowed", "ok"],
            ["no_such_tool", "-", "-", "hidden", "TOOL_NOT_FOUND"],
        ]
    );
    let first = &rows[0];
    assert_eq!(first["principal"], "local");
    assert_eq!(first["client"], "tests");
    assert_eq!(first["arguments"], json!({"text": "hi \"there\"\n"}));
    assert_eq!(first["bytes_out"], r#"{"text":"hi \"there\"\n"}"#.len());
    assert!(first["micros"].as_u64().is_some_and(|micros| micros > 0), "{first}");
    assert!(rows[4]["micros"].as_u64().is_some_and(|micros| micros >= 100_000), "the timeout");
    // Only valid arguments are recorded.
    assert_eq!(rows[2]["arguments"], Value::Null);
    assert_eq!(rows[6]["arguments"], Value::Null);
    let times: Vec<&str> = rows.iter().map(|row| row["time"].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.iter().all(|time| time.len() == "2026-11-22T03:00:00.000Z".len()), "{times:?}");
}

#[test]
fn a_call_through_execute_is_one_row() {
    let rows = rows_of(
        "meta",
        &[
            ("execute_read", json!({"tool": "lab.echo", "args": {"text": "hi"}})),
            ("execute_write", json!({"tool": "lab_sign_up", "args": {}})),
            ("execute_write", json!({"tool": "lab.echo", "args": {"text": "hi"}})),
            ("execute_read", json!({"tool": "lab.nothing"})),
            ("execute_read", json!({"args": {}})),
            ("search_tools", json!({"query": "wait"})),
            ("search_tools", json!({"querry": "wait"})),
            ("describe_tools", json!({"tools": ["lab.echo"]})),
        ],
    );
    let endings: Vec<_> = rows.iter().map(ending).collect();
    assert_eq!(
        endings,
        [
            ["lab.echo", "lab.echo", "read", "allowed", "ok"],
            ["lab_sign_up", "lab.enrol", "write", "allowed", "VALIDATION_ERROR"],
            ["execute_write", "lab.echo", "read", "allowed", "VALIDATION_ERROR"],
            ["lab.nothing", "-", "-", "hidden", "TOOL_NOT_FOUND"],
            ["execute_read", "-", "-", "allowed", "VALIDATION_ERROR"],
            ["search_tools", "-", "-", "allowed", "ok"],
            ["search_tools", "-", "-", "allowed", "VALIDATION_ERROR"],
            ["describe_tools", "-", "-", "allowed", "ok"],
        ]
    );
    assert!(rows[5]["bytes_out"].as_u64().is_some_and(|bytes| bytes > 20), "{}", rows[5]);

    let rows = rows_of(
        "dispatch",
        &[
            ("lab_read", json!({"operation": "echo", "params": {"text": "hi"}})),
            ("lab_write", json!({"operation": "echo", "params": {"text": "hi"}})),
            ("discover", json!({})),
        ],
    );
    let endings: Vec<_> = rows.iter().map(ending).collect();
    assert_eq!(
        endings,
        [
            ["lab.echo", "lab.echo", "read", "allowed", "ok"],
            ["lab_write", "lab.echo", "read", "allowed", "VALIDATION_ERROR"],
            ["discover", "-", "-", "allowed", "ok"],
        ]
    );
}

#[test]
fn withheld_calls_are_recorded_without_arguments() {
    let vault = vaults::empty();
    let decide = |flags: &[&str]| {
        let data = folder();
        let place = ["--surface", "flat", "--data-dir", data.path().to_str().unwrap()];
        let mut server = Client::vault(vault.path(), &[&place, flags].concat());
        server.call("vault_write", &json!({"path": "A", "content": "secret"}));
        server.close();
        let row = audit_of(program::toolwrit(), data.path(), &[]).pop().unwrap();
        assert_eq!(row["operation"], "vault.write");
        assert_eq!(row["arguments"], Value::Null);
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        [text("role"), text("focus"), text("decision"), text("outcome")]
    };
    assert_eq!(decide(&["--read-only"]), ["owner", "full", "writes_disabled", "WRITES_DISABLED"]);
    assert_eq!(
        decide(&["--focus", "read-only"]),
        ["owner", "read-only", "focus_restricted", "FOCUS_RESTRICTED"]
    );
    assert_eq!(decide(&["--role", "reader"]), ["reader", "full", "hidden", "TOOL_NOT_FOUND"]);
}

#[test]
fn a_cancelled_call_is_recorded() {
    for era in Era::ALL {
        let data = folder();
        let place = ["serve", "--surface", "flat", "--data-dir", data.path().to_str().unwrap()];
        let mut server = Client::connect(lab(), &place, era);
        let id = server.begin_call("lab_count", &json!({"millis": 60_000}));
        until("the call", || count(&mut server) == 1);
        server.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
        }));
        let cancelled = || rows(data.path(), &["--outcome", "CANCELLED"]);
        let rows = found("the row", || Some(cancelled()).filter(|rows| !rows.is_empty()));
        assert_eq!(ending(&rows[0]), ["lab_count", "lab.count", "write", "allowed", "CANCELLED"]);
        assert_eq!(rows[0]["arguments"]["millis"], 60_000, "{era:?}");
    }
}

#[test]
fn every_answered_call_is_recorded_when_the_server_ends() {
    let data = folder();
    let mut server = flat(data.path());
    let ids: Vec<u64> = (0..500)
        .map(|number| server.begin_call("lab_echo", &json!({"text": number.to_string()})))
        .collect();
    for id in ids {
        server.finish_call(id);
    }
    server.close();
    let rows = rows(data.path(), &["--limit", "1000"]);
    let mut texts: Vec<usize> = rows
        .iter()
        .map(|row| row["arguments"]["text"].as_str().unwrap().parse().unwrap())
        .collect();
    texts.sort_unstable();
    assert_eq!(texts, (0..500).collect::<Vec<_>>());
}

#[test]
fn several_servers_share_one_audit() {
    let data = folder();
    let mut servers: Vec<Client> = (0..4).map(|_| flat(data.path())).collect();
    for server in &mut servers {
        for _ in 0..20 {
            server.call("lab_names", &json!({}));
        }
    }
    for server in servers {
        assert_eq!(server.close().0, Some(0));
    }
    assert_eq!(rows(data.path(), &["--limit", "1000"]).len(), 80);
}

#[test]
fn calls_on_the_command_line_are_recorded() {
    let data = folder();
    let output = run(lab(), data.path(), &["call", "lab.echo", "--text", "hi"]);
    assert!(output.status.success());
    let rows = rows(data.path(), &[]);
    assert_eq!(ending(&rows[0]), ["lab.echo", "lab.echo", "read", "allowed", "ok"]);
    assert_eq!((&rows[0]["surface"], &rows[0]["client"]), (&json!("direct"), &Value::Null));
    // Searches and descriptions run no operation.
    assert!(run(lab(), data.path(), &["list"]).status.success());
    assert_eq!(super::rows(data.path(), &[]).len(), 1);
}

/// The texts of the recorded echoes.
fn texts(data: &Path, arguments: &[&str]) -> Vec<String> {
    let rows = rows(data, arguments);
    rows.iter().filter_map(|row| row["arguments"]["text"].as_str()).map(str::to_owned).collect()
}

#[test]
fn the_audit_can_be_filtered() {
    let data = folder();
    let mut server = flat(data.path());
    for text in ["one", "two", "three"] {
        server.call("lab_echo", &json!({"text": text}));
    }
    server.call("lab_count", &json!({"fail": "not_found"}));
    server.close();
    let texts = |arguments: &[&str]| texts(data.path(), arguments);
    assert_eq!(texts(&[]), ["one", "two", "three"]);
    assert_eq!(texts(&["--operation", "lab.echo", "--limit", "2"]), ["two", "three"]);
    assert_eq!(texts(&["--operation", "lab_echo", "--limit", "1"]), ["three"]);
    assert_eq!(texts(&["--outcome", "NOT_FOUND"]), [""; 0]);
    assert_eq!(rows(data.path(), &["--outcome", "NOT_FOUND"]).len(), 1);
    assert_eq!(texts(&["--principal", "local"]).len(), 3);
    assert_eq!(texts(&["--principal", "agnes"]).len(), 0);
    for (since, found) in [("1h", 3), ("7d", 3), ("2000-01-01", 3), ("2999-01-01", 0)] {
        assert_eq!(texts(&["--since", since]).len(), found, "{since}");
    }
    let between = rows(data.path(), &[])[1]["time"].as_str().unwrap().to_owned();
    assert!(texts(&["--since", &between]).len() >= 2);

    for wrong in [["--since", "soon"], ["--outcome", "FINE"], ["--limit", "-1"]] {
        let output = run(lab(), data.path(), &[&["audit"], &wrong[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
    let table = run(lab(), data.path(), &["audit", "--limit", "1"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.starts_with("TIME") && table.contains("NOT_FOUND"), "{table}");
    assert_eq!(table.lines().count(), 2);
}

/// The column OPERATION of the table shows the name of a call that means no operation.
#[test]
fn calls_without_an_operation_are_found_by_their_name() {
    let data = folder();
    let mut server = serve(data.path(), &["--surface", "meta"]);
    server.call("search_tools", &json!({"query": "echo"}));
    server.call("execute_read", &json!({"tool": "lab.echo", "args": {"text": "hi"}}));
    server.close();
    let found = rows(data.path(), &["--operation", "search_tools"]);
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["name"], &found[0]["operation"]), (&json!("search_tools"), &Value::Null));
    assert_eq!(rows(data.path(), &["--operation", "lab.echo"]).len(), 1);
    assert_eq!(rows(data.path(), &["--operation", "execute_read"]).len(), 0);
}

#[test]
fn calls_on_several_vaults_are_told_apart() {
    let (data, home) = (folder(), folder());
    let vault = |name: &str| {
        let vault = home.path().join(name);
        std::fs::create_dir_all(&vault).unwrap();
        vault.display().to_string()
    };
    let (work, diary) = (vault("Work"), vault("Diary"));
    let call = |arguments: &[&str]| {
        let arguments = [&["call", "vault.list"], arguments].concat();
        let output = run(program::toolwrit(), data.path(), &arguments);
        assert!(output.status.success(), "{output:?}");
    };
    let table = || {
        let output = run(program::toolwrit(), data.path(), &["audit"]);
        String::from_utf8(output.stdout).unwrap()
    };
    call(&["--vault", &work]);
    assert!(!table().contains("VAULT"), "one vault needs no column: {}", table());
    call(&["--vault", &diary]);
    let both = [format!("first={work}"), format!("second={diary}")];
    let both = ["--vault", &both[0], "--vault", &both[1]];
    call(&both);
    call(&[&both[..], &["--args", r#"{"vault":"second"}"#]].concat());
    let rows = audit_of(program::toolwrit(), data.path(), &[]);
    let instances: Vec<&str> =
        rows.iter().map(|row| row["instance"].as_str().unwrap_or("-")).collect();
    assert_eq!(instances, ["Work", "Diary", "first", "second"]);
    let table = table();
    assert!(table.lines().next().unwrap().contains("VAULT"), "{table}");
    assert!(table.contains("Diary") && table.contains("second"), "{table}");
}

#[test]
fn without_calls_the_audit_is_empty() {
    let data = folder();
    assert!(rows(data.path(), &[]).is_empty());
    assert!(!file(data.path()).exists(), "looking makes no file");
}

#[test]
fn rows_are_neither_changed_nor_deleted() {
    let data = folder();
    run(lab(), data.path(), &["call", "lab.echo", "--text", "hi"]);
    let database = rusqlite::Connection::open(file(data.path())).unwrap();
    for statement in ["UPDATE audit SET outcome = 'ok'", "DELETE FROM audit"] {
        let error = database.execute(statement, []).unwrap_err();
        assert!(error.to_string().contains("append-only"), "{error}");
    }
    assert_eq!(rows(data.path(), &[]).len(), 1);
}

#[test]
fn only_the_newest_million_rows_are_kept() {
    let data = folder();
    run(lab(), data.path(), &["call", "lab.echo", "--text", "old"]);
    let database = rusqlite::Connection::open(file(data.path())).unwrap();
    // As if a million calls less one had been made since.
    let copy =
        "INSERT INTO audit SELECT 1000000, time, principal, client, surface, name, operation,
        effect, focus, role, decision, outcome, micros, bytes_in, bytes_out, '{\"text\":\"new\"}',
        instance FROM audit WHERE id = 1";
    database.execute(copy, []).unwrap();
    assert_eq!(texts(data.path(), &[]), ["old", "new"]);
    run(lab(), data.path(), &["call", "lab.echo", "--text", "newest"]);
    assert_eq!(texts(data.path(), &[]), ["new", "newest"]);
}

#[cfg(unix)]
#[test]
fn a_stopped_server_writes_its_rows() {
    let data = folder();
    let mut server = flat(data.path());
    server.call("lab_echo", &json!({"text": "hi"}));
    let pid = nix::unistd::Pid::from_raw(i32::try_from(server.pid()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    // Standard input stays open until the server has ended.
    assert_eq!(server.wait(), Some(0));
    let rows = rows(data.path(), &[]);
    assert_eq!(ending(&rows[0]), ["lab_echo", "lab.echo", "read", "allowed", "ok"]);
}
