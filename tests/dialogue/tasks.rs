//! Calls that continue as tasks.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};
use toolwrit_tests::waiting::{found, until};

use super::{lab, serve};

/// A 2026-07-28 client with support for tasks and further capabilities.
struct Tasks(Client);

impl Tasks {
    fn connect(surface: &str) -> Self {
        Self(Client::start(lab(), &["serve", "--surface", surface]))
    }

    fn request(&mut self, method: &str, params: &Value, knows_tasks: bool) -> Value {
        let mut capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
        if knows_tasks {
            capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        }
        self.request_as(&capabilities, method, params)
    }

    fn request_as(&mut self, capabilities: &Value, method: &str, params: &Value) -> Value {
        let mut params = params.clone();
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        meta["io.modelcontextprotocol/clientInfo"] = json!({"name": "tests", "version": "1"});
        meta["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
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

    /// Polls until the task is in none of these states.
    fn wait(&mut self, id: &str, not: &[&str]) -> Value {
        found("another state", || {
            let task = self.get(id);
            not.iter().all(|status| task["status"] != *status).then_some(task)
        })
    }

    fn act(&mut self, method: &str, params: &Value) {
        let answer = self.request(method, params, true);
        assert_eq!(answer["result"], json!({"resultType": "complete"}), "{answer}");
    }
}

#[test]
fn every_surface_supports_tasks() {
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
fn a_tools_failure_is_a_result_and_a_servers_is_an_error() {
    let mut client = Tasks::connect("flat");
    let id = client.begin("lab_brew", &json!({"fail": "not_found"}));
    let task = client.wait(&id, &["working"]);
    assert_eq!(task["status"], "completed", "{task}");
    assert_eq!(task["result"]["structuredContent"]["error"]["code"], "NOT_FOUND", "{task}");
    let id = client.begin("lab_brew", &json!({"fail": "panic"}));
    let task = client.wait(&id, &["working"]);
    assert_eq!(task["status"], "failed", "{task}");
    assert!(!task.to_string().contains("the pot broke"), "{task}");
    assert_eq!(task["statusMessage"], task["error"]["message"], "{task}");
    assert_eq!(task["error"]["data"]["error"]["code"], "INTERNAL", "{task}");
    // Invalid arguments fail the call, whenever they are detected.
    let id = client.begin("lab_brew", &json!({"milis": 1}));
    let task = client.wait(&id, &["working"]);
    assert_eq!(task["result"]["structuredContent"]["error"]["code"], "VALIDATION_ERROR");
}

#[test]
fn a_task_reports_its_state_and_can_be_cancelled() {
    let mut client = Tasks::connect("flat");
    let id = client.begin("lab_brew", &json!({"millis": 15_000}));
    until("the work", || client.get(&id)["statusMessage"] == "brewing");
    client.act("tasks/cancel", &json!({"taskId": id}));
    assert_eq!(client.wait(&id, &["working"])["status"], "cancelled");
    // A second cancellation changes nothing.
    client.act("tasks/cancel", &json!({"taskId": id}));
    assert_eq!(client.get(&id)["status"], "cancelled");
}

#[test]
fn a_task_asks_its_questions_one_by_one_or_together() {
    let mut client = Tasks::connect("flat");
    let id = client.begin("lab_greet", &json!({}));
    for (key, content) in [("name", json!({"name": "Ada"})), ("colour", json!({"colour": "red"}))] {
        let task = found("the question", || {
            let task = client.wait(&id, &["working"]);
            task["inputRequests"].get(key).is_some().then_some(task)
        });
        assert_eq!(task["status"], "input_required");
        let responses = json!({key: {"action": "accept", "content": content}});
        client.act("tasks/update", &json!({"taskId": id, "inputResponses": responses}));
    }
    let task = client.wait(&id, &["working", "input_required"]);
    assert_eq!(task["result"]["content"][0]["text"], "Ada likes \"red\".", "{task}");

    let id = client.begin("lab_consult", &json!({}));
    let open = |task: &Value| task["inputRequests"].as_object().map_or(0, serde_json::Map::len);
    until("both questions", || open(&client.get(&id)) == 2);
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
fn clients_without_tasks_wait_or_are_refused() {
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
    // Earlier revisions have no tasks.
    let mut older = serve(User::Absent, Era::Initialize);
    assert_eq!(older.call("lab_toil", &json!({})).ok()["result"], 1);
}

#[test]
fn operations_without_task_never_give_tasks() {
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

/// The answer to one question.
fn reply(key: &str, content: &Value) -> Value {
    json!({ key: {"action": "accept", "content": content} })
}

/// A call of a tool without arguments, with the answers and the state of the previous round.
fn round(tool: &str, before: &Value, replies: &Value) -> Value {
    let state = &before["result"]["requestState"];
    let arguments = json!({});
    json!({"name": tool, "arguments": arguments, "inputResponses": replies, "requestState": state})
}

#[test]
fn a_handler_asks_in_rounds_before_it_begins_the_task() {
    let mut client = Tasks::connect("flat");
    let call = json!({"name": "lab_cast", "arguments": {}});
    let first = client.request("tools/call", &call, true);
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    assert!(first["result"]["inputRequests"].get("metal").is_some(), "{first}");
    assert!(first["result"].get("taskId").is_none(), "{first}");

    // Invalid answers are asked for again, and declining ends the call before there is a task.
    let again = round("lab_cast", &first, &reply("metal", &json!({"metal": 3})));
    assert_eq!(
        client.request("tools/call", &again, true)["result"]["resultType"],
        "input_required"
    );
    let no = round("lab_cast", &first, &json!({"metal": {"action": "decline"}}));
    let ended = client.request("tools/call", &no, true);
    assert_eq!(ended["result"]["structuredContent"]["error"]["code"], "CANCELLED", "{ended}");

    let yes = round("lab_cast", &first, &reply("metal", &json!({"metal": "tin"})));
    let begun = client.request("tools/call", &yes, true);
    assert_eq!(begun["result"]["resultType"], "task", "{begun}");
    assert!(begun["result"].get("requestState").is_none(), "{begun}");
    let id = begun["result"]["taskId"].as_str().unwrap();
    // The task does not repeat the questions of the rounds.
    let task = client.wait(id, &["working"]);
    let open = task["inputRequests"].as_object().unwrap();
    assert_eq!(open.keys().collect::<Vec<_>>(), ["colour"], "{task}");
    let colour = reply("colour", &json!({"colour": "red"}));
    client.act("tasks/update", &json!({"taskId": id, "inputResponses": colour}));
    let task = client.wait(id, &["working", "input_required"]);
    assert_eq!(task["result"]["structuredContent"]["result"], 1, "{task}");
}

#[test]
fn a_confirmation_before_the_task_is_valid_for_one_task() {
    let mut client = Tasks::connect("flat");
    let call = json!({"name": "lab_melt", "arguments": {}});
    let asked = client.request("tools/call", &call, true);
    let yes = round("lab_melt", &asked, &reply("toolwrit/confirm", &json!({})));
    let asked = client.request("tools/call", &yes, true);
    let folders = round("lab_melt", &asked, &json!({"folders": {"roots": []}}));
    let begun = client.request("tools/call", &folders, true);
    assert_eq!(begun["result"]["resultType"], "task", "{begun}");
    let task = client.wait(begun["result"]["taskId"].as_str().unwrap(), &["working"]);
    assert_eq!(task["result"]["structuredContent"]["result"], 1, "{task}");
    let again = client.request("tools/call", &folders, true);
    let error = &again["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "CONFIRMATION_REQUIRED", "{again}");
}

#[test]
fn a_confirmation_token_is_valid_through_rounds_and_task() {
    for mut abilities in [json!({}), json!({"roots": {}})] {
        let has_roots = abilities.get("roots").is_some();
        abilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        let mut client = Tasks::connect("flat");
        let mut call = json!({"name": "lab_melt", "arguments": {}});
        let refused = client.request_as(&abilities, "tools/call", &call);
        let error = &refused["result"]["structuredContent"]["error"];
        call["arguments"]["confirm"] = error["expected"].clone();
        let mut begun = client.request_as(&abilities, "tools/call", &call);
        if has_roots {
            call["requestState"] = begun["result"]["requestState"].clone();
            call["inputResponses"] = json!({"folders": {"roots": []}});
            begun = client.request_as(&abilities, "tools/call", &call);
        }
        assert_eq!(begun["result"]["resultType"], "task", "{begun}");
        let task = client.wait(begun["result"]["taskId"].as_str().unwrap(), &["working"]);
        assert_eq!(task["result"]["structuredContent"]["result"], 1, "{task}");
        let again = client.request_as(&abilities, "tools/call", &call);
        let error = &again["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "CONFIRMATION_REQUIRED", "{again}");
    }
}

#[test]
fn without_task_support_begin_task_does_nothing() {
    let mut stateless = serve(User::Agrees, Era::Stateless);
    assert_eq!(stateless.call("lab_melt", &json!({})).ok()["result"], 1);
    let mut older = serve(User::Agrees, Era::Initialize);
    assert_eq!(older.call("lab_melt", &json!({})).ok()["result"], 1);
    let mut client = Tasks::connect("flat");
    let refused = client.request("tools/call", &json!({"name": "lab_cast"}), false);
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}

#[test]
fn an_idempotency_key_is_valid_through_rounds_and_task() {
    let mut client = Tasks::connect("flat");
    let keyed = |mut call: Value| {
        call["_meta"] = json!({"toolwrit/idempotencyKey": "once"});
        call
    };
    let first = client.request("tools/call", &keyed(json!({"name": "lab_cast"})), true);
    let again = keyed(round("lab_cast", &first, &reply("metal", &json!({"metal": "tin"}))));
    let begun = client.request("tools/call", &again, true);
    let id = begun["result"]["taskId"].as_str().unwrap();
    client.wait(id, &["working"]);
    // The key is in use while the task runs.
    let early = client.request("tools/call", &again, true);
    assert_eq!(early["result"]["structuredContent"]["error"]["code"], "CONFLICT", "{early}");
    let colour = reply("colour", &json!({"colour": "red"}));
    client.act("tasks/update", &json!({"taskId": id, "inputResponses": colour}));
    let task = client.wait(id, &["working", "input_required"]);
    assert_eq!(task["result"]["structuredContent"]["result"], 1, "{task}");
    let late = client.request("tools/call", &again, true);
    assert_eq!(late["result"]["structuredContent"]["result"], 1, "{late}");
}

#[test]
fn a_task_can_be_cancelled_while_it_asks() {
    let mut client = Tasks::connect("flat");
    for _ in 0..20 {
        let id = client.begin("lab_greet", &json!({}));
        client.wait(&id, &["working"]);
        client.act("tasks/cancel", &json!({"taskId": id}));
        assert_eq!(client.wait(&id, &["working"])["status"], "cancelled");
    }
}

#[test]
fn the_number_of_tasks_is_limited() {
    let flags = ["serve", "--surface", "flat", "--timeout", "10m"];
    let mut client = Tasks(Client::start(lab(), &flags));
    let brew = json!({"name": "lab_brew", "arguments": {"millis": 60_000}});
    let mut begun = 0;
    let refused = loop {
        let answer = client.request("tools/call", &brew, true)["result"].take();
        if answer["resultType"] != "task" {
            break answer;
        }
        begun += 1;
        assert!(begun < 1_000, "no task is refused");
    };
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "LIMIT_EXCEEDED", "{refused}");
    assert!(error["retry_after"].is_number() && begun >= 100, "{begun}: {refused}");
}
