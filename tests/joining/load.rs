//! Operations join and leave while calls run, on every surface at once.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::waiting::Stop;

use super::{Host, SURFACES, call, program};

const NAMES: [&str; 4] = ["ace", "bob", "cid", "dot"];

/// Checks that a result is that of the called operation.
fn check(name: &str, code: &str, text: &str) -> bool {
    let is_there = code == "ok";
    if is_there {
        assert_eq!(text, format!("plugin.kennel:{name}: {name}"));
    } else {
        assert_eq!(code, "TOOL_NOT_FOUND", "{name}: {text}");
    }
    is_there
}

#[test]
fn calls_over_standard_streams_run_the_right_operation_while_others_join() {
    for surface in SURFACES {
        let mut host = Host::start(surface, &[], Era::Initialize);
        let (mut said, mut missed) = (0, 0);
        for round in 0..40 {
            // The order of the operations differs each time.
            let turn = |at: usize| NAMES[(round + at) % NAMES.len()];
            let mut others = Vec::new();
            let mut plugins = Vec::new();
            let changes = [
                host.begin(
                    "host.install",
                    "write",
                    json!({"names": [turn(0), turn(1)], "effect": "read"}),
                ),
                host.begin("host.remove", "write", json!({"names": [turn(2), turn(3)]})),
            ];
            for at in 0..8 {
                let text = format!("{round} {at}");
                others.push((host.begin("host.echo", "read", json!({ "text": text })), text));
                let name = turn(at);
                let id = format!("plugin.kennel:{name}");
                plugins.push((host.begin(&id, "read", json!({ "text": name })), name));
            }
            for (id, text) in others {
                assert_eq!(host.client.finish_call(id).text(), text);
            }
            for (id, name) in plugins {
                let result = host.client.finish_call(id);
                let is_there = check(name, &result.code(), result.text());
                *(if is_there { &mut said } else { &mut missed }) += 1;
            }
            for id in changes {
                assert_eq!(host.client.finish_call(id).code(), "ok");
            }
        }
        assert!(said > 0 && missed > 0, "{surface}: {said} {missed}");
    }
}

#[test]
fn calls_over_http_run_the_right_operation_while_others_join() {
    let home = Home::new();
    let server = &home.serve(program(), &["--concurrency", "16"]);
    let is_over = &AtomicBool::new(false);
    let run = |surface: &str, id: &str, effect: &str, arguments| {
        let (tool, arguments) = call(surface, id, effect, arguments);
        server.client(&format!("/{surface}")).call(&tool, &arguments)
    };
    thread::scope(|scope| {
        for surface in SURFACES {
            scope.spawn(move || {
                for round in (0usize..).take_while(|_| !is_over.load(SeqCst)) {
                    let text = round.to_string();
                    let echo = run(surface, "host.echo", "read", json!({ "text": text }));
                    assert_eq!(echo.text(), text);
                    let name = NAMES[round % NAMES.len()];
                    let id = format!("plugin.kennel:{name}");
                    let said = run(surface, &id, "read", json!({ "text": name }));
                    check(name, &said.code(), said.text());
                }
            });
        }
        scope.spawn(move || {
            while !is_over.load(SeqCst) {
                let answer = server.get("/tools?query=effect:read", &[]).json();
                let tools = answer["tools"].as_array().unwrap();
                assert!(tools.iter().any(|tool| tool["name"] == "host_echo"));
                let plugins = NAMES.map(|name| format!("plugin_kennel_{name}"));
                let listed = plugins.map(|name| tools.iter().any(|tool| tool["name"] == name));
                // These join and leave together.
                assert_eq!((listed[0], listed[2]), (listed[1], listed[3]), "{listed:?}");
            }
        });
        let _stop = Stop(is_over);
        for round in 0..60 {
            let (new, old) = if round % 2 == 0 { (0, 2) } else { (2, 0) };
            let names = json!({"names": [NAMES[new], NAMES[new + 1]], "effect": "read"});
            assert_eq!(run("flat", "host.install", "write", names).code(), "ok");
            let names = json!({"names": [NAMES[old], NAMES[old + 1]]});
            assert_eq!(run("flat", "host.remove", "write", names).code(), "ok");
        }
    });
}
