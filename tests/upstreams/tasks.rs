//! Tools that run as tasks only: how the scripted server carries them out, and how they are called.

use serde_json::{Value, json};
use toolwrit_test_servers::mcp::Client;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::waiting::until;

use crate::upstreams::passing::{pairs, setup};
use crate::upstreams::scripted::tool;
use crate::upstreams::{Host, SURFACES};

/// The tasks of the scripted server. Their ids are their positions.
#[derive(Default)]
pub(crate) struct Tasks(Vec<Task>);

struct Task {
    /// What it does when it is nearly done: `finish`, `ask` the user, `continue` or `vanish`.
    then: String,
    /// How often its state was asked for.
    polled: usize,
    is_cancelled: bool,
}

impl Task {
    fn state(&self, at: usize) -> Value {
        let (status, message) = match (self.polled, self.then.as_str()) {
            _ if self.is_cancelled => ("cancelled", "stopped"),
            (0, _) => ("working", "reading\u{200b}"),
            (1, _) | (_, "continue") => ("working", "writing"),
            (_, "ask") => ("input_required", "asking"),
            _ => ("completed", "done"),
        };
        json!({ "taskId": at.to_string(), "status": status, "statusMessage": message, "ttl": 60000,
                "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
                "pollInterval": 1 })
    }
}

impl Tasks {
    /// Begins a task, if the call asks for one.
    pub(crate) fn begin(&mut self, id: &Value, params: &Value, client: &mut Client<'_>) {
        if !params["task"]["ttl"].is_u64() {
            return client.fail(id, -32601, "requires task augmentation");
        }
        let then = params["arguments"]["then"].as_str().unwrap_or("finish").to_owned();
        self.0.push(Task { then, polled: 0, is_cancelled: false });
        let at = self.0.len() - 1;
        client.answer(id, &json!({ "task": self.0[at].state(at) }));
    }

    pub(crate) fn receive(
        &mut self,
        method: &str,
        id: &Value,
        params: &Value,
        client: &mut Client<'_>,
    ) {
        let at: usize = params["taskId"].as_str().unwrap().parse().unwrap();
        let task = &mut self.0[at];
        match method {
            "tasks/get" if task.then == "vanish" => {
                client.fail(id, -32602, "there is no such task");
            }
            "tasks/get" => {
                task.polled += 1;
                client.answer(id, &task.state(at));
            }
            "tasks/cancel" => {
                task.is_cancelled = true;
                client.answer(id, &task.state(at));
            }
            _ => client.answer_text(id, "the tides"),
        }
    }

    /// Whether the task of a request asks the user before its result.
    pub(crate) fn asks(&self, params: &Value) -> bool {
        let at: Option<usize> = params["taskId"].as_str().and_then(|id| id.parse().ok());
        at.is_some_and(|at| self.0[at].then == "ask")
    }

    /// The status of each task.
    pub(crate) fn states(&self) -> Value {
        self.0.iter().enumerate().map(|(at, task)| task.state(at)["status"].clone()).collect()
    }
}

/// The tools: one that runs as a task only, and one that returns the states of all tasks.
fn tools() -> [Value; 2] {
    let mut research = tool("research");
    research["inputSchema"]["properties"] = json!({ "then": { "type": "string" } });
    research["execution"] = json!({ "taskSupport": "required" });
    [research, tool("tasks")]
}

fn research(then: &str) -> Value {
    json!({ "then": then })
}

fn states(host: &mut Host) -> Value {
    host.read("one.tasks", &json!({})).json()
}

#[test]
fn a_tool_that_runs_as_a_task_only_is_called_as_any_other() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &tools(), "");
        for surface in SURFACES {
            let mut host = setup.serve(surface, client);
            let done = host.read("one.research", &research("finish"));
            // Since 2026-07-28 no tool needs a task.
            let expected = if upstream == Era::Initialize { "the tides" } else { "did research" };
            assert_eq!(done.text(), expected, "{client:?} {upstream:?} {surface}");
        }
    }
}

#[test]
fn its_status_messages_are_progress() {
    for client in Era::ALL {
        let setup = setup(Era::Initialize, &tools(), "");
        let mut host = setup.serve("flat", client);
        let call = json!({ "name": "one_research", "arguments": research("finish"),
                           "_meta": { "progressToken": "mine" } });
        host.client.request("tools/call", call);
        let reports = host.client.notifications.iter().map(|own| &own["params"]);
        let said: Vec<&Value> = reports
            .filter(|own| own["progressToken"] == "mine")
            .map(|own| &own["message"])
            .collect();
        assert_eq!(said, ["reading\\u{200b}", "writing", "done"], "{client:?}");
    }
}

#[test]
fn the_user_answers_what_it_asks() {
    for client in Era::ALL {
        let setup = setup(Era::Initialize, &tools(), "");
        let mut host = setup.serve("flat", client);
        let replies = host.read("one.research", &research("ask")).json();
        // A client that answers in rounds cannot be asked while an older upstream waits.
        let reply = if client == Era::Initialize { "accept" } else { "decline" };
        assert_eq!(replies[0]["action"], reply, "{client:?}: {replies}");
    }
}

#[test]
fn its_task_is_cancelled_when_nobody_waits_for_it() {
    let setup = setup(Era::Initialize, &tools(), "timeouts = { research = \"1s\" }");
    let mut host = setup.serve("flat", Era::Initialize);
    // It waits until the upstream runs: the time limit includes the start.
    assert_eq!(states(&mut host), json!([]));
    let late = host.read("one.research", &research("continue"));
    assert_eq!(late.code(), "TIMEOUT", "{}", late.0);
    until("the end of the first", || states(&mut host) == json!(["cancelled"]));
    let call = json!({ "name": "one_research", "arguments": research("continue"),
                       "_meta": { "progressToken": "mine" } });
    let id = host.client.begin("tools/call", call);
    while host.client.next_message()["method"] != "notifications/progress" {}
    host.client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                              "params": { "requestId": id } }));
    until("the end of the second", || states(&mut host) == json!(["cancelled", "cancelled"]));
}

#[test]
fn a_task_that_its_upstream_has_lost_fails() {
    let setup = setup(Era::Initialize, &tools(), "");
    let mut host = setup.serve("flat", Era::Initialize);
    let lost = host.read("one.research", &research("vanish"));
    assert_eq!(lost.code(), "UPSTREAM_ERROR", "{}", lost.0);
    assert!(lost.text().contains("a task that is lost"), "{}", lost.0);
}
