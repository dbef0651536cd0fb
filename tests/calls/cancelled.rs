//! Calls that are cancelled, or whose client disconnects.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::{found, until};

use super::serve;

fn cancel(client: &mut Client, id: u64) {
    client.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    }));
}

fn count(client: &mut Client) -> Value {
    client.call("lab_count", &json!({"by": 0})).ok()["result"].take()
}

/// A call has not begun while it asks for confirmation.
#[test]
fn a_call_that_is_cancelled_before_it_begins_does_nothing() {
    let flags = ["serve", "--surface", "flat"];
    let mut client = Client::connect_for(User::Agrees, lab(), &flags, Era::Initialize);
    let id = client.begin_call("lab_scrap", &json!({"what": "it"}));
    let question = client.next_message();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    cancel(&mut client, id);
    let yes = json!({"action": "accept", "content": {}});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": yes}));
    // Send the same call again. It takes the same path, so the first has ended when it is answered.
    assert_eq!(client.call("lab_scrap", &json!({"what": "that"})).ok()["result"], 1);
    assert_eq!(count(&mut client), 1);
}

/// Some of these calls begin before they are cancelled, others do not.
#[test]
fn a_key_gives_one_run_whenever_its_call_is_cancelled() {
    let mut client = serve(&[]);
    for round in 1..=50 {
        let call = json!({
            "name": "lab_jot", "arguments": {},
            "_meta": {"toolwrit/idempotencyKey": format!("round {round}")},
        });
        let id = client.begin("tools/call", call.clone());
        cancel(&mut client, id);
        let again =
            repeated(|| CallResult(client.request("tools/call", call.clone())["result"].take()));
        assert_eq!(again.ok()["result"], round);
        assert_eq!(count(&mut client), round);
    }
}

/// Repeats the call while the first one runs.
fn repeated(mut call: impl FnMut() -> CallResult) -> CallResult {
    found("the end of the first call", || Some(call()).filter(|again| again.code() != "CONFLICT"))
}

#[test]
fn a_call_with_a_key_is_answered_when_its_client_reconnects() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    for (round, era) in (1..).zip(Era::ALL) {
        let key = format!("{era:?}");
        let keyed = server.client("").in_era(era).with("idempotency-key", &key);
        let mut gone = Socket::connect(&server);
        gone.begin_keyed_call(era, "lab_count", &json!({"millis": 200}), &key);
        // It has counted and continues.
        let counted = || server.client("").call("lab_count", &json!({"by": 0})).ok();
        until("the count", || counted()["result"] == round);
        drop(gone);
        let again = repeated(|| keyed.call("lab_count", &json!({"millis": 200})));
        assert_eq!(again.ok()["result"], round, "{era:?}");
        assert_eq!(counted()["result"], round, "{era:?}");
    }
}

/// Before 2026-07-28 a client must cancel with a notification.
#[cfg(unix)]
#[test]
fn before_2026_07_28_a_disconnect_does_not_cancel() {
    for progress in [false, true] {
        let home = Home::new();
        let flags = ["serve", "--http", "127.0.0.1:0", "--surface", "flat"];
        let mut command = home.command(lab(), &flags);
        command.env("TOOLWRIT_LOG", "info");
        let mut server = Server::start(command);
        let mut gone = Socket::connect(&server);
        let call = json!({"millis": 3000, "steps": 3});
        gone.begin_call(Era::Initialize, "lab_wait", &call, progress);
        let tally = || server.client("").call("lab_tally", &json!({})).ok();
        until("the call", || tally()["peak"] == 1);
        drop(gone);
        until("its end", || tally()["running"] == 0);
        let pid = nix::unistd::Pid::from_raw(i32::try_from(server.child.id()).unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
        assert_eq!(server.wait(), Some(0));
        let said = server.end();
        let audit = said.lines().find(|line| line.contains("operation=\"lab.wait\"")).unwrap();
        assert!(audit.contains("outcome=ok"), "{audit}");
    }
}
