//! `--legacy` lists older names as deprecated tools of the flat surface.

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era};

use crate::surfaces::{lab, serve};

fn names(client: &mut Client) -> Vec<String> {
    let tools = client.tools();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn tool(client: &mut Client, name: &str) -> Value {
    client.tools().into_iter().find(|tool| tool["name"] == name).unwrap()
}

#[test]
fn older_names_are_listed_only_if_asked_for() {
    let current = names(&mut serve(&["--surface", "flat"]));
    assert!(!current.contains(&"lab_forms".to_owned()), "{current:?}");
    let mut legacy = serve(&["--surface", "flat", "--legacy"]);
    let listed = names(&mut legacy);
    assert_eq!(listed[..current.len()], current, "the current tools come first, unchanged");
    let older = [
        "lab_forms",
        "lab_collide",
        "lab_rehearse",
        "lab_move_all",
        "lab_move_one",
        "lab_put_away",
        "lab_sign_up",
        "lab_dispose",
    ];
    assert_eq!(listed[current.len()..], older, "ids such as lab.forms are no names of tools");
    for surface in ["dispatch", "meta"] {
        let other = names(&mut serve(&["--surface", surface, "--legacy"]));
        assert_eq!(other, names(&mut serve(&["--surface", surface])), "{surface}");
    }
}

#[test]
fn their_schemas_have_the_older_arguments() {
    let mut client = serve(&["--surface", "flat", "--legacy"]);
    let listed = tool(&mut client, "lab_forms");
    insta::assert_snapshot!(serde_json::to_string_pretty(&listed).unwrap());
    // What the schema describes can be called.
    let arguments =
        json!({"word": "abc", "size": 3, "hue": "crimson", "across": 1, "down": 2, "mark": 1});
    let properties = listed["inputSchema"]["properties"].as_object().unwrap();
    assert!(arguments.as_object().unwrap().keys().all(|name| properties.contains_key(name)));
    assert_eq!(client.call("lab_forms", &arguments).code(), "ok");
}

#[test]
fn the_schema_of_an_older_list_has_the_older_fields_of_its_items() {
    let mut client = serve(&["--surface", "flat", "--legacy"]);
    let string = json!({"type": "string"});
    let schema = &tool(&mut client, "lab_move_all")["inputSchema"];
    let moves = &schema["properties"]["moves"]["items"];
    assert_eq!(moves["properties"]["target"], string);
    assert_eq!((moves["properties"].get("id"), moves["properties"].get("op")), (None, None));
    assert_eq!(schema["properties"]["drops"], json!({"type": "array", "items": string}));
    assert_eq!(schema["properties"].get("steps"), None, "{schema}");
    let schema = &tool(&mut client, "lab_move_one")["inputSchema"];
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["strict", "how", "tags", "target"]);
}

#[test]
fn the_policy_filters_them() {
    for limit in [
        ["--read-only", "--stdio"],
        ["--exclude", "effect:write,effect:destroy"],
        ["--role", "onlooker"],
    ] {
        let listed = names(&mut serve(&[&["--surface", "flat", "--legacy"], &limit[..]].concat()));
        assert!(listed.contains(&"lab_forms".to_owned()), "{limit:?}: {listed:?}");
        for hidden in ["lab_sign_up", "lab_dispose", "lab_collide"] {
            assert!(!listed.contains(&hidden.to_owned()), "{limit:?}: {listed:?}");
        }
    }
}

#[test]
fn the_configuration_and_the_environment_can_set_it() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("config.toml");
    let path = file.to_str().unwrap();
    let lists = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let flags = ["--config", path, "serve", "--surface", "flat"];
        let listed = names(&mut Client::connect(lab(), &flags, Era::Initialize));
        listed.contains(&"lab_forms".to_owned())
    };
    assert!(lists("legacy = true\n"));
    assert!(!lists("legacy = false\n"));
    assert!(lists("[clients.tests]\nlegacy = true\n"));
    assert!(!lists("legacy = true\n[clients.tests]\nlegacy = false\n"));

    let mut command = std::process::Command::new(lab());
    command.args(["serve", "--print-config"]).env("LAB_LEGACY", "true");
    let printed = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(printed.contains("legacy = true"), "{printed}");
}
