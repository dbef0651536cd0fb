//! What passes through between clients of both eras and two servers: one of the Python SDK, of 2026-07-28, and
//! server-everything, which is older. `tests/upstreams/install` installs them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::waiting::until;

use crate::upstreams::{Host, Setup};

/// A limit that is not what ends a call.
const PATIENCE: &str = "timeout = \"10m\"";

/// The two servers, if they are installed.
fn setup() -> Option<Setup> {
    let installed = workspace().join("target/ci/upstreams");
    let everything = installed.join("node_modules/.bin/mcp-server-everything");
    let python = installed.join(".venv/bin/python");
    if !met(&[Need::File(&everything), Need::File(&python)], "tests/upstreams/install") {
        return None;
    }
    let asking = workspace().join("tests/upstreams/asking.py");
    let upstream = |name: &str, program: &Path, argument: &str| {
        let effects = [
            "book",
            "count",
            "wait",
            "cancellations",
            "trigger-long-running-operation",
            "trigger-elicitation-request",
            "simulate-research-query",
        ];
        let effects = effects.map(|tool| format!("{tool} = \"read\"")).join(", ");
        let program = program.display();
        format!(
            "[upstreams.{name}]\ncommand = [\"{program}\", {argument:?}]\neffects = {{ {effects} }}\n{PATIENCE}\n\n"
        )
    };
    let setup = Setup::new("");
    let asking = upstream("asking", &python, asking.to_str().unwrap());
    let everything = upstream("everything", &everything, "stdio");
    fs::write(&setup.config, format!("{asking}{everything}")).unwrap();
    setup.approve("asking");
    setup.approve("everything");
    Some(setup)
}

fn list(host: &mut Host, method: &str, key: &str) -> Vec<Value> {
    host.client.request(method, json!({}))["result"][key].as_array().cloned().unwrap_or_default()
}

#[test]
fn users_answer_the_questions_of_both() {
    let Some(setup) = setup() else { return };
    for era in Era::ALL {
        let mut host = setup.serve("meta", era);
        host.client.content = json!({ "name": "blue" });
        let booked = host.read("asking.book", &json!({ "day": "Monday" }));
        assert!(booked.text().contains("blue on Monday"), "{era:?}: {}", booked.0);
        let asked = host.read("everything.trigger-elicitation-request", &json!({}));
        let expected = if era == Era::Initialize { "Name: blue" } else { "declined" };
        assert!(asked.0.to_string().contains(expected), "{era:?}: {}", asked.0);
    }
}

#[test]
fn a_task_of_server_everything_reports_its_stages_and_asks_the_user() {
    let Some(setup) = setup() else { return };
    for era in Era::ALL {
        let mut host = setup.serve("flat", era);
        host.client.content = json!({ "interpretation": "snake" });
        let arguments = json!({ "topic": "python", "ambiguous": true });
        let call = json!({ "name": "everything_simulate-research-query", "arguments": arguments,
                           "_meta": { "progressToken": "mine" } });
        let answer = host.client.request("tools/call", call)["result"].to_string();
        let expected = if era == Era::Initialize { "snake" } else { "User declined" };
        assert!(answer.contains(&format!("Clarification**: {expected}")), "{era:?}: {answer}");
        let stages =
            host.client.notifications.iter().filter_map(|own| own["params"]["message"].as_str());
        let stages: Vec<&str> = stages.collect();
        assert!(stages.contains(&"Gathering sources..."), "{era:?}: {stages:?}");
    }
}

#[test]
fn progress_and_cancellation_of_both_pass_through() {
    let Some(setup) = setup() else { return };
    for era in Era::ALL {
        let mut host = setup.serve("flat", era);
        let slow = json!({ "duration": 0.2, "steps": 3 });
        for (tool, arguments) in
            [("asking_count", json!({})), ("everything_trigger-long-running-operation", slow)]
        {
            let call =
                json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": tool } });
            host.client.request("tools/call", call);
            let reports = host.client.notifications.iter().map(|own| &own["params"]);
            let done: Vec<f64> = reports
                .filter(|own| own["progressToken"] == tool)
                .map(|own| own["progress"].as_f64().unwrap())
                .collect();
            assert_eq!(done, [1.0, 2.0, 3.0], "{era:?} {tool}");
        }
        let call =
            json!({ "name": "asking_wait", "arguments": {}, "_meta": { "progressToken": "w" } });
        let id = host.client.begin("tools/call", call);
        while host.client.next_message()["params"]["progressToken"] != "w" {}
        let cancel = json!({ "requestId": id });
        host.client.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }),
        );
        until("the cancellation", || {
            host.read("asking.cancellations", &json!({})).0.to_string().contains('1')
        });
    }
}

#[test]
fn resources_and_prompts_of_both_pass_through() {
    let Some(setup) = setup() else { return };
    for era in Era::ALL {
        let mut host = setup.serve("flat", era);
        let has = |host: &mut Host, method: &str, key: &str, upstream: &str| {
            let is_own = |own: &Value| own["name"].as_str().unwrap().starts_with(upstream);
            list(host, method, key).iter().any(is_own)
        };
        for upstream in ["asking_", "everything_"] {
            until("the prompts", || has(&mut host, "prompts/list", "prompts", upstream));
            until("the resources", || has(&mut host, "resources/list", "resources", upstream));
        }
        for (uri, part) in [
            ("rooms://list", "blue, red"),
            ("demo://resource/static/document/architecture.md", "Architecture"),
            ("demo://resource/dynamic/text/7", "Resource 7"),
        ] {
            let read = host.client.request("resources/read", json!({ "uri": uri }));
            let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_default();
            assert!(text.contains(part), "{era:?} {uri}: {read}");
        }
        for (name, arguments, part) in [
            ("asking_tidy", json!({ "room": "red" }), "Tidy the red room."),
            ("everything_args-prompt", json!({ "city": "Oslo" }), "Oslo"),
        ] {
            let got = json!({ "name": name, "arguments": arguments });
            let got = host.client.request("prompts/get", got);
            let text = got["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_default();
            assert!(text.contains(part), "{era:?} {name}: {got}");
        }
    }
}

#[test]
fn the_client_of_the_python_sdk_uses_both() {
    let Some(setup) = setup() else { return };
    let python = workspace().join("target/ci/upstreams/.venv/bin/python");
    let script = workspace().join("tests/upstreams/visiting.py");
    let (config, data) = (setup.config.to_str().unwrap(), setup.folder.path().to_str().unwrap());
    let program = toolwrit().to_str().unwrap();
    let server = [program, "serve", "--surface", "flat", "--config", config, "--data-dir", data];
    for mode in ["legacy", "auto"] {
        let mut command = Command::new(&python);
        let output =
            command.arg(&script).arg(json!(server).to_string()).arg(mode).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        let seen: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{mode}: {errors}"));
        assert_eq!(seen["booked"]["result"], "blue on Monday", "{mode}: {seen}");
        assert_eq!(seen["questions"][0], "asking asks: Which room?", "{mode}: {seen}");
        let asked = if mode == "legacy" { "Name: blue" } else { "declined" };
        assert!(seen["asked"].to_string().contains(asked), "{mode}: {seen}");
        assert_eq!(seen["reports"], json!([1.0, 2.0, 3.0]), "{mode}: {seen}");
        assert_eq!(seen["tidy"], "Tidy the red room.", "{mode}: {seen}");
        assert!(seen["completed"].to_string().contains("Engineering"), "{mode}: {seen}");
        assert_eq!(seen["rooms"], "blue, red", "{mode}: {seen}");
    }
}
