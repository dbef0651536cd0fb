//! What the program says to someone who starts it for the first time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwrit_tests::files::put;
use toolwrit_tests::vaults::contents;

use super::User;

#[test]
fn without_arguments_it_says_what_is_here_in_six_lines() {
    let user = User::new();
    let empty = user.run(&[]);
    assert_eq!((empty.code, empty.stdout.lines().count()), (Some(0), 6), "{empty:?}");
    assert!(
        empty.stdout.contains("nothing to serve yet: name a folder with --vault DIR"),
        "{empty:?}"
    );
    put(&user.path("My Notes/One.md"), "one");
    let list = json!({"vaults": {"a": {"path": user.vault(), "ts": 1}}}).to_string();
    put(&user.path(".config/obsidian/obsidian.json"), list);
    put(&user.path(".cursor/mcp.json"), "{}");
    let found = user.run(&[]).ok();
    assert_eq!(found.lines().count(), 6, "{found}");
    assert!(found.contains("My Notes (~/My Notes, 1 note)"), "{found}");
    let vault = user.vault().display().to_string();
    assert!(found.contains(&format!("install cursor --vault '{vault}'")), "{found}");
}

/// Answers to requests of a client over standard streams.
fn answers(mut command: Command, requests: &[Value]) -> Vec<Value> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    for request in requests {
        writeln!(input, "{request}").expect("it reads");
    }
    drop(input);
    let mut text = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
    assert!(child.wait().expect("it ends").success());
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn session(calls: &[(&str, Value)]) -> Vec<Value> {
    let client = json!({"name": "test", "version": "1"});
    let begin = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let mut requests = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ];
    for (at, (tool, arguments)) in calls.iter().enumerate() {
        let params = json!({"name": tool, "arguments": arguments});
        requests.push(
            json!({"jsonrpc": "2.0", "id": at + 2, "method": "tools/call", "params": params}),
        );
    }
    requests
}

fn of(answers: &[Value], id: usize) -> Value {
    answers.iter().find(|answer| answer["id"] == id).expect("an answer")["result"].clone()
}

#[test]
fn a_client_without_a_vault_learns_what_the_user_must_do() {
    let user = User::new();
    let list = json!({"vaults": {"a": {"path": user.vault(), "ts": 1}}}).to_string();
    put(&user.path(".config/obsidian/obsidian.json"), list);
    let before = contents(&user.vault());
    let calls = [
        ("vault_list", json!({})),
        ("vault_write", json!({"path": "A.md", "content": "x"})),
        ("get_project_overview", json!({})),
    ];
    let all = answers(user.command(&["serve", "--surface", "flat"]), &session(&calls));
    let instructions = of(&all, 0)["instructions"].as_str().expect("a text").to_owned();
    let command = format!("toolwrit install CLIENT --vault '{}'", user.vault().display());
    assert!(
        instructions.starts_with("No folder of notes is chosen") && instructions.contains(&command)
    );
    assert!(of(&all, 1)["tools"].as_array().expect("a list").len() > 30);
    for id in 2..2 + calls.len() {
        let text = of(&all, id).to_string();
        assert!(
            text.contains("PROVIDER_UNAVAILABLE") && text.contains("install CLIENT --vault"),
            "{text}"
        );
    }
    assert_eq!(contents(&user.vault()), before);
    assert!(!user.path(".local/share/toolwrit/sample-vault").exists());
}

#[test]
fn the_vault_is_named_in_title_instructions_and_introspection() {
    let user = User::new();
    let vault = user.vault().display().to_string();
    let command = user.command(&["serve", "--surface", "flat", "--vault", &vault]);
    let all = answers(command, &session(&[("introspect", json!({}))]));
    assert_eq!(of(&all, 0)["serverInfo"]["title"], "My Notes – Markdown vault");
    let instructions = of(&all, 0)["instructions"].as_str().expect("a text").to_owned();
    assert!(instructions.starts_with("The vault `My Notes`."), "{instructions}");
    let seen = user.run(&["call", "system.introspect", "--json", "--vault", &vault]).json();
    let expected =
        (json!("My Notes"), json!(false), json!(user.vault().canonicalize().expect("a path")));
    let said = &seen["vault"];
    assert_eq!((said["name"].clone(), said["sample"].clone(), said["path"].clone()), expected);
}

#[test]
fn the_sample_is_served_only_if_it_is_wanted() {
    let user = User::new();
    let without = user.run(&["call", "vault.list", "--json"]);
    assert_eq!(without.failure(), "PROVIDER_UNAVAILABLE");
    assert!(!user.path(".local/share/toolwrit/sample-vault").exists());
    let with = user.run(&["call", "vault.list", "--json", "--sample"]).json();
    assert!(with["total"].as_u64().is_some_and(|total| total > 0), "{with}");
    let served = user.run(&["serve", "--http", "127.0.0.1:0"]);
    assert_eq!(served.code, Some(2), "{served:?}");
    assert!(served.stderr.contains("nothing says what to serve; add --vault DIR"), "{served:?}");
}

#[test]
fn a_person_who_types_serve_is_told_that_it_waits() {
    let user = User::new();
    put(&user.path("My Notes/One.md"), "one");
    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let vault = user.vault().display().to_string();
    let mut command = user.command(&["serve", "--vault", &vault]);
    command.stdin(terminal.slave).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // The command keeps the terminal open.
    drop(command);
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("a line");
    child.kill().and_then(|()| child.wait()).expect("it ends");
    assert!(
        line.contains(&format!("Serving {vault} (1 note) to a client on standard input")),
        "{line}"
    );
    assert!(line.contains("browse`"), "{line}");
}

#[test]
fn what_the_program_keeps_is_listed_and_removed() {
    let user = User::new();
    put(&user.path("My Notes/One.md"), "one");
    assert_eq!(user.install(&["cursor"]).code, Some(0));
    let vault = user.vault().display().to_string();
    user.run(&["call", "vault.append", "--path", "One", "--content", "two", "--vault", &vault])
        .ok();
    let listed = user.run(&["files", "--json"]).json();
    let folders = listed.as_array().expect("a list").iter();
    let folders: Vec<&str> = folders.map(|one| one["path"].as_str().expect("a path")).collect();
    let own = [
        ".config/toolwrit-vault",
        ".local/share/toolwrit-vault",
        ".local/share/toolwrit",
        ".cache/toolwrit",
    ];
    assert_eq!(folders, own.map(|folder| user.path(folder).display().to_string()));
    // Nothing is kept elsewhere.
    let elsewhere = contents(user.home()).into_keys().filter(|path| {
        let is_known = own.iter().any(|folder| {
            path.starts_with(folder) || folder.starts_with(path.trim_end_matches('/'))
        });
        !is_known && !path.starts_with("My Notes/") && !path.starts_with(".cursor")
    });
    assert_eq!(elsewhere.collect::<Vec<_>>(), Vec::<String>::new());

    let refused = user.run(&["files", "--remove", "--yes"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("uninstall --all"), "{refused:?}");
    assert_eq!(user.uninstall(&["--all"]).code, Some(0));
    let notes = contents(&user.vault());
    user.run(&["files", "--remove", "--yes"]).ok();
    assert!(own.iter().all(|folder| !user.path(folder).exists()));
    assert_eq!(contents(&user.vault()), notes);
}

#[test]
fn the_help_has_groups_and_flags_stand_under_their_own_headings() {
    let user = User::new();
    let help = user.run(&["--help"]).ok();
    for part in [
        "Connect clients:",
        "Look and call:",
        "Operate:",
        "Write servers:",
        "  install      Add this server",
    ] {
        assert!(help.contains(part), "{part}: {help}");
    }
    for command in ["serve", "browse", "doctor"] {
        let help = user.run(&[command, "--help"]).ok();
        let heading_of = |flag: &str| {
            let at = help.find(&format!("--{flag}")).unwrap_or_else(|| panic!("{flag}: {help}"));
            let above = help[..at].lines().rev();
            above
                .into_iter()
                .find(|line| line.ends_with(':') && !line.starts_with(' '))
                .map(str::to_owned)
        };
        for flag in ["vault ", "obsidian-url", "web-allow", "project "] {
            assert_eq!(heading_of(flag).as_deref(), Some("What is served:"), "{command} {flag}");
        }
        assert_eq!(heading_of("rate ").as_deref(), Some("Limits:"), "{command}");
    }
    let serve = user.run(&["serve", "--help"]).ok();
    let position = |part: &str| serve.find(part).unwrap_or(usize::MAX);
    assert!(
        position("Surface:") < position("--surface") && position("--vault") < position("Limits:")
    );
}
