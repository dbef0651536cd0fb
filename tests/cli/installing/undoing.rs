//! Each file comes back byte for byte, and what cannot be changed safely stays as it is.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::files::put;
use toolwrit_tests::vaults::contents;

use super::User;
use super::fixtures::{CLIENTS, Edited, Fixture, Form, json_files, toml_files, yaml_files};

impl Edited {
    fn accepts(&self, form: Form) -> bool {
        match form {
            Form::Strict => true,
            Form::Comments => self.takes != Form::Strict,
            Form::TrailingCommas => self.takes == Form::TrailingCommas,
            Form::Refused => false,
        }
    }
}

/// The files of the user without the records of the program.
fn files(user: &User) -> BTreeMap<String, Vec<u8>> {
    let mut files = contents(user.home());
    files.retain(|path, _| !path.starts_with(".local/"));
    files
}

/// Installs into clients and uninstalls again. The files that are not there yet are left out of the comparison of folders.
fn comes_back(user: &User, clients: &[&str], what: &str) {
    let before = files(user);
    let installed = user.install(clients);
    assert_eq!(installed.code, Some(0), "{what}: {installed:?}");
    assert_ne!(files(user), before, "{what}");
    let removed = user.uninstall(clients);
    assert_eq!(removed.code, Some(0), "{what}: {removed:?}");
    assert!(files(user) == before, "{what}: {clients:?}");
    let records = user.path(".local/share/toolwrit/clients");
    assert_eq!(fs::read_dir(records).expect("a folder").count(), 0, "{what}: records are left");
}

/// Refuses each of the clients by itself, and leaves the file as it is.
fn stays(user: &User, client: &str, what: &str) {
    let before = files(user);
    let refused = user.install(&[client]);
    assert_eq!(refused.code, Some(1), "{what} {client}: {refused:?}");
    assert!(refused.stderr.starts_with("error: ~/"), "{what} {client}: {refused:?}");
    assert!(files(user) == before, "{what} {client}");
}

/// The clients with different files. One of several of a client is that which counts.
fn clients_with(form: Form, wanted: bool) -> Vec<&'static Edited> {
    let of_json = CLIENTS.iter().filter(|client| !client.file.ends_with("opencode.json"));
    of_json.filter(|client| client.accepts(form) == wanted).collect()
}

#[test]
fn json_files_of_all_clients_come_back() {
    let kinds = json_files("").len();
    for at in 0..kinds {
        let user = User::new();
        let fixture = |client: &Edited| json_files(client.key).swap_remove(at);
        let Fixture { what, form, .. } = fixture(&CLIENTS[0]);
        let accepting = clients_with(form, true);
        for client in CLIENTS.iter().filter(|client| !client.file.ends_with("opencode.json")) {
            put(&user.path(client.file), fixture(client).bytes);
        }
        let names: Vec<&str> = accepting.iter().map(|client| client.name).collect();
        if !names.is_empty() {
            comes_back(&user, &names, &what);
        }
        for client in clients_with(form, false) {
            stays(&user, client.name, &what);
        }
    }
    let accepted = |form: Form| json_files("x").iter().filter(|file| file.form == form).count();
    assert!(accepted(Form::Strict) >= 40, "{}", accepted(Form::Strict));
}

#[test]
fn toml_and_yaml_files_come_back() {
    for (client, file, fixtures) in [
        ("codex", ".codex/config.toml", toml_files()),
        ("goose", ".config/goose/config.yaml", yaml_files()),
    ] {
        assert!(fixtures.iter().filter(|fixture| fixture.form == Form::Strict).count() >= 40);
        let user = User::new();
        for Fixture { what, form, bytes } in fixtures {
            put(&user.path(file), bytes);
            match form {
                Form::Refused => stays(&user, client, &what),
                _ => comes_back(&user, &[client], &what),
            }
        }
    }
}

#[test]
fn files_that_are_missing_are_missing_again() {
    let user = User::new();
    let mut clients: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    clients.dedup();
    clients.extend(["codex", "goose", "continue"]);
    assert_eq!(user.install(&clients).code, Some(0));
    let entry: Value =
        serde_json::from_slice(&fs::read(user.path(".cursor/mcp.json")).expect("a file"))
            .expect("JSON");
    let program = toolwrit_tests::program::toolwrit().canonicalize().expect("a program");
    let arguments = json!(["serve", "--vault", user.vault()]);
    assert_eq!(entry["mcpServers"]["notes"], json!({"command": program, "args": arguments}));
    assert_eq!(user.uninstall(&["--all"]).code, Some(0));
    let left: Vec<String> = files(&user).into_keys().filter(|path| !path.ends_with('/')).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn each_syntax_is_what_another_parser_reads() {
    let user = User::new();
    put(&user.path(".codex/config.toml"), "# mine\r\nmodel = \"x\"\r\n");
    put(&user.path(".config/goose/config.yaml"), "extensions:\n  memory:\n    type: builtin\n");
    put(&user.path(".config/opencode/opencode.jsonc"), "{\n  // mine\n  \"mcp\": {},\n}\n");
    assert_eq!(user.install(&["codex", "goose", "opencode", "continue"]).code, Some(0));
    let text = |file: &str| fs::read_to_string(user.path(file)).expect("a file");
    let program = toolwrit_tests::program::toolwrit().canonicalize().expect("a program");
    let (program, vault) = (program.to_str().expect("a path"), user.vault());

    let codex = text(".codex/config.toml");
    assert!(
        codex.starts_with("# mine\r\nmodel = \"x\"\r\n")
            && !codex.replace("\r\n", "").contains('\n')
    );
    let codex: toml::Table = codex.parse().expect("TOML");
    assert_eq!(codex["mcp_servers"]["notes"]["command"].as_str(), Some(program));

    let goose: Value = serde_yaml::from_str(&text(".config/goose/config.yaml")).expect("YAML");
    let expected = json!({"name": "notes", "type": "stdio", "cmd": program, "args": ["serve", "--vault", vault],
        "envs": {}, "enabled": true, "timeout": 300});
    assert_eq!(goose["extensions"]["notes"], expected);
    assert_eq!(goose["extensions"]["memory"], json!({"type": "builtin"}));

    let opencode = text(".config/opencode/opencode.jsonc");
    assert!(opencode.contains("// mine") && opencode.contains("\"type\": \"local\""), "{opencode}");
    let own: Value = serde_yaml::from_str(&text(".continue/mcpServers/notes.yaml")).expect("YAML");
    assert_eq!(own["mcpServers"][0]["command"], program);
}

#[test]
fn a_changed_file_only_loses_the_server() {
    let user = User::new();
    let file = user.path(".cursor/mcp.json");
    put(&file, "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}\n");
    assert_eq!(user.install(&["cursor"]).code, Some(0));
    let changed = fs::read_to_string(&file).expect("a file").replace("\"x\"", "\"y\"");
    put(&file, changed);
    let removed = user.uninstall(&["cursor"]);
    assert!(
        removed.stdout.contains("has changed since `install`, so only `notes` is removed"),
        "{removed:?}"
    );
    let left: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    assert_eq!(left, json!({"mcpServers": {"a": {"command": "y"}}}));
}

#[test]
fn an_entry_keeps_its_variables_and_two_installations_are_undone_together() {
    let user = User::new();
    let program = toolwrit_tests::program::toolwrit().display().to_string();
    let file = user.path(".cursor/mcp.json");
    let own = json!({"mcpServers": {"notes": {"command": program, "args": ["serve"], "env": {"K": "s"}}}});
    put(&file, own.to_string());
    let before = files(&user);
    let changed = user.install(&["cursor"]);
    assert!(
        changed.stdout.contains("changes `notes`") && changed.stdout.contains("in place of"),
        "{changed:?}"
    );
    let entry =
        || -> Value { serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON") };
    assert_eq!(entry()["mcpServers"]["notes"]["env"], json!({"K": "s"}));
    let vault = user.vault().display().to_string();
    let flags =
        ["install", "cursor", "--yes", "--name", "notes", "--vault", &vault, "--", "--read-only"];
    assert_eq!(user.run(&flags).code, Some(0));
    assert_eq!(
        entry()["mcpServers"]["notes"]["args"],
        json!(["serve", "--vault", vault, "--read-only"])
    );
    let again = user.run(&flags);
    assert!(again.stdout.contains("has `notes` already"), "{again:?}");
    assert_eq!(user.uninstall(&["cursor"]).code, Some(0));
    assert!(files(&user) == before);
}

#[test]
fn several_servers_in_one_file_are_undone_to_the_first_bytes() {
    let user = User::new();
    put(&user.path(".cursor/mcp.json"), "{\"mcpServers\":{}}");
    let before = files(&user);
    let vault = user.vault().display().to_string();
    for name in ["one", "two", "three"] {
        let run = user.run(&["install", "cursor", "--yes", "--name", name, "--vault", &vault]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    assert_eq!(user.uninstall(&["--all"]).code, Some(0));
    assert!(files(&user) == before);
}

#[test]
fn links_and_permissions_stay_and_read_only_files_are_left_to_the_user() {
    let user = User::new();
    let (file, target) = (user.path(".cursor/mcp.json"), user.path("dotfiles/cursor.json"));
    put(&target, "{}\n");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    symlink(&target, &file).expect("a link");
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    fs::set_permissions(&target, Permissions::from_mode(0o640)).expect("a mode");
    assert_eq!(user.install(&["cursor"]).code, Some(0));
    assert!(file.is_symlink() && fs::read_to_string(&target).expect("a file").contains("notes"));
    assert_eq!(mode(&target), 0o640);
    let records = user.path(".local/share/toolwrit/clients");
    for record in fs::read_dir(records).expect("a folder").flatten() {
        assert_eq!(mode(&record.path()), 0o600, "{record:?}");
    }
    assert_eq!(user.uninstall(&["cursor"]).code, Some(0));
    assert_eq!(
        (fs::read_to_string(&target).expect("a file").as_str(), mode(&target)),
        ("{}\n", 0o640)
    );

    fs::set_permissions(&target, Permissions::from_mode(0o440)).expect("a mode");
    let shown = user.install(&["cursor"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(
        shown.stdout.contains("is read-only. Add this to it:")
            && shown.stdout.contains("\"notes\": {")
    );
    assert_eq!(fs::read_to_string(&target).expect("a file"), "{}\n");
    symlink(user.path("nowhere.json"), user.path(".lmstudio.json")).expect("a link");
    let dangling = user.path(".lmstudio.json").display().to_string();
    let vault = user.vault().display().to_string();
    let refused =
        user.run(&["install", "lmstudio", "--yes", "--file", &dangling, "--vault", &vault]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
}
