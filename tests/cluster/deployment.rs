//! The files of the guide for Kubernetes and Compose, judged by what others have made of the specifications.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use toolwrit_tests::cluster::{Cluster, sample};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::waiting::until;

/// Runs a program of the checkers on a file; `None` if they are not installed.
fn check(program: &str, arguments: &[&str], name: &str, text: &str) -> Option<Output> {
    let program = workspace().join("tests/cluster/.venv/bin").join(program);
    if !met(&[Need::File(&program)], "tests/cluster/install") {
        return None;
    }
    let folder = TempDir::new().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    Some(Command::new(program).args(arguments).arg(file).output().unwrap())
}

fn of_kubernetes(text: &str) -> Option<Output> {
    check("kubernetes-validate", &["--strict", "--kubernetes-version", "1.29.0"], "file.yaml", text)
}

fn of_compose(text: &str) -> Option<Output> {
    let script: PathBuf = workspace().join("tests/cluster/compose.py");
    check("python", &[script.to_str().unwrap()], "compose.yaml", text)
}

#[test]
fn kubernetes_accepts_the_files_of_the_guide() {
    for (name, kinds) in [
        (
            "deployment.yaml",
            &[
                "secret",
                "configmap",
                "deployment",
                "service",
                "poddisruptionbudget",
                "horizontalpodautoscaler",
            ][..],
        ),
        ("migration.yaml", &["job"]),
        ("vault.yaml", &["statefulset", "service"]),
    ] {
        let Some(checked) = of_kubernetes(sample(name)) else { return };
        let said = String::from_utf8(checked.stdout).unwrap();
        assert!(checked.status.success(), "{name}: {said}");
        for kind in kinds {
            assert!(said.contains(&format!("passed for resource {kind}/")), "{kind}: {said}");
        }
        // A misspelt key is found, so that the check can fail.
        let wrong = sample(name).replace("spec:", "specs:");
        assert!(!of_kubernetes(&wrong).unwrap().status.success());
    }
}

#[test]
fn compose_accepts_the_file_of_the_guide() {
    let Some(checked) = of_compose(sample("compose.yaml")) else { return };
    assert!(checked.status.success(), "{checked:?}");
    let services = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(services.trim(), "balancer database replica-a replica-b replica-c");
    let wrong = sample("compose.yaml").replace("depends_on:", "depend_on:");
    assert!(!of_compose(&wrong).unwrap().status.success());
}

#[test]
fn a_server_starts_with_the_settings_of_the_guide() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let home = Home::new();
    let tokens = home.path().join("tokens.toml");
    let made = ["token", "new", "--role", "owner", "--tokens", tokens.to_str().unwrap()];
    assert!(home.command(toolwrit(), &made).status().unwrap().success());
    let (manifest, config) = (home.path().join("authority.yaml"), home.path().join("config.toml"));
    fs::write(&manifest, "toolwrit: 1\nserver: { name: tools }\n").unwrap();
    let text = sample("config.toml").replace("0.0.0.0:8080", "127.0.0.1:0");
    fs::write(&config, text.replace("/run/secrets/tokens", tokens.to_str().unwrap())).unwrap();
    let mut command =
        home.command(toolwrit(), &["serve", "--manifest", manifest.to_str().unwrap()]);
    command.env("TOOLWRIT_CONFIG", &config).env("TOOLWRIT_STATE", cluster.database.url());
    command.env("TOOLWRIT_REPLICA", "guide");
    let server = Server::start(command);
    until("a ready server", || server.get("/readyz", &[]).status == 200);
    let names = "select count(*) from toolwrit.replicas where name = 'guide'";
    assert_eq!(cluster.database.rows(names), [["1"]]);
    // The host of the guide is allowed, and another is not.
    let status = |host| server.get("/healthz", &[("host", host)]).status;
    assert_eq!([status("tools.example.org"), status("other.example.org")], [200, 403]);
}

#[test]
fn the_alerts_are_about_metrics_that_a_replica_has() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    let rules: Value = serde_yaml::from_str(sample("alerts.yaml")).unwrap();
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 6);
    let has = |name: &str| {
        let metrics = cluster.server(0).get("/metrics", &[]).body;
        metrics.lines().any(|line| line.split([' ', '{']).next() == Some(name))
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for rule in rules {
        let words = rule["expr"].as_str().unwrap().split(|c| !is_name(c));
        let named: Vec<&str> = words.filter(|word| word.starts_with("toolwrit_")).collect();
        assert_eq!(named.len(), 1, "{rule}");
        // Some are known after the first round of a replica's work.
        until(named[0], || has(named[0]));
    }
}
