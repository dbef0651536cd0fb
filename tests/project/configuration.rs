//! Workspaces: flags, the configuration file, and what `doctor` says of them.

use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::files::put;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

use crate::project::Session;

const BROKEN: &str = "---\nid: T-001\ntype: task\ntitle: x\nstatus: dnoe\n---\n";

#[test]
fn each_workspace_has_ids_of_its_own() {
    let flags = ["--project", "app=Work/App", "--project", "site=Work/Site"];
    let mut project = Session::with(&[("Work/Site/Plan.canvas", "{}")], &flags);
    project.made("task", json!({"title": "In the app"}));
    let call = json!({"type": "task", "data": {"title": "In the site"}, "workspace": "site"});
    let made = project.call("create_entity", call).ok();
    assert_eq!((&made["id"], &made["path"]), (&json!("T-001"), &json!("Work/Site/T-001.md")));
    assert_eq!(project.get("T-001", &["title"])["title"], "In the app");

    let listed = project.call("list_workspaces", json!({})).ok();
    let workspace = |name: &str, folder: &str, default: bool| json!({"name": name, "folder": folder, "default": default, "entities": 1, "problems": 0});
    let expected = [workspace("app", "Work/App", true), workspace("site", "Work/Site", false)];
    assert_eq!(listed["workspaces"], json!(expected));

    // A canvas tells its workspace.
    let call = json!({"canvas_source": "Work/Site/Plan.canvas"});
    let overview = project.call("get_project_overview", call).ok();
    assert_eq!(overview["workstreams"][0]["tasks"][0]["title"], "In the site");
}

/// Runs a command of the server with this configuration file.
fn run(configuration: &str, arguments: &[&str]) -> Output {
    let (home, vault) = (TempDir::new().unwrap(), vaults::empty());
    put(&vault.path().join("Work/T-001.md"), BROKEN);
    let file = home.path().join("config.toml");
    put(&file, configuration);
    Command::new(toolwrit())
        .args(arguments)
        .arg("--config")
        .arg(&file)
        .arg("--vault")
        .arg(vault.path())
        .env("HOME", home.path())
        .env("TOOLWRIT_DATA_DIR", home.path())
        .env("XDG_CACHE_HOME", home.path())
        .env_remove("TOOLWRIT_WORKSPACE")
        .output()
        .unwrap()
}

#[test]
fn doctor_lists_workspaces_and_the_problems_of_their_notes() {
    let output = run("project = [\"work=Work\"]\n", &["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = |check: &str| {
        let checks = report["checks"].as_array().unwrap().iter();
        let found: Vec<&Value> = checks.filter(|it| it["check"] == check).collect();
        assert_eq!(found.len(), 1, "{report}");
        (found[0]["status"].clone(), found[0]["message"].as_str().unwrap().to_owned())
    };
    let workspace = "`work` in `Work`: 1 entities, 1 problems".to_owned();
    assert_eq!(found("project workspace"), (json!("ok"), workspace));
    let (status, problem) = found("project notes");
    assert_eq!(status, "warn");
    assert!(problem.starts_with("Work/T-001.md:5: `status`: expected todo"), "{problem}");
}

#[test]
fn workspaces_that_cannot_be_used_are_refused() {
    for (configuration, reason) in [
        ("project = [\"Work\"]\n", "NAME=FOLDER"),
        ("project = [\"a=Work\", \"b=Work/Inner\"]\n", "overlap"),
        ("project = [\"a=Work\", \"a=Other\"]\n", "two workspaces are named `a`"),
        ("project = [\"a=../Work\"]\n", "../Work"),
    ] {
        let output = run(configuration, &["call", "project.list_workspaces"]);
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(reason), "{said}");
    }
}
