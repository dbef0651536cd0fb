//! The content of the published packages.
#![expect(clippy::unwrap_used, reason = "a list that cannot be read must fail the test")]

use std::path::Path;
use std::process::Command;

use super::repository;
use serde_json::{Value, json};

/// The files of a package, by their paths in it.
fn files(package: &str) -> Vec<String> {
    let run = Command::new(env!("CARGO"))
        .args(["package", "--offline", "--allow-dirty", "--list", "--package", package])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let list = String::from_utf8(run.stdout).unwrap();
    list.lines().map(|line| line.replace('\\', "/")).collect()
}

#[test]
fn the_servers_package_contains_its_authority() {
    let files = files("toolwrit-server");
    for file in ["authority.yaml", "operations/active.yaml", "operations/vault.yaml"] {
        let file = format!("authority/{file}");
        assert!(files.contains(&file), "{file}");
    }
}

#[test]
fn the_manifest_package_contains_no_authority() {
    let files = files("toolwrit-manifest");
    assert!(files.contains(&"schema.json".to_owned()), "{files:?}");
    let yaml: Vec<&String> = files
        .iter()
        .filter(|file| Path::new(file).extension().is_some_and(|end| end == "yaml"))
        .collect();
    assert!(yaml.is_empty(), "{yaml:?}");
}

#[test]
fn every_published_library_has_the_metadata_of_a_crate() {
    let run = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let metadata: Value = serde_json::from_slice(&run.stdout).unwrap();
    let is_kind = |target: &Value, kinds: &[&str]| {
        kinds.iter().any(|kind| target["kind"].as_array().unwrap().contains(&json!(kind)))
    };
    let mut libraries = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let targets = package["targets"].as_array().unwrap();
        let is_library = targets.iter().any(|target| is_kind(target, &["lib", "proc-macro"]));
        if package["publish"] == json!([]) || !is_library {
            continue;
        }
        libraries += 1;
        let name = &package["name"];
        for key in ["description", "license", "readme", "repository"] {
            assert!(package[key].is_string(), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            assert!(!package[key].as_array().unwrap().is_empty(), "{name} has no {key}");
        }
        assert!(package["metadata"]["docs"]["rs"].is_object(), "{name} has no docs.rs metadata");
    }
    assert!(libraries >= 10, "{libraries}");
}
