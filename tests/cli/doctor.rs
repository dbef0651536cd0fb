//! `doctor`: what it reports, and in what form.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::http::Server;
use toolwrit_tests::files::put;
use toolwrit_tests::vaults;

use crate::cli::program::{Run, command, run};

/// A user with a home folder and no configuration.
struct User(TempDir);

impl User {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    fn home(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = command(program);
        command.env("HOME", self.home()).env_remove("TOOLWRIT_DATA_DIR");
        command.env("XDG_CONFIG_HOME", self.home().join("config"));
        command.env("XDG_DATA_HOME", self.home().join("data"));
        command
    }

    fn doctor(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command(program);
        command.arg("doctor").args(arguments);
        command
    }

    fn lab(&self, arguments: &[&str]) -> Run {
        run(&mut self.doctor(lab(), &[&["--json"], arguments].concat()))
    }

    fn write(&self, path: &str, text: &str) {
        put(&self.home().join(path), text);
    }
}

fn lab() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_lab"))
}

/// The check of this name: its status, and the whole entry.
fn found(run: &Run, check: &str) -> (String, Value) {
    let report = run.json();
    let checks = report["checks"].as_array().expect("a list").iter();
    let mut found = checks.filter(|found| found["check"] == check);
    let finding = found.next().unwrap_or_else(|| panic!("no {check}: {report}")).clone();
    // A check has a fix unless it is ok.
    assert_eq!(finding["status"] == "ok", finding.get("fix").is_none(), "{finding}");
    (finding["status"].as_str().expect("a status").to_owned(), finding)
}

fn status(run: &Run, check: &str) -> String {
    found(run, check).0
}

#[test]
fn a_servable_vault_passes_every_check() {
    let (user, vault) = (User::new(), vaults::generate(3));
    let program = toolwrit_tests::program::toolwrit();
    let folder = vault.path().to_str().expect("a plain path");
    let well = run(&mut user.doctor(program, &["--json", "--vault", folder]));
    assert_eq!(well.code, Some(0), "{well:?}");
    for check in
        ["manifest", "configuration", "policy", "vault", "vault writing", "state", "tokens"]
    {
        assert_eq!(status(&well, check), "ok", "{well:?}");
    }
    assert_eq!(status(&well, "vault settings"), "ok");
    assert_eq!(status(&well, "local rest api"), "ok");
    assert_eq!(status(&well, "clients"), "warn");
    let table = run(&mut user.doctor(program, &["--vault", folder])).ok();
    assert!(table.starts_with("CHECK"), "{table}");
    assert!(table.contains("vault writing"), "{table}");

    let plain = TempDir::new().expect("a temporary folder");
    let plain = plain.path().to_str().expect("a plain path");
    let plain = run(&mut user.doctor(program, &["--json", "--vault", plain]));
    assert_eq!((plain.code, status(&plain, "vault settings")), (Some(0), "warn".to_owned()));
    let missing = run(&mut user.doctor(program, &["--json", "--vault", "/no/such/folder"]));
    assert_eq!((missing.code, status(&missing, "application")), (Some(1), "fail".to_owned()));
}

#[test]
fn fixes_stand_below_what_was_found() {
    let user = User::new();
    let mut doctor = user.doctor(lab(), &["--http", "0.0.0.0:0"]);
    let run = run(doctor.env("COLUMNS", "80"));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "CHECK          STATUS  FOUND");
    let found =
        lines.iter().position(|line| line.starts_with("clients        warn    ")).expect("a row");
    assert!(lines[found + 1].starts_with("                       Fix: Add it to one: "), "{run:?}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{run:?}");
}

#[test]
fn a_broken_configuration_is_reported_and_other_checks_still_run() {
    let user = User::new();
    user.write("config/lab/config.toml", "surfce = \"flat\"\n");
    let broken = user.lab(&[]);
    // The laboratory exceeds its budget.
    assert_eq!((broken.code, self::status(&broken, "manifest")), (Some(1), "fail".to_owned()));
    let (status, finding) = found(&broken, "configuration");
    assert_eq!(status, "fail");
    let message = finding["message"].as_str().expect("a message");
    assert!(message.contains("config.toml:1:1") && message.contains("`surface`"), "{message}");

    user.write("config/lab/config.toml", "surface = \"flat\"\n");
    let (status, finding) = found(&user.lab(&[]), "configuration");
    assert_eq!(status, "ok");
    assert!(finding["message"].as_str().expect("a path").ends_with("config.toml"), "{finding}");
}

#[test]
fn an_address_in_use_and_one_without_tokens_are_reported() {
    let user = User::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let busy = user.lab(&["--http", &address]);
    assert_eq!(status(&busy, "address"), "fail");
    assert_eq!(status(&busy, "tokens"), "ok");
    let open = user.lab(&["--http", "0.0.0.0:0"]);
    assert_eq!(status(&open, "address"), "ok");
    assert_eq!(status(&open, "tokens"), "fail");
    let unknown = user.lab(&["--role", "nobody"]);
    assert_eq!(status(&unknown, "policy"), "fail");
}

#[test]
fn tokens_with_unknown_roles_and_readable_token_files_are_reported() {
    let user = User::new();
    let token = |role: &str| {
        let sha256 = "0".repeat(64);
        format!(
            "[[token]]\nname = \"x\"\nrole = \"{role}\"\ncreated = \"2026-01-01T00:00:00Z\"\n\
             sha256 = \"{sha256}\"\n"
        )
    };
    user.write("data/lab/tokens.toml", &token("owner"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = user.home().join("data/lab/tokens.toml");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("own file");
        let readable = user.lab(&[]);
        assert_eq!(status(&readable, "tokens"), "warn");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("own file");
        assert_eq!(status(&user.lab(&[]), "tokens"), "ok");
    }
    user.write("data/lab/tokens.toml", &token("emperor"));
    let unknown = user.lab(&[]);
    assert_eq!(status(&unknown, "tokens"), "fail");
    user.write("data/lab/tokens.toml", "nonsense");
    assert_eq!(status(&user.lab(&[]), "tokens"), "fail");
}

#[test]
fn a_damaged_state_file_is_reported_and_unchanged() {
    let user = User::new();
    user.write("data/lab/state.sqlite3", "this is no database, whatever its name may say");
    let damaged = user.lab(&[]);
    assert_eq!(status(&damaged, "state"), "fail");
    let left = fs::read_to_string(user.home().join("data/lab/state.sqlite3")).expect("the file");
    assert!(left.starts_with("this is no database"));
    fs::remove_file(user.home().join("data/lab/state.sqlite3")).expect("the file");
    let mut call = user.command(lab());
    call.args(["call", "lab.echo", "--text", "x"]);
    assert_eq!(run(&mut call).code, Some(0));
    let (status, finding) = found(&user.lab(&[]), "state");
    assert_eq!(status, "ok");
    assert!(finding["message"].as_str().expect("words").contains("version 4"), "{finding}");
}

#[test]
fn clients_with_a_missing_command_are_reported() {
    let user = User::new();
    let here = lab().to_str().expect("a plain path");
    let server = |command: &str| json!({"mcpServers": {"bench": {"command": command}}});
    user.write(".claude.json", &json!({"projects": {"/x": server(here)}}).to_string());
    user.write(".cursor/mcp.json", &server("/gone/lab").to_string());
    user.write(".gemini/settings.json", &server("/usr/bin/something-else").to_string());
    user.write(".codex/config.toml", "[mcp_servers.bench]\ncommand = \"lab\"\n");
    user.write("config/Code/User/mcp.json", "{ not json");
    let path = lab().parent().expect("a folder");
    let all = run(user.doctor(lab(), &["--json"]).env("PATH", path));
    assert_eq!(status(&all, "claude-code"), "ok");
    assert_eq!(status(&all, "codex"), "ok");
    assert_eq!(status(&all, "cursor"), "fail");
    let fix = found(&all, "cursor").1["fix"].to_string();
    assert!(fix.contains("lab install cursor --name bench` writes it again"), "{fix}");
    if cfg!(target_os = "linux") {
        assert_eq!(status(&all, "vscode"), "warn");
    }
    let report = all.json();
    let checks = report["checks"].as_array().expect("a list");
    assert!(checks.iter().all(|found| found["check"] != "gemini"), "{report}");
}

/// Entries with an address and a token, in the form that each client documents, with a variable where it takes one.
fn entries_over_http(url: &str, token: &str) -> [(&'static str, &'static str, String); 9] {
    let bearer = format!("Bearer {token}");
    let named = |key: &str, entry: Value| json!({ key: {"notes": entry} }).to_string();
    let headers = json!({"Authorization": bearer});
    [
        (
            "claude-code",
            ".claude.json",
            named("mcpServers", json!({"type": "http", "url": url, "headers": headers})),
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            named(
                "mcpServers",
                json!({"url": url, "headers": {"Authorization": "Bearer ${env:NOTES_TOKEN}"}}),
            ),
        ),
        (
            "codex",
            ".codex/config.toml",
            format!(
                "[mcp_servers.notes]\nurl = \"{url}\"\nbearer_token_env_var = \"NOTES_TOKEN\"\n"
            ),
        ),
        (
            "gemini",
            ".gemini/settings.json",
            named("mcpServers", json!({"httpUrl": url, "headers": headers})),
        ),
        (
            "vscode",
            "config/Code/User/mcp.json",
            named("servers", json!({"type": "http", "url": url, "headers": headers})),
        ),
        (
            "windsurf",
            ".codeium/windsurf/mcp_config.json",
            named("mcpServers", json!({"serverUrl": url, "headers": headers})),
        ),
        (
            "goose",
            ".config/goose/config.yaml",
            format!(
                "extensions:\n  notes:\n    type: streamable_http\n    uri: {url}\n    headers: {{Authorization: {bearer}}}\n    enabled: true\n"
            ),
        ),
        (
            "opencode",
            ".config/opencode/opencode.json",
            named("mcp", json!({"type": "remote", "url": url, "headers": headers})),
        ),
        (
            "continue",
            ".continue/mcpServers/notes.yaml",
            format!(
                "name: n\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: notes\n    type: streamable-http\n    url: {url}\n    requestOptions: {{headers: {{Authorization: {bearer}}}}}\n"
            ),
        ),
    ]
}

#[test]
fn entries_over_http_are_seen_and_tried() {
    let (user, vault) = (User::new(), vaults::generate(3));
    let program = toolwrit_tests::program::toolwrit();
    let folder = vault.path().to_str().expect("a plain path");
    let mut new = user.command(program);
    let token = run(new.args(["token", "new", "--role", "reader"])).ok().trim().to_owned();
    let mut serve = user.command(program);
    serve.args(["serve", "--http", "127.0.0.1:0", "--vault", folder]);
    let server = Server::start(serve);
    let write = |token: &str| {
        let entries = entries_over_http(&server.url, token);
        for (_, file, text) in &entries {
            user.write(file, text);
        }
        entries.map(|(client, ..)| client)
    };
    let doctor = |flags: &[&str], token: &str| {
        let mut doctor = user.doctor(program, &[&["--json", "--vault", folder], flags].concat());
        run(doctor.env("NOTES_TOKEN", token))
    };
    let checked = |run: &Run, client: &str| {
        let (status, finding) = found(run, client);
        (status, finding["message"].as_str().expect("words").to_owned())
    };

    let clients = write(&token);
    let (seen, tried) = (doctor(&[], &token), doctor(&["--start"], &token));
    for client in clients {
        let (status, said) = checked(&seen, client);
        assert!(status == "ok" && said.ends_with(&format!("connects to {}", server.url)), "{said}");
        let (status, said) = checked(&tried, client);
        assert!(status == "ok" && said.contains(": it answers with "), "{client}: {said}");
    }
    write("twt_wrong");
    let refused = doctor(&["--start"], "twt_wrong");
    for client in clients {
        assert_eq!(checked(&refused, client).0, "fail", "{client}");
    }
    drop(server);
    let gone = doctor(&[], &token);
    for client in clients {
        let (status, said) = checked(&gone, client);
        assert!(status == "fail" && said.ends_with("nothing listens there"), "{client}: {said}");
    }
}

#[test]
fn the_vaults_of_obsidian_are_proposed() {
    let user = User::new();
    let (served, other) = (user.home().join("Served"), user.home().join("It's mine"));
    for folder in [&served, &other] {
        fs::create_dir_all(folder.join(".obsidian")).expect("a vault");
    }
    let vaults = serde_json::json!({"vaults": {
        "0a": {"path": other, "ts": 1_700_000_000_000_u64, "open": true},
        "0b": {"path": served, "ts": 1_700_000_000_000_u64},
        "0c": {"path": user.home().join("Gone"), "ts": 1},
    }});
    user.write("config/obsidian/obsidian.json", &vaults.to_string());
    let program = toolwrit_tests::program::toolwrit();
    let flags = ["--json", "--vault", served.to_str().expect("a path")];
    let report = run(&mut user.doctor(program, &flags));
    let (status, proposal) = found(&report, "obsidian vaults");
    assert_eq!(status, "ok");
    let message = proposal["message"].as_str().expect("a message");
    let flag = format!(r"--vault 'It'\''s mine={}/It'\''s mine'", user.home().display());
    assert!(message.ends_with(&flag), "{message}");
    assert!(!message.contains("Served") && !message.contains("Gone"), "{message}");
    // Words of a shell are what it says they are.
    let mut shell = Command::new("sh");
    let words = shell.args(["-c", &format!("printf '%s\\n' {flag}")]).output().expect("a shell");
    let expected = format!("--vault\nIt's mine={}\n", other.display());
    assert_eq!(String::from_utf8(words.stdout).expect("text"), expected);
    let sample = run(&mut user.doctor(program, &["--json", "--sample"]));
    let (status, proposal) = found(&sample, "obsidian vaults");
    assert_eq!(status, "warn");
    assert!(proposal["fix"].as_str().expect("a fix").contains("Served="), "{proposal}");
}
