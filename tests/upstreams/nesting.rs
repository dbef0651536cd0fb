//! Gateways among the upstreams of a gateway.

use std::fs;

use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::program::toolwrit;

use crate::upstreams::Setup;
use crate::upstreams::scripted::{table, tool, write};

/// The table of an upstream that is a Toolwrit with a configuration file and further flags.
fn toolwrit_table(name: &str, config: &str, flags: &[&str]) -> String {
    let command = [toolwrit().to_str().unwrap(), "serve", "--surface", "flat", "--config", config];
    let command = [&command, flags].concat();
    format!("[upstreams.{name}]\ncommand = {command:?}\ntrust_annotations = true\n")
}

#[test]
fn a_gateway_that_contains_itself_starts_its_upstreams_once() {
    let setup = Setup::new("");
    let config = setup.config.to_str().unwrap().to_owned();
    let one = table("one", &write(setup.folder.path(), &[tool("pid")]), "");
    let vault = setup.folder.path().join("vault");
    fs::create_dir(&vault).unwrap();
    fs::write(vault.join("Note.md"), "A note.").unwrap();
    let tables = [
        one,
        toolwrit_table("itself", &config, &[]),
        toolwrit_table("notes", &config, &["--vault", vault.to_str().unwrap()]),
    ];
    fs::write(&setup.config, tables.concat()).unwrap();
    for name in ["one", "itself", "notes"] {
        setup.approve(name);
    }
    let mut host = setup.serve("flat", Era::Initialize);
    let inner = host.read("itself.system_introspect", &json!({})).ok();
    let providers = inner["providers"].as_array().unwrap();
    let unusable = providers.iter().filter(|own| own["reason"] == "needs_configuration").count();
    assert_eq!((providers.len(), unusable), (3, 3), "{inner}");
    let note = host.read("notes.vault_read", &json!({ "path": "Note.md" }));
    assert!(note.text().contains("A note."), "{}", note.0);
}
