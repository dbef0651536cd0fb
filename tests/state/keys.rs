//! A call with an idempotency key runs once.

use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::waiting::found;

use super::{begin_keyed, count, file, flat, folder, keyed, lab, run, serve};

#[test]
fn a_repeat_gets_the_first_answer_also_from_another_process() {
    let data = folder();
    let mut server = flat(data.path());
    assert_eq!(keyed(&mut server, "lab_count", &json!({}), "k").ok()["result"], 1);
    assert_eq!(keyed(&mut server, "lab_count", &json!({}), "k").ok()["result"], 1);
    // The same call in another form: a default is written out.
    assert_eq!(keyed(&mut server, "lab_count", &json!({"by": 1}), "k").ok()["result"], 1);
    assert_eq!(keyed(&mut server, "lab_count", &json!({}), "other").ok()["result"], 2);
    assert_eq!(count(&mut server), 2);
    server.close();

    let mut server = flat(data.path());
    assert_eq!(keyed(&mut server, "lab_count", &json!({}), "other").ok()["result"], 2);
    assert_eq!(count(&mut server), 0);
    let again = ["call", "lab.count", "--idempotency-key", "other"];
    assert_eq!(run(lab(), data.path(), &again).stdout, b"2\n");
}

#[test]
fn every_surface_accepts_keys() {
    let data = folder();
    for (surface, tool, arguments) in [
        ("meta", "execute_write", json!({"tool": "lab.count", "args": {}})),
        ("dispatch", "lab_write", json!({"operation": "count"})),
    ] {
        let mut server = serve(data.path(), &["--surface", surface]);
        let first = keyed(&mut server, tool, &arguments, "k").text().to_owned();
        assert_eq!(keyed(&mut server, tool, &arguments, "k").text(), first);
        // The key is bound to the operation, not to the tool.
        assert_eq!(first, "1");
    }
}

#[test]
fn a_failure_is_repeated_unless_it_is_retryable() {
    let data = folder();
    let mut server = flat(data.path());
    let lasting = json!({"fail": "not_found"});
    let first = keyed(&mut server, "lab_count", &lasting, "k").error();
    assert_eq!(first["message"], "Not at 1.");
    assert_eq!(keyed(&mut server, "lab_count", &lasting, "k").error(), first);
    let passing = json!({"fail": "upstream"});
    for expected in ["Not at 2.", "Not at 3."] {
        let error = keyed(&mut server, "lab_count", &passing, "l").error();
        assert_eq!(error["message"], expected);
    }
}

#[test]
fn a_key_is_bound_to_one_call() {
    let data = folder();
    let mut server = flat(data.path());
    keyed(&mut server, "lab_count", &json!({}), "k").ok();
    for (tool, arguments) in [("lab_count", json!({"by": 2})), ("lab_assign", json!({}))] {
        let error = keyed(&mut server, tool, &arguments, "k").error();
        assert_eq!(error["code"], "VALIDATION_ERROR");
        assert_eq!(error["path"], "/_meta/toolwrit~1idempotencyKey");
        assert!(error["message"].as_str().unwrap().contains("another call"), "{error}");
    }
    assert_eq!(count(&mut server), 1);
}

#[test]
fn a_key_of_one_vault_is_refused_in_another() {
    let data = folder();
    let [first, second] = [folder(), folder()];
    let write = |vault: &TempDir| {
        let vault = vault.path().to_str().unwrap();
        let call =
            ["call", "vault.write", "--path", "X", "--content", "text", "--idempotency-key", "k"];
        run(toolwrit(), data.path(), &[&call[..], &["--vault", vault]].concat())
    };
    assert!(write(&first).status.success());
    assert!(write(&first).status.success());
    let refused = write(&second);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("belongs to another call"));
    assert!(!refused.status.success());
    assert!(!second.path().join("X.md").exists());
}

#[test]
fn an_invalid_key_is_refused() {
    let data = folder();
    let mut server = flat(data.path());
    for key in [json!(""), json!("x".repeat(201)), json!(7), json!(null), json!(["k"])] {
        let id = begin_keyed(&mut server, "lab_count", &json!({}), &key);
        let error = server.finish_call(id).error();
        assert_eq!(error["code"], "VALIDATION_ERROR", "{key}");
        assert_eq!(error["path"], "/_meta/toolwrit~1idempotencyKey");
    }
    assert_eq!(count(&mut server), 0);
    let longest = "é".repeat(200);
    assert_eq!(keyed(&mut server, "lab_count", &json!({}), &longest).ok()["result"], 1);
}

#[test]
fn reads_ignore_the_key() {
    let data = folder();
    let mut server = flat(data.path());
    for text in ["one", "two"] {
        let echo = keyed(&mut server, "lab_echo", &json!({"text": text}), "k").ok();
        assert_eq!(echo["text"], text);
    }
}

#[test]
fn repeats_at_the_same_time_run_the_handler_once() {
    let data = folder();
    let mut server = flat(data.path());
    let arguments = json!({"millis": 50});
    let ids: Vec<u64> =
        (0..32).map(|_| begin_keyed(&mut server, "lab_count", &arguments, &"k".into())).collect();
    let mut answered = 0;
    for id in ids {
        let result = server.finish_call(id);
        if result.is_error() {
            let error = result.error();
            assert_eq!(error["code"], "CONFLICT", "{error}");
            assert_eq!(error["retryable"], true);
            assert!(error["retry_after"].as_f64().is_some_and(|seconds| seconds > 0.0));
        } else {
            assert_eq!(result.ok()["result"], 1);
            answered += 1;
        }
    }
    assert!(answered >= 1);
    assert_eq!(keyed(&mut server, "lab_count", &arguments, "k").ok()["result"], 1);
    assert_eq!(count(&mut server), 1);

    // Another call with the key of a running one.
    let id = begin_keyed(&mut server, "lab_count", &arguments, &"l".into());
    running(&mut server);
    let error = keyed(&mut server, "lab_count", &json!({"millis": 51}), "l").error();
    assert_eq!(error["code"], "VALIDATION_ERROR");
    assert_eq!(server.finish_call(id).ok()["result"], 2);
}

/// Waits until a counting handler reports that it has counted.
fn running(server: &mut Client) {
    while server.next_message()["method"] != "notifications/progress" {}
}

#[test]
fn after_a_crash_the_repeat_is_a_conflict() {
    let data = folder();
    let arguments = json!({"millis": 60_000});
    for tool in ["lab_count", "lab_assign"] {
        let mut server = flat(data.path());
        begin_keyed(&mut server, tool, &arguments, &tool.into());
        running(&mut server);
        server.kill();
    }
    let mut server = flat(data.path());
    for _ in 0..2 {
        let error = keyed(&mut server, "lab_count", &arguments, "lab_count").error();
        assert_eq!(error["code"], "CONFLICT");
        assert_eq!(error["retryable"], false);
        assert!(error["message"].as_str().unwrap().contains("unknown whether"), "{error}");
        assert!(error["hint"].as_str().unwrap().contains("lab.count"), "{error}");
    }
    assert_eq!(count(&mut server), 0);
    // An idempotent operation runs again.
    begin_keyed(&mut server, "lab_assign", &arguments, &"lab_assign".into());
    running(&mut server);
    assert_eq!(count(&mut server), 1);
}

#[test]
fn an_answer_that_was_given_survives_a_crash() {
    let data = folder();
    for round in 0..5 {
        let key = format!("round {round}");
        let mut server = flat(data.path());
        assert_eq!(keyed(&mut server, "lab_count", &json!({}), &key).ok()["result"], 1);
        server.kill();
        let mut server = flat(data.path());
        assert_eq!(keyed(&mut server, "lab_count", &json!({}), &key).ok()["result"], 1);
        assert_eq!(count(&mut server), 0);
    }
}

#[test]
fn a_key_expires_after_a_day() {
    let data = folder();
    let mut server = flat(data.path());
    keyed(&mut server, "lab_count", &json!({}), "k").ok();
    let age = |hours: i64| {
        let database = rusqlite::Connection::open(file(data.path())).unwrap();
        let older = "UPDATE idempotency SET started = started - ?1";
        database.execute(older, [hours * 3_600_000]).unwrap();
    };
    age(23);
    assert_eq!(keyed(&mut server, "lab_count", &json!({}), "k").ok()["result"], 1);
    age(2);
    assert_eq!(keyed(&mut server, "lab_count", &json!({}), "k").ok()["result"], 2);
}

#[test]
fn a_call_cancelled_after_it_began_is_still_answered() {
    let data = folder();
    let mut server = flat(data.path());
    let arguments = json!({"millis": 100});
    let id = begin_keyed(&mut server, "lab_count", &arguments, &"k".into());
    running(&mut server);
    server.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    }));
    let again = found("the end of the first call", || {
        let again = keyed(&mut server, "lab_count", &arguments, "k");
        Some(again).filter(|again| again.code() != "CONFLICT")
    });
    assert_eq!(again.ok()["result"], 1);
    assert_eq!(count(&mut server), 1);
}
