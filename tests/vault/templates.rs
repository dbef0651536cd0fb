//! `plugin.templater.execute`, and the operations of the templates.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::files::replace;
use toolwrit_tests::{program, vaults};

use crate::vault::{Session, until_listed};

const ENABLED: &str = ".obsidian/community-plugins.json";

const MEETING: &str = r#"<%*
const who = await tp.system.prompt("Who comes?");
const room = await tp.system.prompt("In which room?", "Attic");
const mood = await tp.system.suggester(["Calm", "Loud"], ["calm", "loud"], true, "How was it?");
-%>
# <% tp.file.title %> with <% who %>, <% room %>, <% mood %>
"#;

const FILES: [(&str, &[u8]); 8] = [
    (ENABLED, br#"["templater-obsidian"]"#),
    (
        ".obsidian/plugins/templater-obsidian/manifest.json",
        br#"{"id": "templater-obsidian", "version": "2.9.1"}"#,
    ),
    (".obsidian/plugins/templater-obsidian/data.json", br#"{"templates_folder": "Forms"}"#),
    ("Forms/Meeting.md", MEETING.as_bytes()),
    ("Forms/Work/Stand up.md", b"Stand up of {{date:YYYY}}.\n"),
    ("Forms/Broken.md", b"line\n<% 1 + %>"),
    ("Forms/Web.md", b"<% tp.web.daily_quote() %>"),
    ("Forms/Odd.md", b"<% tp.mcpTools.prompt('path') %> <% tp.mcpTools.prompt('two words') %>"),
];

const ANSWERS: &str = "# Start with Ana, Attic, calm\n";

fn run(session: &mut Session, arguments: &Value) -> CallResult {
    session.client.call("plugin_templater_execute", arguments)
}

fn meeting(more: Value) -> Value {
    let mut arguments = json!({"template": "Meeting", "arguments": {"who": "Ana", "mood": "Calm"}});
    let Value::Object(more) = more else { panic!("an object") };
    arguments.as_object_mut().unwrap().extend(more);
    arguments
}

#[test]
fn a_template_creates_a_note_and_a_dry_run_shows_it() {
    let mut vault = Session::with(&FILES);
    let preview = meeting(json!({"path": "Log/Start", "dry_run": true}));
    let shown = run(&mut vault, &preview).ok();
    assert_eq!(
        shown,
        json!({"content": ANSWERS, "path": "Log/Start.md", "outcome": "would_create"})
    );
    assert!(!vault.exists("Log"));

    let create = meeting(json!({"path": "Log/Start"}));
    let made = run(&mut vault, &create).ok();
    assert_eq!((&made["outcome"], &made["path"]), (&json!("created"), &json!("Log/Start.md")));
    assert_eq!(made["etag"], vault.etag("Log/Start.md"));
    assert_eq!(vault.bytes("Log/Start.md"), ANSWERS.as_bytes());

    assert_eq!(run(&mut vault, &preview).ok()["outcome"], "exists");
    assert_eq!(run(&mut vault, &create).code(), "ALREADY_EXISTS");
    let text = run(&mut vault, &meeting(json!({}))).ok();
    assert_eq!(
        text,
        json!({"content": "# Untitled with Ana, Attic, calm\n", "outcome": "not_saved"})
    );
}

#[test]
fn failures_have_codes_and_places_and_write_nothing() {
    let mut vault = Session::with(&FILES);
    for (arguments, code, named) in [
        (json!({"template": "Meeting"}), "VALIDATION_ERROR", "`who` (Who comes?)"),
        (meeting(json!({"arguments": {"whom": "Ana"}})), "VALIDATION_ERROR", "`whom`"),
        (
            meeting(json!({"arguments": {"who": "Ana", "mood": "Wild"}})),
            "VALIDATION_ERROR",
            "Calm, Loud",
        ),
        (json!({"template": "Broken"}), "VALIDATION_ERROR", "Forms/Broken.md:2:8: "),
        (json!({"template": "Web"}), "VALIDATION_ERROR", "`tp.web` is refused"),
        (json!({"template": "../Meeting"}), "INVALID_PATH", ".."),
        (meeting(json!({"path": "../Out"})), "INVALID_PATH", ".."),
        (meeting(json!({"path": ".obsidian/app"})), "INVALID_PATH", ".obsidian"),
    ] {
        let error = run(&mut vault, &arguments).error();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().unwrap().contains(named), "{error}");
    }
    let unknown = run(&mut vault, &json!({"template": "Meting"})).error();
    assert_eq!(
        (&unknown["code"], &unknown["did_you_mean"]),
        (&json!("NOT_FOUND"), &json!(["Meeting"]))
    );
}

#[test]
fn the_older_name_creates_a_file_if_asked_to() {
    let mut vault = Session::with(&FILES);
    let call = |create: &str| json!({"name": "Meeting", "arguments": {"who": "Ana", "mood": "Loud"}, "targetPath": "A.md", "createFile": create});
    vault.client.call("execute_template", &call("false")).ok();
    assert!(!vault.exists("A.md"));
    vault.client.call("execute_template", &call("true")).ok();
    assert_eq!(vault.bytes("A.md"), b"# A with Ana, Attic, loud\n");
}

/// A tool call that runs the operation of a template on a surface.
fn call_of(surface: &str, template: &str, arguments: &Value) -> (&'static str, Value) {
    let id = format!("plugin.templater.execute:{template}");
    match surface {
        "flat" => ("plugin_templater_execute_Meeting", arguments.clone()),
        "dispatch" => (
            "plugin_write",
            json!({"operation": format!("templater.execute:{template}"), "params": arguments}),
        ),
        _ => ("execute_write", json!({"tool": id, "args": arguments})),
    }
}

#[test]
fn each_template_is_an_operation_with_what_it_asks_for_as_parameters() {
    let vault = Session::with(&FILES);
    for surface in ["flat", "dispatch", "meta"] {
        let mut client = Client::vault(vault.folder.path(), &["--surface", surface]);
        let path = format!("{surface}.md");
        let arguments = json!({"who": "Ben", "mood": "Loud", "path": path});
        let (tool, call) = call_of(surface, "Meeting", &arguments);
        let made = client.call(tool, &call).json();
        assert_eq!((&made["path"], &made["outcome"]), (&json!(path), &json!("created")), "{made}");
        let text = format!("# {surface} with Ben, Attic, loud\n");
        assert_eq!(vault.bytes(&path), text.as_bytes());

        for (wrong, place) in [
            (json!({"who": "Ben"}), "/mood"),
            (json!({"who": "Ben", "mood": "Wild"}), "/mood"),
            (json!({"who": 1, "mood": "Calm"}), "/who"),
        ] {
            let (tool, call) = call_of(surface, "Meeting", &wrong);
            let error = client.call(tool, &call).error();
            assert_eq!(
                (&error["code"], &error["path"]),
                (&json!("VALIDATION_ERROR"), &json!(place)),
                "{error}"
            );
        }
    }
}

fn describe(client: &mut Client, names: &[&str]) -> Value {
    client.call("describe_tools", &json!({ "tools": names })).ok()
}

#[test]
fn a_template_is_described_by_its_questions_and_found_by_its_name() {
    let vault = Session::with(&FILES);
    let mut client = Client::vault(vault.folder.path(), &["--surface", "meta"]);
    let id = "plugin.templater.execute:Meeting";
    let tool = describe(&mut client, &[id])["tools"][0].clone();
    assert_eq!(tool["effect"], "write", "{tool}");
    let parameters = &tool["parameters"];
    assert_eq!(parameters["required"], json!(["who", "mood"]));
    assert_eq!(
        parameters["properties"]["who"],
        json!({"type": "string", "description": "Who comes?"})
    );
    assert_eq!(
        parameters["properties"]["room"],
        json!({"type": "string", "description": "In which room?", "default": "Attic"})
    );
    assert_eq!(parameters["properties"]["mood"]["enum"], json!(["Calm", "Loud"]));
    for (query, id) in [
        ("make a note from the template Meeting", id),
        ("fill in my stand up template", "plugin.templater.execute:Work/Stand-up"),
    ] {
        let found = client.call("search_tools", &json!({ "query": query }));
        assert!(found.text().contains(&format!("{id}(")), "{query}: {}", found.text());
    }
    // Arguments named like those of every template have a `_`.
    let odd = json!({"tool": "plugin.templater.execute", "args": {"template": "Odd", "arguments": {"path": "a", "two words": "b"}}});
    assert_eq!(client.call("execute_write", &odd).ok()["content"], "a b");
    fs::write(vault.path("Forms/Odd.md"), "<% tp.mcpTools.prompt('path') %>").unwrap();
    let id = "plugin.templater.execute:Odd";
    let call = json!({"tool": id, "args": {"path_": "own", "path": "Made"}});
    let made = (0..1_000_000).map(|_| client.call("execute_write", &call));
    let made = made.into_iter().find(|made| !made.is_error()).unwrap().json();
    assert_eq!((&made["content"], &made["path"]), (&json!("own"), &json!("Made.md")));
}

#[test]
fn the_command_line_lists_describes_and_runs_templates() {
    let vault = Session::with(&FILES);
    let output = |arguments: &[&str]| {
        let mut command = std::process::Command::new(program::toolwrit());
        let output = command.args(arguments).arg("--vault").arg(vault.folder.path()).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let listed = output(&["list"]);
    assert!(listed.contains("plugin.templater.execute:Meeting"), "{listed}");
    assert!(!listed.contains("plugin.templater.execute:Broken"), "{listed}");
    let called = output(&[
        "call",
        "plugin.templater.execute:Meeting",
        "--args",
        r#"{"who": "Cy", "mood": "Calm", "dry_run": true}"#,
    ]);
    assert!(called.contains("with Cy, Attic, calm"), "{called}");
    let doctor = output(&["doctor", "--json"]);
    for problem in ["Forms/Broken.md:2:8: expected an expression", "`tp.web` is refused"] {
        assert!(doctor.contains(problem), "{problem}: {doctor}");
    }
}

#[test]
fn broken_templates_are_reported_and_the_others_run() {
    let vault = Session::with(&FILES);
    let mut client = Client::vault(vault.folder.path(), &["--surface", "meta"]);
    let templater = describe(&mut client, &["templater"])["plugins"]["templater"].clone();
    assert_eq!(templater["version"], "2.9.1");
    let problems: Vec<&str> = templater["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem.as_str().unwrap())
        .collect();
    assert!(problems[0].starts_with("Forms/Broken.md:2:8: expected an expression"), "{problems:?}");
    assert!(problems[1].starts_with("Forms/Odd.md: `two words` cannot be"), "{problems:?}");
    assert!(problems[2].starts_with("Forms/Web.md:1:4: `tp.web` is refused"), "{problems:?}");
    let operations: Vec<_> = templater["operations"].as_object().unwrap().keys().collect();
    assert_eq!(operations, ["execute", "execute:Meeting", "execute:Web", "execute:Work/Stand-up"]);
    let meeting = &templater["operations"]["execute:Meeting"];
    assert_eq!(meeting["params"]["mood"], "Calm|Loud");
    assert_eq!(meeting["params"]["room?"], "string");
    assert_eq!(meeting["examples"][0]["mood"], "Calm");
}

#[test]
fn templates_and_switches_are_followed_while_the_server_runs() {
    let mut vault = Session::with(&FILES);
    until_listed(&mut vault.client, "plugin_templater_execute_Meeting", true);
    replace(&vault.path("Forms/Diary.md"), "Dear diary");
    until_listed(&mut vault.client, "plugin_templater_execute_Diary", true);
    fs::remove_file(vault.path("Forms/Diary.md")).unwrap();
    until_listed(&mut vault.client, "plugin_templater_execute_Diary", false);
    replace(&vault.path(ENABLED), "[]");
    until_listed(&mut vault.client, "plugin_templater_execute", false);
    let gone = run(&mut vault, &meeting(json!({}))).error();
    assert_eq!(gone["code"], "PROVIDER_UNAVAILABLE", "{gone}");
    assert!(gone["hint"].as_str().unwrap().contains("Switch Templater on"), "{gone}");
    replace(&vault.path(ENABLED), r#"["templater-obsidian"]"#);
    until_listed(&mut vault.client, "plugin_templater_execute_Meeting", true);
}

#[test]
fn the_core_plugin_is_enough_and_a_folder_is_needed() {
    let mut vault = Session::with(&[
        (".obsidian/templates.json", br#"{"folder": "Forms"}"#),
        ("Forms/Plain.md", b"{{title}} of {{date:YYYY}}"),
    ]);
    let made = run(&mut vault, &json!({"template": "Plain", "path": "A", "dry_run": true})).ok();
    assert!(made["content"].as_str().unwrap().starts_with("A of 2"), "{made}");

    let folder = vaults::empty();
    let missing = Session::on(folder, &FILES[..2]);
    let mut client = Client::vault(missing.folder.path(), &["--surface", "meta"]);
    let templater = describe(&mut client, &["templater"])["plugins"]["templater"].clone();
    assert_eq!(templater["reason"], "needs_configuration", "{templater}");
    assert!(templater["remedy"].as_str().unwrap().contains("folder of templates"), "{templater}");
}

#[test]
fn a_server_that_only_reads_runs_no_template() {
    let vault = Session::with(&FILES);
    let mut client = Client::vault(vault.folder.path(), &["--surface", "flat", "--read-only"]);
    assert!(
        client
            .tools()
            .iter()
            .all(|tool| { !tool["name"].as_str().unwrap().starts_with("plugin_templater") })
    );
    let refused = client.call("plugin_templater_execute", &meeting(json!({}))).code();
    assert_eq!(refused, "WRITES_DISABLED");
}
