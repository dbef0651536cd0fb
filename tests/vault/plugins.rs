//! Obsidian's plugins in a vault: detected, followed when they are switched, and reported when they are broken.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::files;
use toolwrit_tests::vaults;
use toolwrit_tests::waiting::found;

use crate::vault::until_listed;

fn put(folder: &TempDir, path: &str, text: &str) {
    files::put(&folder.path().join(".obsidian").join(path), text);
}

fn serve(folder: &Path) -> Client {
    Client::vault(folder, &["--surface", "meta"])
}

fn plugin(client: &mut Client, name: &str) -> Value {
    let described = client.call("describe_tools", &json!({ "tools": [name] })).ok();
    described["plugins"][name].clone()
}

/// Asks until the answer has this value. The server looks at the plugins once a second.
fn until(client: &mut Client, name: &str, key: &str, value: &Value) -> Value {
    let what = format!("{key} of {name} to be {value}");
    found(&what, || Some(plugin(client, name)).filter(|own| own[key] == *value))
}

#[test]
fn plugins_are_followed_while_the_server_runs() {
    let folder = vaults::empty();
    let mut client = serve(folder.path());
    let missing = plugin(&mut client, "dataview");
    assert_eq!((&missing["enabled"], &missing["reason"]), (&json!(false), &json!("not_installed")));
    assert!(missing["remedy"].as_str().unwrap().contains("Install Dataview"), "{missing}");

    // The folder's name is not the id.
    put(&folder, "plugins/dv/manifest.json", r#"{"id": "dataview", "version": "0.5.68"}"#);
    let off = until(&mut client, "dataview", "reason", &json!("disabled"));
    assert!(off["remedy"].as_str().unwrap().contains("Switch Dataview on"), "{off}");

    put(&folder, "community-plugins.json", r#"["dataview", "templater-obsidian"]"#);
    let on = until(&mut client, "dataview", "enabled", &json!(true));
    assert_eq!(on["version"], "0.5.68");
    let listed = plugin(&mut client, "templater");
    assert_eq!(listed["reason"], "not_installed", "listed, but without a manifest");

    put(&folder, "community-plugins.json", "[]");
    until(&mut client, "dataview", "reason", &json!("disabled"));
}

#[test]
fn a_broken_manifest_is_reported_and_other_plugins_are_found() {
    let folder = vaults::empty();
    put(&folder, "community-plugins.json", r#"["dataview", "smart-connections"]"#);
    put(&folder, "plugins/dataview/manifest.json", "{\"id\": \"dataview\",");
    put(&folder, "plugins/smart/manifest.json", r#"{"id": "smart-connections", "version": "3.0"}"#);
    put(&folder, "plugins/empty/manifest.json", "{}");
    let mut client = serve(folder.path());
    let broken = plugin(&mut client, "dataview");
    let doctor = Command::new(toolwrit_tests::program::toolwrit())
        .args(["doctor", "--json", "--vault"])
        .arg(folder.path())
        .output()
        .unwrap();
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains("plugins/dataview/manifest.json"), "{doctor}");
    assert_eq!(broken["reason"], "not_installed");
    let message = broken["message"].as_str().unwrap();
    assert!(message.contains("plugins/dataview/manifest.json"), "{message}");
    assert_eq!(plugin(&mut client, "smart-connections")["version"], "3.0");

    put(&folder, "community-plugins.json", "nonsense");
    let off = until(&mut client, "smart-connections", "reason", &json!("disabled"));
    assert_eq!(off["enabled"], false);
}

/// Sync programs bring a folder first, and its manifest later; editors and updates write a manifest in place. None of
/// that changes the folder of plugins.
#[test]
fn a_manifest_that_arrives_breaks_or_changes_is_noticed() {
    const TOOL: &str = "plugin_dataview_query";
    const MANIFEST: &str = "plugins/dataview/manifest.json";
    let folder = vaults::empty();
    put(&folder, "community-plugins.json", r#"["dataview"]"#);
    put(&folder, "plugins/dataview/main.js", "");
    let mut client = Client::vault(folder.path(), &["--surface", "flat"]);
    until_listed(&mut client, TOOL, false);
    put(&folder, MANIFEST, r#"{"id": "dataview", "version": "0.5.68"}"#);
    until_listed(&mut client, TOOL, true);
    put(&folder, MANIFEST, r#"{"id": "dataview", "#);
    until_listed(&mut client, TOOL, false);
    put(&folder, MANIFEST, r#"{"id": "dataview", "version": "0.5.68"}"#);
    until_listed(&mut client, TOOL, true);
    put(&folder, MANIFEST, r#"{"id": "excalidraw", "version": "0.5.68"}"#);
    until_listed(&mut client, TOOL, false);
}

#[test]
fn a_plugin_that_is_updated_in_place_has_its_new_version() {
    let folder = vaults::empty();
    put(&folder, "community-plugins.json", r#"["dataview"]"#);
    put(&folder, "plugins/dataview/manifest.json", r#"{"id": "dataview", "version": "0.5.68"}"#);
    let mut client = serve(folder.path());
    until(&mut client, "dataview", "version", &json!("0.5.68"));
    put(&folder, "plugins/dataview/manifest.json", r#"{"id": "dataview", "version": "0.5.70"}"#);
    until(&mut client, "dataview", "version", &json!("0.5.70"));
}

#[test]
fn http_lists_the_installed_plugins_by_their_ids() {
    let folder = vaults::empty();
    put(&folder, "community-plugins.json", r#"["templater-obsidian"]"#);
    for (id, version) in [("calendar", "1.5.10"), ("templater-obsidian", "2.9.1")] {
        let manifest = json!({"id": id, "version": version}).to_string();
        put(&folder, &format!("plugins/{id}/manifest.json"), &manifest);
    }
    put(&folder, "plugins/templater-obsidian/data.json", r#"{"templates_folder": "T"}"#);
    let home = Home::new();
    let vault = folder.path().to_str().unwrap();
    let serve = |flags: &[&str]| {
        home.serve(toolwrit_tests::program::toolwrit(), &[&["--vault", vault], flags].concat())
    };
    let server = serve(&[]);
    let plugins = server.get("/plugins", &[]).json()["plugins"].take();
    assert_eq!(plugins["calendar"], json!({"enabled": false, "version": "1.5.10"}));
    let templater = json!({"enabled": true, "version": "2.9.1", "provider": "templater"});
    assert_eq!(plugins["templater-obsidian"], templater);
    assert_eq!(plugins["templater"]["version"], "2.9.1");
    assert_eq!(plugins["dataview"]["reason"], "not_installed");

    let get = |id: &str| server.get(&format!("/plugins/{id}/capabilities"), &[]);
    let by_id = get("templater-obsidian").json();
    assert_eq!(by_id["operations"], get("templater").json()["operations"]);
    assert_eq!(by_id["id"], "templater-obsidian");
    assert_eq!(get("calendar").json()["version"], "1.5.10");
    assert_eq!(get("kanban").status, 404);

    let server = serve(&["--exclude", "plugin.templater.*"]);
    let plugins = server.get("/plugins", &[]).json()["plugins"].take();
    assert_eq!(plugins["templater-obsidian"], Value::Null, "its provider is hidden: {plugins}");
}
