//! Upstreams that do what they must not, and calls that do not end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwrit_tests::client::Era;

use crate::scripted::{table, tool, write};
use crate::{SURFACES, Setup, until};

const TOOLS: [&str; 9] =
    ["pid", "hang", "hanging", "hidden", "large", "image", "fails", "progress", "unstructured"];

fn setup() -> Setup {
    let setup = Setup::new("");
    let mut tools: Vec<Value> = TOOLS.map(tool).to_vec();
    let number = json!({ "type": "object",
        "properties": { "number": { "type": "integer" }, "nothing": { "type": ["string", "null"] } },
        "required": ["number"] });
    let mut structured = tool("number");
    structured["outputSchema"] = number.clone();
    tools.push(structured);
    tools.iter_mut().find(|own| own["name"] == "unstructured").unwrap()["outputSchema"] = number;
    let mut arguments = tool("arguments");
    arguments["inputSchema"] = json!({ "type": "object", "$defs": { "Size": { "type": "integer", "minimum": 1 } },
        "properties": { "size": { "$ref": "#/$defs/Size" }, "kind": { "anyOf": [{ "const": "a" }, { "const": "b" }] } },
        "required": ["size"], "additionalProperties": false });
    tools.push(arguments);
    let names = tools.iter().map(|tool| format!("{} = \"read\"", tool["name"].as_str().unwrap()));
    let effects = format!("effects = {{ {} }}", names.collect::<Vec<_>>().join(", "));
    let tools = write(setup.folder.path(), &tools);
    std::fs::write(&setup.config, table("one", &tools, &effects)).unwrap();
    setup.approve("one");
    setup
}

#[test]
fn answers_pass_as_content_and_faults_have_codes() {
    let setup = setup();
    for (surface, era) in
        SURFACES.into_iter().zip([Era::Initialize, Era::Stateless, Era::Initialize])
    {
        let mut host = setup.serve(surface, era);
        let image = host.read("one.image", &json!({}));
        assert_eq!(image.0["content"][0]["mimeType"], "image/png", "{surface}: {}", image.0);
        assert_eq!(host.read("one.hidden", &json!({})).text(), "a\\u{200b}b\\u{202e}c");
        let large = host.read("one.large", &json!({}));
        assert!(large.text().contains("[truncated: true, "), "{surface}");
        assert!(large.text().len() < 256 * 1024);
        let number = host.read("one.number", &json!({}));
        assert_eq!(number.json()["number"], 7, "{}", number.0);
        // Three failures in a row do not disable the upstream: they are those of its tools.
        for _ in 0..4 {
            let fails = host.read("one.fails", &json!({}));
            assert_eq!(fails.code(), "UPSTREAM_ERROR", "{}", fails.0);
            assert!(fails.text().contains("the disk is full"));
        }
        assert_eq!(host.read("one.unstructured", &json!({})).code(), "UPSTREAM_ERROR");
        let wrong = host.read("one.arguments", &json!({"size": 0, "kind": "a"}));
        assert_eq!(wrong.code(), "VALIDATION_ERROR", "{}", wrong.0);
        let right = host.read("one.arguments", &json!({"size": 3, "kind": "b"}));
        assert_eq!(right.json(), json!({"size": 3, "kind": "b"}), "{}", right.0);
        host.client.close();
    }
}

#[test]
fn listed_schemas_are_portable() {
    let setup = setup();
    let mut host = setup.serve("flat", Era::Initialize);
    let tools = host.client.tools();
    let listed = tools.iter().find(|own| own["name"] == "one_arguments").unwrap();
    assert_eq!(
        listed["inputSchema"]["properties"]["size"],
        json!({"type": "integer", "minimum": 1})
    );
    let kind = &listed["inputSchema"]["properties"]["kind"];
    assert_eq!(*kind, json!({"type": "string", "enum": ["a", "b"]}));
}

#[test]
fn a_call_ends_at_once_when_its_upstream_is_killed_and_the_next_one_works() {
    let setup = setup();
    let mut host = setup.serve("flat", Era::Initialize);
    for _ in 0..3 {
        let mut pid = String::new();
        until("a call", || {
            let called = host.read("one.pid", &json!({}));
            pid = called.text().to_owned();
            !called.is_error()
        });
        let call = json!({"name": "one_hang", "arguments": {}, "_meta": {"progressToken": "h"}});
        let hanging = host.client.begin("tools/call", call);
        // The upstream has the call.
        while host.client.next_message()["method"] != "notifications/progress" {}
        let begun = Instant::now();
        let pid = nix::unistd::Pid::from_raw(pid.parse().unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
        let ended = host.client.finish_call(hanging);
        assert_eq!(ended.code(), "UPSTREAM_ERROR", "{}", ended.0);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}

#[test]
fn names_that_collide_or_are_too_long_are_not_offered_and_doctor_says_why() {
    let long = "a".repeat(80);
    let setup = Setup::new("");
    let tools = [tool("a.b"), tool("a_b"), tool(&long), tool("fine")];
    let tools = write(setup.folder.path(), &tools);
    std::fs::write(&setup.config, table("one", &tools, "")).unwrap();
    setup.approve("one");
    let mut host = setup.serve("flat", Era::Initialize);
    let listed = host.tools();
    assert!(listed.contains(&"one_fine".to_owned()) && listed.contains(&"one_a_b".to_owned()));
    assert!(!listed.iter().any(|name| name.contains("aaaa")), "{listed:?}");
    let doctor = setup.run(&["doctor", "--json"]);
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("another operation has the name `one_a_b`"), "{doctor}");
    assert!(doctor.contains("more than 60 characters"), "{doctor}");
}

#[test]
fn a_tool_may_destroy_unless_the_operator_says_less() {
    let setup = Setup::new("");
    let mut annotated = tool("claims");
    annotated["annotations"] = json!({ "readOnlyHint": true });
    let tools = write(setup.folder.path(), &[annotated]);
    for (more, effect) in [("", "destroy"), ("trust_annotations = true", "read")] {
        std::fs::write(&setup.config, table("one", &tools, more)).unwrap();
        setup.approve("one");
        let listed = setup.done(&["list", "one", "--json"]);
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["operations"][0]["effect"], effect, "{listed}");
    }
}
