//! What the operator says about single tools: other names and texts, and arguments that are hidden, fixed or named otherwise.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::waiting::until;

use crate::upstreams::scripted::{table, tool, write};
use crate::upstreams::{SURFACES, Setup};

/// The tool `arguments` answers with its arguments.
fn echo() -> Value {
    let mut tool = tool("arguments");
    tool["inputSchema"] = json!({
        "type": "object",
        "properties": {
            "account": { "type": "string", "description": "Whose." },
            "per_page": { "type": "integer" },
            "q": { "type": "string" },
            "debug": { "type": "boolean" },
            "key": { "type": "string" },
        },
        "required": ["account", "key"],
        "anyOf": [{ "required": ["account"] }, { "required": ["debug"] }],
    });
    tool
}

const CHANGES: &str = "\
[upstreams.one.tools.arguments]
name = \"issues\"
description = \"Our issues. Only those of the team.\"
effect = \"read\"
args.account = { fixed = \"acme\" }
args.key = { fixed = { file = \"secret\" } }
args.per_page = { default = 20 }
args.q = { name = \"query\", description = \"What to find.\", required = true }
args.debug = { hide = true }
";

fn setup(changes: &str, tools: &[Value]) -> Setup {
    let setup = Setup::new("");
    fs::write(setup.folder.path().join("secret"), "tok-hidden-1\n").unwrap();
    let tools = write(setup.folder.path(), tools);
    fs::write(&setup.config, format!("{}{changes}", table("one", &tools, ""))).unwrap();
    setup
}

#[test]
fn a_tool_is_called_as_the_operator_says() {
    let setup = setup(CHANGES, &[echo(), tool("pid")]);
    setup.approve("one");
    for (surface, era) in
        SURFACES.into_iter().zip([Era::Initialize, Era::Stateless, Era::Stateless])
    {
        let mut host = setup.serve(surface, era);
        let all = json!({ "query": "x" });
        let called = host.read("one.issues", &all);
        let sent: Value = serde_json::from_str(called.text()).unwrap();
        let expected = json!({ "q": "x", "account": "acme", "per_page": 20, "key": "***" });
        assert_eq!(sent, expected, "{surface}");
        let given = json!({ "query": "x", "per_page": 3 });
        let sent: Value = serde_json::from_str(host.read("one.issues", &given).text()).unwrap();
        assert_eq!(sent["per_page"], 3);
        for hidden in ["account", "key", "debug", "q"] {
            let given = json!({ "query": "x", hidden: "y" });
            let refused = host.read("one.issues", &given);
            assert_eq!(refused.code(), "VALIDATION_ERROR", "{surface} {hidden}: {}", refused.0);
            let error = refused.error().to_string();
            assert!(!error.contains("acme"), "{error}");
        }
        let missing = host.read("one.issues", &json!({}));
        assert_eq!(missing.error()["path"], "/query", "{}", missing.0);
        // The older name is still known.
        let sent: Value = serde_json::from_str(host.read("one.arguments", &all).text()).unwrap();
        assert_eq!(sent, expected, "{surface}");
    }
}

#[test]
fn what_is_hidden_is_shown_nowhere() {
    let setup = setup(CHANGES, &[echo()]);
    setup.approve("one");
    let mut shown = vec![
        setup.done(&["describe", "one.issues"]),
        setup.done(&["search", "account", "debug"]),
        setup.done(&["list", "--json"]),
    ];
    for format in ["mcp", "openai", "anthropic", "gemini"] {
        shown.push(setup.done(&["export", "--format", format]));
    }
    for surface in SURFACES {
        let mut host = setup.serve(surface, Era::Initialize);
        shown.push(json!(host.client.tools()).to_string());
        shown.push(
            host.client.call("describe_tools", &json!({"tools": ["one.issues"]})).0.to_string(),
        );
        shown.push(host.client.call("search_tools", &json!({"query": "issues"})).0.to_string());
    }
    for text in &shown {
        for hidden in ["account", "acme", "debug", "Whose", "tok-hidden", "\"q\""] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
    }
    assert!(shown[0].contains("Our issues.") && shown[0].contains("query: string"), "{}", shown[0]);
}

#[test]
fn a_renamed_tool_is_held_to_what_was_approved_and_to_the_policy() {
    let setup = setup(CHANGES, &[echo(), tool("change")]);
    setup.approve("one");
    let listed = |flags: &[&str]| setup.done(&[&["list", "--json"], flags].concat());
    assert!(listed(&[]).contains("one.issues"));
    for flags in
        [["--exclude", "one.arguments"], ["--exclude", "one.arg*"], ["--tools", "one.change"]]
    {
        assert!(!listed(&flags).contains("one.issues"), "{flags:?}");
    }
    assert!(listed(&["--tools", "one.arguments"]).contains("one.issues"));
    let mut host = setup.serve("flat", Era::Initialize);
    assert!(host.tools().contains(&"one_issues".to_owned()));
    let mut other = echo();
    other["inputSchema"]["properties"]["more"] = json!({ "type": "string" });
    write(setup.folder.path(), &[other, tool("change")]);
    let id = host.begin("one.change", "delete", &json!({}));
    host.client.finish_call(id);
    until("the removal", || !host.tools().contains(&"one_issues".to_owned()));
    let diff = setup.done(&["upstream", "diff", "one"]);
    assert!(diff.contains("arguments: it has changed; it is not called."), "{diff}");
}

#[test]
fn names_that_others_have_are_refused_at_once() {
    let collide = "[upstreams.one.tools.arguments]\nname = \"pid\"\n";
    let setup = setup(collide, &[echo(), tool("pid")]);
    let before = setup.run(&["upstream", "approve", "one", "--yes"]);
    assert!(before.status.success(), "nothing is known before: {before:?}");
    let refused = setup.run(&["list"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("name: one has a tool `pid`, too"), "{said}");
    for (changes, expected) in [
        (
            "[upstreams.one.tools.a]\nname = \"b\"\n[upstreams.one.tools.b]\nhide = true\n",
            "a.name: `b` is the name of another tool",
        ),
        (
            "[upstreams.one.tools.a]\nname = \"c\"\n[upstreams.one.tools.b]\nname = \"c\"\n",
            "`c` is the name of another tool",
        ),
        (
            "[upstreams.one.tools.a]\nargs.x = { name = \"y\" }\nargs.y = { hide = true }\n",
            "args.x.name: `y` is the name of another argument",
        ),
        (
            "[upstreams.one.tools.a]\nargs.x = { fixed = 1, default = 2 }\n",
            "has both `fixed` and `default`",
        ),
        ("[upstreams.one.tools.a]\nargs.x = { hide = true, name = \"z\" }\n", "is not shown"),
        ("[upstreams.one.tools.a]\nconfirm = false\n", "expected true"),
        ("[upstreams.one.tools.a]\nefect = \"read\"\n", "did you mean `effect`?"),
        (
            "effects = { a = \"read\" }\n[upstreams.one.tools.a]\nname = \"b\"\n",
            "`a` has a table in `tools`; write it there",
        ),
    ] {
        let setup = setup_of(changes);
        let refused = setup.run(&["list"]);
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(3), "{changes}: {said}");
        assert!(said.contains(expected), "{changes}: {said}");
    }
}

fn setup_of(changes: &str) -> Setup {
    setup(changes, &[])
}

/// A default value makes no other call.
#[test]
fn the_cache_and_idempotency_keys_compare_what_is_sent() {
    let changes = "\
[upstreams.one.tools.count]
effect = \"read\"
cache = \"1m\"
args.page = { default = 1 }
[upstreams.one.tools.pid]
effect = \"write\"
args.page = { default = 1 }
";
    let paged = |name: &str| {
        let mut tool = tool(name);
        tool["inputSchema"]["properties"] = json!({ "page": { "type": "integer" } });
        tool
    };
    let setup = setup(changes, &[paged("count"), paged("pid")]);
    setup.approve("one");
    let mut host = setup.serve("flat", Era::Initialize);
    let first = host.read("one.count", &json!({})).text().to_owned();
    assert_eq!(host.read("one.count", &json!({ "page": 1 })).text(), first);
    assert_ne!(host.read("one.count", &json!({ "page": 2 })).text(), first);
    let call = |arguments: &str| -> Value {
        let keyed = ["--idempotency-key", "k", "--json", "--args", arguments];
        let output = setup.run(&[&["call", "one.pid"], &keyed[..]].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let first = call("{}");
    assert_eq!(call("{\"page\": 1}"), first);
    assert_eq!(call("{\"page\": 2}")["error"]["code"], "VALIDATION_ERROR");
}

/// A write of which the operator says so is confirmed, and a hidden tool is none.
#[test]
fn tools_are_confirmed_and_hidden() {
    let changes = "\
[upstreams.one.tools.arguments]
effect = \"write\"
confirm = true
args.account = { default = \"me\" }
args.key = { fixed = \"k\" }
[upstreams.one.tools.pid]
hide = true
";
    let setup = setup(changes, &[echo(), tool("pid")]);
    setup.approve("one");
    let refused = setup.run(&["call", "one.arguments", "--json"]);
    let said: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(said["error"]["code"], "CONFIRMATION_REQUIRED", "{said}");
    assert!(setup.done(&["call", "one.arguments", "--yes"]).contains("account"));
    assert!(!setup.done(&["list"]).contains("one.pid"));
}
