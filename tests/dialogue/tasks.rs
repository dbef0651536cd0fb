//! Calls that go on as tasks, and are asked for.

use serde_json::{Value, json};
use toolwrit_tests::client::{Client, Era, User};

use super::{lab, serve};

/// A client of 2026-07-28 that knows tasks, and whatever else it declares.
struct Tasks(Client);

impl Tasks {
    fn connect(surface: &str) -> Self {
        Self(Client::start(lab(), &["serve", "--surface", surface]))
    }

    fn request(&mut self, method: &str, params: &Value, knows_tasks: bool) -> Value {
        let mut params = params.clone();
        let mut capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
        if knows_tasks {
            capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        }
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        self.0.request(method, params)
    }

    /// Begins a task and returns its id.
    fn begin(&mut self, tool: &str, arguments: &Value) -> String {
        let call = json!({"name": tool, "arguments": arguments});
        let answer = self.request("tools/call", &call, true);
        assert_eq!(answer["result"]["resultType"], "task", "{answer}");
        answer["result"]["taskId"].as_str().unwrap().to_owned()
    }

    fn get(&mut self, id: &str) -> Value {
        let answer = self.request("tasks/get", &json!({"taskId": id}), true);
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Asks until the task is in another state than these.
    fn wait(&mut self, id: &str, not: &[&str]) -> Value {
        loop {
            let task = self.get(id);
            if not.iter().all(|status| task["status"] != *status) {
                return task;
            }
        }
    }

    fn act(&mut self, method: &str, params: &Value) {
        let answer = self.request(method, params, true);
        assert_eq!(answer["result"], json!({"resultType": "complete"}), "{answer}");
    }
}

#[test]
fn every_surface_gives_tasks() {
    for (surface, tool, arguments) in [
        ("flat", "lab_brew", json!({})),
        ("dispatch", "lab_write", json!({"operation": "brew"})),
        ("meta", "execute_write", json!({"tool": "lab.brew", "args": {}})),
    ] {
        let mut client = Tasks::connect(surface);
        let id = client.begin(tool, &arguments);
        let task = client.wait(&id, &["working"]);
        assert_eq!(task["status"], "completed", "{surface}: {task}");
        assert!(task["result"]["content"][0]["text"].as_str().unwrap().contains('1'), "{task}");
    }
}

#[test]
fn a_failure_of_the_tool_is_a_result_and_one_of_the_server_is_not() {
    let mut client = Tasks::connect("flat");
    let id = client.begin("lab_brew", &json!({"fail": "not_found"}));
    let task = client.wait(&id, &["working"]);
    assert_eq!(task["status"], "completed", "{task}");
    assert_eq!(task["result"]["structuredContent"]["error"]["code"], "NOT_FOUND", "{task}");
    let id = client.begin("lab_brew", &json!({"fail": "panic"}));
    let task = client.wait(&id, &["working"]);
    assert_eq!(task["status"], "failed", "{task}");
    assert!(!task.to_string().contains("the pot broke"), "{task}");
    // Arguments that do not fit are a failure of the call, whenever it is found out.
    let id = client.begin("lab_brew", &json!({"milis": 1}));
    let task = client.wait(&id, &["working"]);
    assert_eq!(task["result"]["structuredContent"]["error"]["code"], "VALIDATION_ERROR");
}

#[test]
fn a_task_says_what_it_does_and_is_cancelled() {
    let mut client = Tasks::connect("flat");
    let id = client.begin("lab_brew", &json!({"millis": 15_000}));
    while client.get(&id)["statusMessage"] != "brewing" {}
    client.act("tasks/cancel", &json!({"taskId": id}));
    assert_eq!(client.wait(&id, &["working"])["status"], "cancelled");
    // Again, and it is still so.
    client.act("tasks/cancel", &json!({"taskId": id}));
    assert_eq!(client.get(&id)["status"], "cancelled");
}

#[test]
fn a_task_asks_its_questions_one_by_one_or_together() {
    let mut client = Tasks::connect("flat");
    let id = client.begin("lab_greet", &json!({}));
    for (key, content) in [("name", json!({"name": "Ada"})), ("colour", json!({"colour": "red"}))] {
        let task = loop {
            let task = client.wait(&id, &["working"]);
            if task["inputRequests"].get(key).is_some() {
                break task;
            }
        };
        assert_eq!(task["status"], "input_required");
        let responses = json!({key: {"action": "accept", "content": content}});
        client.act("tasks/update", &json!({"taskId": id, "inputResponses": responses}));
    }
    let task = client.wait(&id, &["working", "input_required"]);
    assert_eq!(task["result"]["content"][0]["text"], "Ada likes \"red\".", "{task}");

    let id = client.begin("lab_consult", &json!({}));
    let open = |task: &Value| task["inputRequests"].as_object().map_or(0, serde_json::Map::len);
    while open(&client.get(&id)) < 2 {}
    let roots = json!({"folders": {"roots": []}});
    client.act("tasks/update", &json!({"taskId": id, "inputResponses": roots}));
    assert_eq!(open(&client.get(&id)), 1);
    let capital = json!({"capital": {"role": "assistant", "model": "m",
        "content": {"type": "text", "text": "Paris"}}});
    client.act("tasks/update", &json!({"taskId": id, "inputResponses": capital}));
    let task = client.wait(&id, &["working", "input_required"]);
    assert_eq!(task["result"]["content"][0]["text"], "Paris, 0", "{task}");
}

#[test]
fn whoever_does_not_know_tasks_waits_or_is_told() {
    let mut client = Tasks::connect("flat");
    let call = |tool| json!({"name": tool, "arguments": {}});
    let done = client.request("tools/call", &call("lab_brew"), false);
    assert_eq!(done["result"]["structuredContent"]["result"], 1, "{done}");
    let refused = client.request("tools/call", &call("lab_toil"), false);
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let wanted = &refused["error"]["data"]["requiredCapabilities"]["extensions"];
    assert_eq!(*wanted, json!({"io.modelcontextprotocol/tasks": {}}), "{refused}");
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = client.request(method, &json!({"taskId": "x"}), false);
        assert_eq!(refused["error"]["code"], -32021, "{refused}");
        let unknown = client.request(method, &json!({"taskId": "x"}), true);
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
    // The older era has no tasks to know.
    let mut older = serve(User::Absent, Era::Initialize);
    assert_eq!(older.call("lab_toil", &json!({})).ok()["result"], 1);
}

#[test]
fn operations_without_tasks_and_servers_without_them_have_none() {
    let mut client = Tasks::connect("flat");
    let call = json!({"name": "lab_echo", "arguments": {"text": "here"}});
    let answer = client.request("tools/call", &call, true);
    assert_eq!(answer["result"]["structuredContent"]["text"], "here", "{answer}");
    let offered = client.request("server/discover", &json!({}), true);
    let extensions = &offered["result"]["capabilities"]["extensions"];
    assert_eq!(*extensions, json!({"io.modelcontextprotocol/tasks": {}}), "{offered}");

    let vault = toolwrit_tests::vaults::empty();
    let mut client = Client::vault(vault.path(), &[]);
    let answer = client.request("tasks/get", json!({"taskId": "x"}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[test]
fn there_are_only_so_many_tasks() {
    let mut client = Tasks::connect("flat");
    let brew = json!({"name": "lab_brew", "arguments": {"millis": 15_000}});
    let mut begun = 0;
    let refused = loop {
        let answer = client.request("tools/call", &brew, true)["result"].take();
        if answer["resultType"] != "task" {
            break answer;
        }
        begun += 1;
    };
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "LIMIT_EXCEEDED", "{refused}");
    assert!(error["retry_after"].is_number() && begun >= 100, "{begun}: {refused}");
}
