//! Several vaults in one server: each call selects one, under a policy of its own.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{Client, Era, User};
use toolwrit_tests::files::put;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

/// Vaults with a note of the same name, and the configuration that serves them.
struct Several {
    folder: TempDir,
}

impl Several {
    fn new(tables: &str) -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["work", "home", "board"] {
            put(&folder.path().join(name).join("Same.md"), format!("of {name}\n"));
            fs::create_dir(folder.path().join(name).join(".obsidian")).unwrap();
        }
        let several = Self { folder };
        fs::write(several.configuration(), tables).unwrap();
        several
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("config.toml")
    }

    fn vault(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn connect(&self, flags: &[&str]) -> Client {
        let config = self.configuration();
        let flags = [&["serve", "--config", config.to_str().unwrap()], flags].concat();
        Client::connect_for(User::Absent, toolwrit(), &flags, Era::Initialize)
    }
}

const TABLES: &str = r#"
[vaults.work]
path = "work"

[vaults.home]
path = "home"
read_only = true

[vaults.board]
path = "board"
roles = ["editor"]
"#;

fn read(client: &mut Client, vault: Option<&str>) -> Value {
    let mut arguments = json!({"path": "Same"});
    if let Some(vault) = vault {
        arguments["vault"] = vault.into();
    }
    client.call("vault_read", &arguments).ok()
}

#[test]
fn a_call_selects_a_vault_and_its_result_names_it() {
    let several = Several::new(TABLES);
    let mut client = several.connect(&["--surface", "flat"]);
    for (vault, name) in [(None, "work"), (Some("work"), "work"), (Some("home"), "home")] {
        let note = read(&mut client, vault);
        assert_eq!(
            (&note["content"], &note["vault"]),
            (&json!(format!("of {name}\n")), &json!(name))
        );
    }
    let written = json!({"path": "New", "content": "x", "vault": "work"});
    let undo = client.call("vault_write", &written).ok()["undo"].clone();
    assert!(several.vault("work").join("New.md").exists());
    assert!(!several.vault("home").join("New.md").exists());
    client.call("vault_undo", &json!({"id": undo})).ok();
    assert!(!several.vault("work").join("New.md").exists());
    let batch = json!({"calls": [
        {"tool": "vault.read", "args": {"path": "Same"}},
        {"tool": "vault.read", "args": {"path": "Same", "vault": "home"}},
    ]});
    let results = client.call("system_batch_get", &batch).ok()["results"].clone();
    assert_eq!(results[0]["result"]["content"], "of work\n");
    assert_eq!(results[1]["result"]["content"], "of home\n");
}

#[test]
fn every_surface_has_the_parameter_only_with_several_vaults() {
    let several = Several::new(TABLES);
    for (surface, tool, arguments) in [
        ("flat", "vault_read", json!({"path": "Same", "vault": "home"})),
        ("dispatch", "vault", json!({"operation": "read", "path": "Same", "vault": "home"})),
        (
            "meta",
            "execute",
            json!({"tool": "vault.read", "args": {"path": "Same", "vault": "home"}}),
        ),
    ] {
        let mut client = several.connect(&["--surface", surface]);
        let answer = client.call(tool, &arguments).ok();
        assert!(answer.to_string().contains("of home"), "{surface}: {answer}");
        let listed = json!(client.tools()).to_string();
        assert_eq!(listed.contains(r#""vault":{"type":"string""#), surface == "flat", "{surface}");
        let alone = several.vault("work");
        let mut client = Client::vault(&alone, &["--surface", surface]);
        let listed = json!(client.tools()).to_string();
        assert!(!listed.contains(r#""vault":{"type":"string""#), "{surface}");
        assert_eq!(client.call(tool, &arguments).code(), "VALIDATION_ERROR", "{surface}");
    }
    let mut client = several.connect(&["--surface", "meta"]);
    let described =
        client.call("describe_tools", &json!({"tools": ["vault.read"]})).ok().to_string();
    assert!(described.contains("vault?: string"), "{described}");
}

#[test]
fn the_policy_of_a_vault_only_takes_away() {
    let several = Several::new(&format!(
        "{TABLES}\n[vaults.narrow]\npath = \"narrow\"\nfocus = \"read-only\"\n"
    ));
    fs::create_dir(several.vault("narrow")).unwrap();
    let mut client = several.connect(&["--surface", "flat"]);
    let write = |vault: &str| json!({"path": "New", "content": "x", "vault": vault});
    let refused = client.call("vault_write", &write("home")).error();
    assert_eq!(refused["code"], "WRITES_DISABLED");
    assert!(refused["hint"].as_str().unwrap().contains("`work`"), "{refused}");
    assert_eq!(client.call("vault_write", &write("narrow")).code(), "FOCUS_RESTRICTED");
    let delete = json!({"path": "Same", "vault": "home", "dry_run": true});
    assert_eq!(client.call("vault_delete", &delete).code(), "WRITES_DISABLED");
    client.call("vault_write", &write("work")).ok();
    // What no vault allows is withheld as a whole.
    let only = Several::new("[vaults.home]\npath = \"home\"\nread_only = true\n");
    let mut client = only.connect(&["--surface", "flat"]);
    assert!(!client.tools().iter().any(|tool| tool["name"] == "vault_write"));
    assert_eq!(
        client.call("vault_write", &json!({"path": "N", "content": "x"})).code(),
        "WRITES_DISABLED"
    );
    // Nothing but the operator's own switch lets a vault be written.
    let mut client = several.connect(&["--surface", "flat", "--read-only"]);
    assert_eq!(client.call("vault_write", &write("work")).code(), "WRITES_DISABLED");
}

#[test]
fn a_vault_of_other_roles_does_not_exist() {
    let several = Several::new(TABLES);
    let mut owner = several.connect(&["--surface", "flat"]);
    let unknown = |client: &mut Client, vault: &str| {
        let mut error = client.call("vault_read", &json!({"path": "Same", "vault": vault})).error();
        assert_eq!(error["code"], "NOT_FOUND");
        assert_eq!(error["expected"], "work|home");
        error["message"] = error["message"].as_str().unwrap().replace(vault, "").into();
        error["got"].take();
        error
    };
    let (hidden, missing) = (unknown(&mut owner, "board"), unknown(&mut owner, "bored"));
    assert_eq!(hidden["did_you_mean"], missing["did_you_mean"]);
    assert_eq!(hidden, missing);
    let listed = json!(owner.tools()).to_string();
    assert!(listed.contains("`home`") && !listed.contains("board"), "{listed}");
    let facts = owner.call("system_introspect", &json!({})).ok();
    assert_eq!(
        facts["instances"],
        json!([{"name": "work", "writes": true}, {"name": "home", "writes": false}])
    );
    let mut editor = several.connect(&["--surface", "flat", "--role", "editor"]);
    assert_eq!(read(&mut editor, Some("board"))["content"], "of board\n");
}

#[test]
fn a_confirmation_and_a_key_are_for_one_vault() {
    let several = Several::new("[vaults.work]\npath = \"work\"\n[vaults.home]\npath = \"home\"\n");
    let mut client = several.connect(&["--surface", "flat"]);
    let delete = |vault: &str| json!({"path": "Same", "vault": vault});
    let asked = client.call("vault_delete", &delete("work")).error();
    assert_eq!(asked["code"], "CONFIRMATION_REQUIRED", "{asked}");
    let confirmed = asked["example"].clone();
    assert_eq!(confirmed["vault"], "work", "{asked}");
    let mut other = confirmed.clone();
    other["vault"] = "home".into();
    assert_ne!(client.call("vault_delete", &other).code(), "ok");
    assert!(several.vault("home").join("Same.md").exists());
    client.call("vault_delete", &confirmed).ok();
    assert!(!several.vault("work").join("Same.md").exists());
}

#[test]
fn a_plugin_of_one_vault_serves_no_other() {
    let several = Several::new("[vaults.work]\npath = \"work\"\n[vaults.home]\npath = \"home\"\n");
    vaults::switch_on_plugins(&several.vault("home"));
    let mut client = several.connect(&["--surface", "flat"]);
    let query = |vault: &str| json!({"query": "LIST", "vault": vault});
    let rows = client.call("plugin_dataview_query", &query("home")).ok();
    assert!(rows.to_string().contains("Same"), "{rows}");
    let missing = client.call("plugin_dataview_query", &query("work")).error();
    assert_eq!(missing["code"], "PROVIDER_UNAVAILABLE");
    assert!(missing["message"].as_str().unwrap().contains("`work`"), "{missing}");
}
