//! `plugin.smart-connections.search`.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::program;
use toolwrit_tests::waiting::{found, until};

use crate::vault::Session;

const ENABLED: &str = ".obsidian/community-plugins.json";

const FILES: [(&str, &[u8]); 6] = [
    (ENABLED, br#"["smart-connections"]"#),
    (
        ".obsidian/plugins/smart-connections/manifest.json",
        br#"{"id": "smart-connections", "version": "3.0.1"}"#,
    ),
    (
        "Kitchen/Bread.md",
        b"A starter needs flour.\n\n# Sourdough\n\n## Baking\n\nPut the dough into a hot oven.\n",
    ),
    ("Work/Trains.md", b"The night express to Vienna leaves from platform two.\n"),
    ("Home/Cats.md", b"Feed the cat twice a day and brush her fur.\n"),
    (
        ".smart-env/multi/Home_Cats_md.ajson",
        b"\"smart_sources:Home/Cats.md\": {\"path\": \"Home/Cats.md\"},\n\"smart_so\n",
    ),
];

const TOOL: &str = "plugin_smart-connections_search";

/// Searches, as soon as the index is built.
fn search(client: &mut Client, tool: &str, arguments: &Value) -> CallResult {
    found("the index", || {
        Some(client.call(tool, arguments)).filter(|answer| answer.code() != "LIMIT_EXCEEDED")
    })
}

fn paths(answer: CallResult) -> Vec<String> {
    let answer = answer.ok();
    crate::vault::paths(&answer["passages"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn passages_are_found_by_meaning() {
    let mut vault = Session::with(&FILES);
    let query = json!({"query": "how do I bake a cake in the stove"});
    let found = search(&mut vault.client, TOOL, &query).ok();
    let best = &found["passages"][0];
    assert_eq!(best["path"], "Kitchen/Bread.md");
    assert_eq!(best["headings"], json!(["Sourdough", "Baking"]));
    assert_eq!(best["excerpt"], "Put the dough into a hot oven.");
    assert!(best["score"].as_f64().unwrap() > 0.3, "{best}");

    let within = json!({"query": "bake a cake", "folders": ["Work", "Home"]});
    assert!(!paths(search(&mut vault.client, TOOL, &within)).contains(&"Kitchen/Bread.md".into()));
    let without = json!({"query": "bake a cake", "exclude_folders": ["Kitchen"]});
    assert!(!paths(search(&mut vault.client, TOOL, &without)).contains(&"Kitchen/Bread.md".into()));
    let outside = json!({"query": "bake a cake", "folders": ["Work", "../Out"]});
    let error = search(&mut vault.client, TOOL, &outside).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("INVALID_PATH"), &json!("/folders/1")));

    fs::write(vault.path("Home/Dogs.md"), "Walk the dog, a loyal pet, every morning.\n").unwrap();
    let pets = json!({"query": "looking after a loyal pet", "limit": 1});
    until("the new note", || paths(vault.client.call(TOOL, &pets)) == ["Home/Dogs.md"]);
}

#[test]
fn older_names_have_a_filter() {
    let mut vault = Session::with(&FILES);
    for name in ["semantic_search", "search_vault_smart"] {
        let query = json!({"query": "pets", "filter": {"folders": ["Home"], "excludeFolders": ["Work"], "limit": 3}});
        assert_eq!(paths(search(&mut vault.client, name, &query)), ["Home/Cats.md"]);
    }
}

#[test]
fn dispatch_meta_and_the_command_line_find_the_same() {
    let vault = Session::with(&FILES);
    let query = json!({"query": "how do I bake a cake in the stove"});
    let dispatched = json!({"operation": "smart-connections.search", "params": query});
    let executed = json!({"tool": "smart-connections.search", "args": query});
    for (surface, tool, call) in
        [("dispatch", "plugin_read", dispatched), ("meta", "execute_read", executed)]
    {
        let mut client = Client::vault(vault.folder.path(), &["--surface", surface]);
        assert_eq!(paths(search(&mut client, tool, &call))[0], "Kitchen/Bread.md", "{surface}");
    }
}

#[test]
fn broken_lines_are_reported_and_survived_and_the_switch_is_followed() {
    let vault = Session::with(&FILES);
    let place = ".smart-env/multi/Home_Cats_md.ajson:2: ";
    let doctor = Command::new(program::toolwrit())
        .args(["doctor", "--json", "--vault"])
        .arg(vault.folder.path())
        .output()
        .unwrap();
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains(place), "{doctor}");

    let mut client = Client::vault(vault.folder.path(), &["--surface", "meta"]);
    let describe = |client: &mut Client| {
        let described =
            client.call("describe_tools", &json!({"tools": ["smart-connections"]})).ok();
        described["plugins"]["smart-connections"].clone()
    };
    let on = describe(&mut client);
    assert_eq!(on["version"], "3.0.1");
    assert!(on["problems"][0].as_str().unwrap().starts_with(place), "{on}");
    assert_eq!(on["operations"]["search"]["params"]["query"], "string");

    fs::write(vault.path(ENABLED), "[]").unwrap();
    let is_off = |own: &Value| own["enabled"] == false;
    let off = found("the switch", || Some(describe(&mut client)).filter(is_off));
    assert_eq!(off["reason"], "disabled");
    let call = json!({"tool": "plugin.smart-connections.search", "args": {"query": "pets"}});
    assert_eq!(client.call("execute_read", &call).code(), "PROVIDER_UNAVAILABLE");
}
