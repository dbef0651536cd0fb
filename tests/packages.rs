//! The content of the published packages.
#![expect(clippy::unwrap_used, reason = "a list that cannot be read must fail the test")]

use std::path::Path;
use std::process::Command;

use toolwrit_tests::program::workspace as repository;

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
