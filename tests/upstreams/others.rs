//! Six servers that others use, behind one Toolwrit. `tests/upstreams/install` installs them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::client::Era;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

use crate::{SURFACES, Setup};

/// The upstreams, if they are installed.
fn setup() -> Option<Setup> {
    let installed = workspace().join("target/ci/upstreams");
    let (node, python) = (installed.join("node_modules/.bin"), installed.join(".venv/bin"));
    let needs =
        [Need::File(&node.join("mcp-server-memory")), Need::File(&python.join("mcp-server-git"))];
    if !met(&needs, "tests/upstreams/install") {
        return None;
    }
    let setup = Setup::new("");
    let folder = setup.folder.path().canonicalize().unwrap();
    fs::create_dir(folder.join("files")).unwrap();
    fs::write(folder.join("files/note.txt"), "a note").unwrap();
    repository(&folder.join("repository"));
    let upstream = |name: &str, program: &Path, arguments: &[&str]| {
        let words: Vec<String> = std::iter::once(program.to_str().unwrap())
            .chain(arguments.iter().copied())
            .map(|word| format!("{word:?}"))
            .collect();
        format!(
            "[upstreams.{name}]\ncommand = [{}]\ntrust_annotations = true\n\n",
            words.join(", ")
        )
    };
    let (files, repository) = (folder.join("files"), folder.join("repository"));
    let configuration = [
        upstream("everything", &node.join("mcp-server-everything"), &["stdio"]),
        upstream("filesystem", &node.join("mcp-server-filesystem"), &[files.to_str().unwrap()]),
        upstream("memory", &node.join("mcp-server-memory"), &[]),
        upstream(
            "git",
            &python.join("mcp-server-git"),
            &["--repository", repository.to_str().unwrap()],
        ),
        upstream("time", &python.join("mcp-server-time"), &["--local-timezone", "UTC"]),
        upstream("fetch", &python.join("mcp-server-fetch"), &[]),
    ];
    fs::write(&setup.config, configuration.concat()).unwrap();
    for name in ["everything", "filesystem", "memory", "git", "time", "fetch"] {
        setup.approve(name);
    }
    Some(setup)
}

fn repository(folder: &Path) {
    fs::create_dir(folder).unwrap();
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    for arguments in
        [&["init", "--quiet"][..], &["commit", "--quiet", "--allow-empty", "-m", "Begin"]]
    {
        let ran = Command::new("git").current_dir(folder).args(identity).args(arguments).status();
        assert!(ran.unwrap().success());
    }
}

/// Calls that read, and what their answers contain.
fn calls(setup: &Setup) -> Vec<(&'static str, Value, &'static str)> {
    let folder = setup.folder.path().canonicalize().unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    vec![
        ("everything.echo", json!({"message": "hello"}), "Echo: hello"),
        ("everything.get-sum", json!({"a": 2, "b": 3}), "5"),
        ("filesystem.read_text_file", json!({"path": path("files/note.txt")}), "a note"),
        ("filesystem.list_directory", json!({"path": path("files")}), "note.txt"),
        ("memory.read_graph", json!({}), "entities"),
        ("git.git_log", json!({"repo_path": path("repository"), "max_count": 1}), "Begin"),
        ("git.git_status", json!({"repo_path": path("repository")}), "nothing to commit"),
        ("time.get_current_time", json!({"timezone": "Europe/Oslo"}), "Europe/Oslo"),
    ]
}

#[test]
fn the_tools_of_six_servers_are_called_on_every_surface_and_by_the_command_line() {
    let Some(setup) = setup() else { return };
    let listed = setup.done(&["list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let effect = |id: &str| {
        let all = listed["operations"].as_array().unwrap();
        let own = all.iter().find(|own| own["id"] == id);
        own.unwrap_or_else(|| panic!("{id} in {listed}"))["effect"].as_str().unwrap().to_owned()
    };
    for surface in SURFACES {
        for era in Era::ALL {
            let mut host = setup.serve(surface, era);
            for (id, arguments, expected) in calls(&setup) {
                let call = host.begin(id, &effect(id), &arguments);
                let called = host.client.finish_call(call);
                let text = called.0.to_string();
                assert!(
                    !called.is_error() && text.contains(expected),
                    "{surface} {era:?} {id}: {text}"
                );
            }
            host.client.close();
        }
    }
    for (id, arguments, expected) in calls(&setup) {
        let answer = setup.done(&["call", id, "--args", &arguments.to_string(), "--yes"]);
        assert!(answer.contains(expected), "{id}: {answer}");
    }
}
