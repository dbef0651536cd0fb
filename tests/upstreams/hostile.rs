//! Upstreams that do what they must not, and calls that do not end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Era, User};
use toolwrit_tests::waiting::until;

use crate::upstreams::scripted::{table, tool, write};
use crate::upstreams::{SURFACES, Setup};

const TOOLS: [&str; 11] = [
    "pid",
    "hang",
    "hanging",
    "hidden",
    "large",
    "image",
    "fails",
    "progress",
    "unstructured",
    "picture",
    "pictured",
];

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
    tools.iter_mut().find(|own| own["name"] == "picture").unwrap()["outputSchema"] =
        json!({ "type": "object", "properties": { "content": { "type": "array" } } });
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
        // Where the list has no output schema, the result is there once.
        assert_eq!(number.0["structuredContent"].is_object(), surface == "flat", "{}", number.0);
        // Three failures in a row do not disable the upstream: they are those of its tools.
        for _ in 0..4 {
            let fails = host.read("one.fails", &json!({}));
            assert_eq!(fails.code(), "UPSTREAM_ERROR", "{}", fails.0);
            assert!(fails.text().contains("the disk is full"));
            assert_eq!(fails.error()["retryable"], false, "{}", fails.0);
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
fn pictures_pass_whole_with_their_texts() {
    let setup = setup();
    for (surface, era) in
        SURFACES.into_iter().zip([Era::Initialize, Era::Stateless, Era::Stateless])
    {
        let mut host = setup.serve(surface, era);
        for tool in ["one.picture", "one.pictured"] {
            let answer = host.read(tool, &json!({})).0;
            let content = &answer["content"];
            assert_eq!(content[0]["text"], "A picture", "{surface} {tool}");
            let data = content[1]["data"].as_str().unwrap();
            assert_eq!(data.len(), 1024 * 1024, "{surface} {tool}");
            assert_eq!(answer["structuredContent"]["content"], *content, "{surface} {tool}");
        }
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
fn descriptions_of_dispatch_name_operations_with_their_parameters() {
    let setup = setup();
    let description = |setup: &Setup, name: &str| {
        let mut host = setup.serve("dispatch", Era::Initialize);
        let tools = host.client.tools();
        let listed = tools.iter().find(|own| own["name"] == name).unwrap();
        listed["description"].as_str().unwrap().to_owned()
    };
    let few = description(&setup, "one_read");
    assert!(few.contains("arguments(size, ..)") && !few.contains("pid("), "{few}");
    let of_many = |names: Vec<String>| {
        let setup = Setup::new("");
        let many: Vec<Value> = names.iter().map(|name| tool(name)).collect();
        let tools = write(setup.folder.path(), &many);
        std::fs::write(&setup.config, table("one", &tools, "")).unwrap();
        setup.approve("one");
        description(&setup, "one_delete")
    };
    let many = of_many((10..35).map(|at| format!("t{at}")).collect());
    assert!(many.contains("t10(..); t11(..)"), "{many}");
    assert!(many.ends_with("t29(..); and 5 more, which discover lists"), "{many}");
    let long = of_many((10..35).map(|at| format!("t{at}{}", "x".repeat(50))).collect());
    assert!((900..1024).contains(&long.len()), "{long}");
    let left_out = 25 - long.matches("x(..)").count();
    assert!(long.ends_with(&format!("and {left_out} more, which discover lists")), "{long}");
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
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}

#[test]
fn names_that_collide_or_are_too_long_are_not_offered_and_doctor_says_why() {
    let long = "a".repeat(80);
    let setup = Setup::new("");
    let mut looks_ahead = tool("ahead");
    looks_ahead["inputSchema"]["properties"]["to"] =
        json!({ "type": "string", "pattern": "^(?!-)", "maxLength": 3 });
    let tools = [tool("a.b"), tool("a_b"), tool(&long), tool("fine"), tool("a b"), looks_ahead];
    let tools = write(setup.folder.path(), &tools);
    let more = "effects = { ahead = \"read\", nothing = \"read\" }";
    std::fs::write(&setup.config, table("one", &tools, more)).unwrap();
    let approved = setup.run(&["upstream", "approve", "one", "--yes"]);
    let approved = String::from_utf8_lossy(&approved.stderr);
    assert!(approved.contains("Approved 6 tools of one"), "{approved}");
    assert_eq!(approved.matches("Not offered: ").count(), 3, "{approved}");
    assert!(approved.contains("or its name has white space"), "{approved}");
    assert!(approved.contains("Nothing says what 2 of them do"), "{approved}");
    let mut host = setup.serve("flat", Era::Initialize);
    let listed = host.tools();
    assert!(listed.contains(&"one_fine".to_owned()) && listed.contains(&"one_a_b".to_owned()));
    assert!(!listed.iter().any(|name| name.contains("aaaa")), "{listed:?}");
    // A pattern that looks ahead is left to the upstream. What else the schema says holds.
    assert_eq!(host.read("one.ahead", &json!({ "to": "-" })).text(), "did ahead");
    assert_eq!(host.read("one.ahead", &json!({ "to": "long" })).code(), "VALIDATION_ERROR");
    let doctor = setup.run(&["doctor", "--json"]);
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("another operation has the name `one_a_b`"), "{doctor}");
    assert!(doctor.contains("more than 60 characters"), "{doctor}");
    assert!(doctor.contains("it has no tools of these names: effects.nothing"), "{doctor}");
    let config = setup.config.to_str().unwrap();
    assert!(doctor.contains(config) && !doctor.contains("no configuration file"), "{doctor}");
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
    std::fs::write(&setup.config, table("one", &tools, "")).unwrap();
    let mut host = setup.serve_for(User::Absent, "flat", Era::Initialize);
    let asked = host.read("one.claims", &json!({}));
    assert_eq!(asked.code(), "CONFIRMATION_REQUIRED", "{}", asked.0);
    assert!(asked.text().contains("because nothing says what it does"), "{}", asked.0);
}
