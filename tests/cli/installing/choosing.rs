//! What is installed: the vault, its name, the command that starts the program, and the question before it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::files::put;
use toolwrit_tests::program::toolwrit;

use super::User;
use crate::cli::program::run;

/// Writes Obsidian's list of vaults.
fn register(user: &User, file: &str, vaults: &[(&str, u64, bool)]) {
    let entry = |(at, (folder, ts, open)): (usize, &(&str, u64, bool))| {
        (at.to_string(), json!({"path": user.path(folder), "ts": ts, "open": open}))
    };
    let vaults: serde_json::Map<String, Value> = vaults.iter().enumerate().map(entry).collect();
    put(&user.path(file), json!({ "vaults": vaults }).to_string());
}

fn entry(user: &User, file: &str, name: &str) -> Value {
    let text = fs::read(user.path(file)).expect("the client's file");
    serde_json::from_slice::<Value>(&text).expect("JSON")["mcpServers"][name].clone()
}

#[test]
fn the_only_vault_of_obsidian_is_proposed_and_several_are_listed() {
    let user = User::new();
    let none = user.run(&["install", "cursor", "--yes"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.stderr.contains("add --vault DIR"), "{none:?}");

    let list = ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json";
    put(&user.path("Ideas/One.md"), "one");
    register(&user, list, &[("Ideas", 1, false), ("Gone", 2, true)]);
    let one = user.run(&["install", "cursor", "--yes"]);
    assert_eq!(one.code, Some(0), "{one:?}");
    assert!(one.stderr.contains("Found Ideas, ~/Ideas, 1 note"), "{one:?}");
    assert_eq!(entry(&user, ".cursor/mcp.json", "ideas")["args"][2], json!(user.path("Ideas")));

    fs::create_dir_all(user.path("Work")).expect("a vault");
    register(&user, ".config/obsidian/obsidian.json", &[("Ideas", 1, false), ("Work", 0, true)]);
    let several = user.run(&["install", "kiro", "--yes"]);
    assert_eq!(several.code, Some(2), "{several:?}");
    let flag = |folder: &str| format!("--vault {}", user.path(folder).display());
    let (open, other) = (several.stderr.find(&flag("Work")), several.stderr.find(&flag("Ideas")));
    assert!(open.is_some() && open < other, "the open one is first: {several:?}");
    assert!(!user.path(".kiro").exists());
}

#[test]
fn nothing_is_written_without_consent() {
    let user = User::new();
    let vault = user.vault().display().to_string();
    let asked = user.run(&["install", "cursor", "--vault", &vault]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(asked.stdout.contains("~/.cursor/mcp.json  adds `my-notes`: "), "{asked:?}");
    assert!(asked.stderr.contains("add --yes"), "{asked:?}");
    let dry = user.run(&["install", "cursor", "--vault", &vault, "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{dry:?}");
    assert!(!user.path(".cursor").exists() && !user.path(".local/share/toolwrit").exists());
}

#[test]
fn wrong_flags_missing_folders_and_unknown_clients_are_refused_before() {
    let user = User::new();
    let vault = user.vault().display().to_string();
    for (arguments, code, part) in [
        (vec!["install", "cursr"], 2, "cursor"),
        (vec!["install"], 2, "<CLIENT>"),
        (
            vec!["install", "cursor", "--yes", "--vault", "/no/such/folder"],
            3,
            "/no/such/folder is not a folder",
        ),
        (
            vec!["install", "cursor", "--yes", "--vault", &vault, "--", "--no-such-flag"],
            2,
            "--no-such-flag",
        ),
        (
            vec!["install", "cursor", "--yes", "--vault", &vault, "--", "--http", "127.0.0.1:1"],
            2,
            "leave --http out",
        ),
        (
            vec!["install", "cursor", "--yes", "--vault", &vault, "--name", "a_b"],
            2,
            "letters, digits and `-`",
        ),
        (
            vec!["install", "cursor", "kiro", "--yes", "--vault", &vault, "--file", "x.json"],
            2,
            "one client",
        ),
        (
            vec!["install", "windsurf", "--yes", "--vault", &vault, "--scope", "project"],
            1,
            "has no files of projects",
        ),
        (vec!["uninstall"], 2, "CLIENT"),
        (vec!["uninstall", "cursor", "--yes"], 1, "none of these clients starts this program"),
    ] {
        let run = user.run(&arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {run:?}");
        assert!(run.stderr.contains(part), "{arguments:?}: {run:?}");
    }
    assert!(!user.path(".cursor").exists());
}

#[test]
fn flags_scopes_and_files_are_written_as_they_were_given() {
    let user = User::new();
    let arguments = [
        "install",
        "gemini",
        "--yes",
        "--scope",
        "project",
        "--vault",
        "My Notes",
        "--undo",
        "7",
        "--",
        "--read-only",
    ];
    let run = user.run(&arguments);
    assert_eq!(run.code, Some(0), "{run:?}");
    let written = entry(&user, ".gemini/settings.json", "my-notes");
    let expected = json!([
        "serve",
        "--vault",
        user.vault(),
        "--undo",
        "7",
        "--profile",
        "gemini",
        "--read-only"
    ]);
    assert_eq!(written["args"], expected);
    let vault = user.vault().display().to_string();
    let elsewhere =
        ["install", "kiro", "--yes", "--file", "x.json", "--vault", &vault, "--name", "n"];
    assert_eq!(user.run(&elsewhere).code, Some(0));
    assert_eq!(entry(&user, "x.json", "n")["args"][2], json!(vault));
    let shown = user.run(&["install", "jetbrains", "--vault", &vault]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("Paste the entry into Settings"), "{shown:?}");
}

/// The command that is written if the program is started from this file.
fn command_of(user: &User, file: &str, path: &str) -> Value {
    let program = user.path(file);
    fs::create_dir_all(program.parent().expect("a folder")).expect("a folder");
    if fs::hard_link(toolwrit(), &program).is_err() {
        fs::copy(toolwrit(), &program).expect("a copy");
    }
    let vault = user.vault().display().to_string();
    let mut command = user
        .command_of(&program, &["install", "cursor", "--yes", "--name", "n", "--vault", &vault]);
    let run = run(command.env("PATH", path));
    assert_eq!(run.code, Some(0), "{file}: {run:?}");
    let written = entry(user, ".cursor/mcp.json", "n");
    let removed = user.uninstall(&["cursor", "--name", "n"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    let mut words = vec![written["command"].clone()];
    let arguments = written["args"].as_array().expect("a list").iter();
    words.extend(arguments.take_while(|word| **word != "serve").cloned());
    Value::Array(words)
}

#[test]
fn the_command_survives_an_upgrade() {
    let user = User::new();
    let version = env!("CARGO_PKG_VERSION");
    let path = |folder: &str| user.path(folder).display().to_string();
    let npx = command_of(&user, ".npm/_npx/1a/node_modules/@toolwrit/linux-x64/toolwrit", "/bin");
    assert_eq!(npx, json!(["npx", "-y", format!("toolwrit@{version}")]));
    let site = ".cache/uv/archive-v0/x/lib/python3.12/site-packages";
    put(&user.path(&format!("{site}/toolwrit_server-{version}.dist-info/METADATA")), "");
    put(&user.path(&format!("{site}/anyio-4.0.0.dist-info/METADATA")), "");
    let uvx = command_of(&user, ".cache/uv/archive-v0/x/bin/toolwrit", "/bin");
    assert_eq!(uvx, json!(["uvx", "--from", format!("toolwrit-server=={version}"), "toolwrit"]));

    let link = |from: &str, to: &Path| {
        let from = user.path(from);
        fs::create_dir_all(from.parent().expect("a folder")).expect("a folder");
        symlink(to, from).expect("a link");
    };
    link("bin/toolwrit", &user.path("opt/toolwrit-1/toolwrit"));
    let linked = command_of(&user, "opt/toolwrit-1/toolwrit", &path("bin"));
    assert_eq!(linked, json!([path("bin/toolwrit")]));
    link("brew/opt/toolwrit", &user.path("brew/Cellar/toolwrit/1.0"));
    let brewed = command_of(&user, "brew/Cellar/toolwrit/1.0/bin/toolwrit", "/bin");
    assert_eq!(brewed, json!([path("brew/opt/toolwrit/bin/toolwrit")]));
    put(&user.path("lib/node_modules/toolwrit/toolwrit.js"), "");
    link("npm/toolwrit", &user.path("lib/node_modules/toolwrit/toolwrit.js"));
    let package = "lib/node_modules/toolwrit/node_modules/@toolwrit/linux-x64/toolwrit";
    assert_eq!(command_of(&user, package, &path("npm")), json!([path("npm/toolwrit")]));
}
