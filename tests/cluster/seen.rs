//! What happens in one replica is seen by the others within a second.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwrit_tests::cluster::{Caller, Cluster};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Answer, Server, message};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::files::put;
use toolwrit_tests::waiting::{TIMEOUT, found};

/// How long the others may take.
const SOON: Duration = Duration::from_secs(1);
const ROUNDS: usize = 5;

/// Looks until there is something, which must be soon.
fn soon<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    let seen = found(what, look);
    assert!(begun.elapsed() < SOON, "{what} took {:?}", begun.elapsed());
    seen
}

fn begin(caller: &Caller, tool: &str, arguments: &Value) -> Value {
    let task = caller.call(tool, arguments).0;
    assert_eq!(task["resultType"], "task", "{task}");
    json!({ "taskId": task["taskId"] })
}

fn task(caller: &Caller, id: &Value) -> Value {
    let mut answer = caller.request("tasks/get", id.clone());
    assert!(answer.get("result").is_some(), "{answer}");
    answer["result"].take()
}

#[test]
fn any_replica_answers_for_a_task_and_passes_on_what_clients_say() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let [owner, other, third] = cluster.callers();
    let brew = begin(&owner, "ledger_brew", &json!({"line": "tea", "millis": 1000}));
    assert_eq!(soon("the task", || Some(task(&other, &brew)))["status"], "working");
    found("the end of the task at its replica", || {
        (task(&owner, &brew)["status"] == "completed").then_some(())
    });
    let ended = soon("the end of the task", || {
        Some(task(&other, &brew)).filter(|task| task["status"] != "working")
    });
    assert_eq!(ended["result"]["structuredContent"]["line"], "tea", "{ended}");

    // A question is asked by one replica, seen at another, and answered at a third.
    let sign = begin(&owner, "ledger_countersign", &json!({}));
    let asked = found("the question", || {
        Some(task(&other, &sign)).filter(|task| task["status"] == "input_required")
    });
    assert!(asked["inputRequests"].get("name").is_some(), "{asked}");
    let mut reply = sign.clone();
    reply["inputResponses"] = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    third.request("tasks/update", reply);
    let signed =
        soon("the name", || Some(task(&other, &sign)).filter(|task| task["status"] == "completed"));
    assert_eq!(signed["result"]["structuredContent"]["line"], "Ada", "{signed}");

    let long = begin(&owner, "ledger_brew", &json!({"line": "never", "millis": 15_000}));
    other.request("tasks/cancel", long.clone());
    let cancelled = soon("the cancellation", || {
        Some(task(&third, &long)).filter(|task| task["status"] != "working")
    });
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(cluster.lines(), ["tea", "Ada"]);
}

#[test]
fn a_write_clears_the_cached_answers_of_all_replicas() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let [writer, reader, _] = cluster.callers();
    let total = || reader.call("ledger_total", &json!({})).ok();
    for round in 0..ROUNDS {
        let before =
            found("an answer that is kept", || Some(total()).filter(|before| total() == *before));
        assert_eq!(before["lines"], round);
        writer.call("ledger_append", &json!({"line": round.to_string()})).ok();
        let after = soon("the line", || Some(total()).filter(|now| now["lines"] == round + 1));
        assert!(after["run"].as_i64() > before["run"].as_i64(), "{after}");
    }
}

/// Sends a request whose answer is a stream of events, and receives them.
fn stream(server: &Server, method: &str, params: Value) -> Receiver<Value> {
    let (body, headers) = message(Era::Stateless, method, params);
    let body = body.to_string();
    let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let mut socket = Socket::connect(server);
    socket.write(format!(
        "POST /mcp/flat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{}content-length: {}\r\n\r\n{body}",
        headers.collect::<String>(),
        body.len()
    ));
    assert_eq!(socket.status(), 200);
    let (sender, events) = channel();
    // Until the server ends.
    std::thread::spawn(move || {
        while socket.next_event().is_some_and(|event| sender.send(event).is_ok()) {}
    });
    events
}

#[test]
fn a_subscriber_hears_of_changes_through_another_replica() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let wish = json!({"notifications": {"resourceSubscriptions": ["ledger://lines"]}});
    let events = stream(cluster.server(0), "subscriptions/listen", wish);
    let begun = events.recv_timeout(TIMEOUT).unwrap();
    assert_eq!(begun["method"], "notifications/subscriptions/acknowledged", "{begun}");
    for round in 0..ROUNDS {
        let writer = cluster.caller(1 + round % 2);
        writer.call("ledger_append", &json!({"line": round.to_string()})).ok();
        let news = events.recv_timeout(SOON).unwrap();
        assert_eq!(news["method"], "notifications/resources/updated", "{news}");
        assert_eq!(news["params"]["uri"], "ledger://lines", "{news}");
    }
}

fn post(server: &Server, session: &[(&str, &str)], body: &Value) -> Answer {
    server.post("/flat", session, body.to_string())
}

/// The id of a new session.
fn opened(server: &Server) -> String {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let begun = post(server, &[], &hello);
    assert_eq!(begun.status, 200, "{begun:?}");
    let id = begun.headers["mcp-session-id"].to_str().unwrap().to_owned();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(server, &[("mcp-session-id", &id)], &initialized).status, 202);
    id
}

/// A call in a session.
fn who() -> Value {
    let params = json!({"name": "clerk_who", "arguments": {}});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
}

#[test]
fn another_replica_goes_on_with_a_session_of_one_that_died() {
    let Some(mut cluster) = Cluster::start(&["--sessions", "8"]) else { return };
    let id = opened(cluster.server(0));
    let within = [("mcp-session-id", id.as_str())];
    cluster.kill(0);
    for replica in [1, 2, 1] {
        let answered = soon("the answer", || Some(post(cluster.server(replica), &within, &who())));
        assert_eq!(answered.status, 200, "{answered:?}");
        assert!(answered.body.contains(&cluster.server(replica).child.id().to_string()));
    }
    // An id that nobody has given is still unknown.
    let made_up = [("mcp-session-id", "00000000-0000-4000-8000-000000000000")];
    assert_eq!(post(cluster.server(1), &made_up, &who()).status, 404);
}

#[test]
fn a_session_that_its_client_ends_at_one_replica_has_ended_at_all() {
    let Some(cluster) = Cluster::start(&["--sessions", "8"]) else { return };
    let id = opened(cluster.server(0));
    let within = [("mcp-session-id", id.as_str())];
    let status = |replica: usize| post(cluster.server(replica), &within, &who()).status;
    assert_eq!([0, 1, 2].map(status), [200; 3]);
    let ended = cluster.server(1).without_body("DELETE", "/mcp/flat", &within);
    assert!(ended.status < 300, "{ended:?}");
    for replica in 0..3 {
        soon("the end of the session", || (status(replica) == 404).then_some(()));
    }
}

#[test]
fn a_session_that_another_replica_goes_on_with_has_no_more_calls_than_before() {
    const CALLS: usize = 5;
    let most = CALLS.to_string();
    let Some(mut cluster) = Cluster::start(&["--sessions", "8", "--session-calls", &most]) else {
        return;
    };
    let id = opened(cluster.server(0));
    let call = |replica: usize| {
        let answered = post(cluster.server(replica), &[("mcp-session-id", &id)], &who());
        assert_eq!(answered.status, 200, "{answered:?}");
        answered.body.contains("LIMIT_EXCEEDED")
    };
    assert_eq!([call(0), call(0), call(1)], [false; 3]);
    cluster.kill(0);
    let call = |replica: usize| {
        let answered = post(cluster.server(replica), &[("mcp-session-id", &id)], &who());
        answered.body.contains("LIMIT_EXCEEDED")
    };
    assert_eq!([call(1), call(2), call(1), call(2)], [false, false, true, true]);
}

/// The tools of an upstream that a replica lists.
fn listed(caller: &Caller, upstream: &str) -> usize {
    let listed = caller.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    tools.filter(|tool| tool["name"].as_str().unwrap().starts_with(upstream)).count()
}

#[test]
fn a_replica_that_could_not_learn_what_is_approved_does_not_start() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    cluster.stop(0);
    let folder = cluster.home(0).join(".config/ledger");
    let shelf = format!("[upstreams.shelf]\ncommand = [{:?}]\n", env!("CARGO_BIN_EXE_shelf"));
    put(&folder.join("config.toml"), shelf);
    // Where nobody can write, not even root: a file has the place of the folder.
    put(&folder.join("upstreams"), "");
    let state = cluster.database.url();
    let refused = cluster.command(0, &["serve", "--state", &state]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("/upstreams: "), "{said}");
    assert!(said.contains("let it write to this folder"), "{said}");
}

#[test]
fn tools_that_are_approved_at_one_replica_are_offered_by_all() {
    let Some(mut cluster) = Cluster::start(&[]) else { return };
    for replica in 0..3 {
        cluster.stop(replica);
        let shelf = format!("[upstreams.shelf]\ncommand = [{:?}]\n", env!("CARGO_BIN_EXE_shelf"));
        put(&cluster.home(replica).join(".config/ledger/config.toml"), shelf);
        cluster.begin(replica);
    }
    let callers = cluster.callers();
    assert_eq!(callers.each_ref().map(|caller| listed(caller, "shelf")), [0; 3]);
    let state = cluster.database.url();
    let approve = ["upstream", "--state", &state, "approve", "shelf", "--yes"];
    let approved = cluster.command(0, &approve).output().unwrap();
    assert!(approved.status.success(), "{approved:?}");
    for caller in callers {
        soon("the tools of the upstream", || {
            Some(listed(&caller, "shelf")).filter(|tools| *tools > 0)
        });
    }
}
