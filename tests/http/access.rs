//! Access tokens: who is let in, and with which permissions.

use std::net::TcpListener;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::{lab, toolwrit};
use toolwrit_tests::vaults;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

pub(crate) fn vault() -> TempDir {
    let vault = vaults::empty();
    for folder in ["Drafts", "Daily"] {
        std::fs::create_dir_all(vault.path().join(folder)).unwrap();
    }
    for note in ["Inbox.md", "Drafts/One.md", "Daily/2026-11-21.md"] {
        std::fs::write(vault.path().join(note), "lantern\n").unwrap();
    }
    vault
}

fn serve(home: &Home, vault: &TempDir, flags: &[&str]) -> Server {
    let vault = vault.path().to_str().unwrap();
    home.serve(toolwrit(), &[&["--vault", vault], flags].concat())
}

#[test]
fn with_tokens_every_path_but_health_needs_one() {
    let home = Home::new();
    let token = home.token(lab(), "owner");
    let server = home.serve(lab(), &[]);
    for path in ["/mcp", "/mcp/flat", "/mcp/nope", "/nope", "/"] {
        let answer = server.get(path, &[]);
        assert_eq!(answer.status, 401, "{path}: {answer:?}");
        assert!(answer.headers["www-authenticate"].to_str().unwrap().starts_with("Bearer "));
        assert!(answer.error()["hint"].as_str().unwrap().contains("token new"));
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.get(path, &[]).status, 200, "{path}");
    }
    assert_eq!(server.get("/.well-known/anything", &[]).status, 404);

    let right = bearer(&token);
    assert_eq!(server.post("", &[("authorization", &right)], PING).status, 200);
}

#[test]
fn a_token_is_valid_until_it_is_revoked() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    assert_eq!(server.post("", &[], PING).status, 200);
    let token = home.token(lab(), "owner");
    assert_eq!(server.post("", &[], PING).status, 401);
    let right = bearer(&token);
    assert_eq!(server.post("", &[("authorization", &right)], PING).status, 200);
    let revoked = home.command(lab(), &["token", "revoke", "owner"]).output().unwrap();
    assert!(revoked.status.success(), "{revoked:?}");
    assert_eq!(server.post("", &[("authorization", &right)], PING).status, 401);
    // Revoking the last token does not open the server again.
    assert_eq!(server.post("", &[], PING).status, 401);
}

/// Every operation of the shipped server, with valid arguments.
pub(crate) fn operations(home: &Home) -> Vec<(String, String, Value)> {
    let json = |mut command: Command| -> Value {
        let output = command.output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let listed = json(home.command(toolwrit(), &["list", "--json"]));
    let ids: Vec<&str> = listed["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["id"].as_str().unwrap())
        .collect();
    let described = json(home.command(toolwrit(), &[&["describe", "--json"][..], &ids].concat()));
    let operation = |card: &Value| {
        let text = |key: &str| card[key].as_str().unwrap().to_owned();
        let mut arguments = card["examples"][0]["args"].clone();
        if let Some(arguments) = arguments.as_object_mut() {
            arguments.remove("dry_run");
        }
        (text("id"), text("effect"), arguments)
    };
    described["tools"].as_array().unwrap().iter().map(operation).collect()
}

#[test]
fn a_readers_token_changes_nothing_through_any_path() {
    let (home, vault) = (Home::new(), vault());
    let operations = operations(&home);
    assert!(operations.len() >= 9);
    let token = home.token(toolwrit(), "reader");
    let server = serve(&home, &vault, &[]);
    let before = vaults::contents(vault.path());
    try_everything(&server, &token, &operations);
    assert_eq!(before, vaults::contents(vault.path()));

    // The same calls with an owner's token change the vault, so the test can fail.
    let token = home.token(toolwrit(), "owner");
    let client = server.client("/flat").bearing(&token);
    for (id, _, arguments) in &operations {
        for (tool, arguments) in tool_calls(id, arguments) {
            client.call(&tool, &arguments);
        }
    }
    assert_ne!(before, vaults::contents(vault.path()));
}

/// Calls every operation through every path with a reader's token. Those that change something must fail.
pub(crate) fn try_everything(server: &Server, token: &str, operations: &[(String, String, Value)]) {
    let faces = ["flat", "dispatch", "meta", "auto"].iter().flat_map(|surface| {
        ["", "/full", "/content-editing"].map(|focus| format!("/{surface}{focus}"))
    });
    for (path, era) in faces.chain([String::new()]).zip(Era::ALL.iter().cycle()) {
        let client =
            server.client(&path).in_era(*era).bearing(token).with("toolwrit-role", "owner");
        for (id, effect, arguments) in operations {
            for (tool, arguments) in tool_calls(id, arguments) {
                let result = client.call(&tool, &arguments);
                if effect != "read" {
                    assert!(result.is_error(), "{path} {tool} {arguments}: {}", result.0);
                }
            }
        }
    }
}

/// The calls that run an operation on any surface.
fn tool_calls(id: &str, arguments: &Value) -> Vec<(String, Value)> {
    let (category, name) = id.split_once('.').unwrap();
    let inner = json!({"operation": name, "params": arguments});
    let execute = json!({"tool": id, "args": arguments, "role": "owner", "focus": "full"});
    let mut ways = vec![(id.replace('.', "_"), arguments.clone())];
    for door in ["", "_read", "_write", "_delete"] {
        ways.push((format!("{category}{door}"), inner.clone()));
        ways.push((format!("execute{door}"), execute.clone()));
    }
    ways
}

#[test]
fn the_operators_role_caps_a_tokens() {
    let (home, vault) = (Home::new(), vault());
    let owner = home.token(toolwrit(), "owner");
    let reader = home.token(toolwrit(), "reader");
    let write = json!({"path": "New", "content": "x"});

    let server = serve(&home, &vault, &["--surface", "flat", "--role", "reader"]);
    let capped = server.client("").bearing(&owner);
    assert_eq!(capped.call("vault_write", &write).code(), "TOOL_NOT_FOUND");
    drop(server);

    // The manifest's first role is a default, which a credential replaces.
    let server = serve(&home, &vault, &["--surface", "flat"]);
    let written = server.client("").bearing(&reader);
    assert_eq!(written.call("vault_write", &write).code(), "TOOL_NOT_FOUND");
    assert_eq!(server.client("").bearing(&owner).call("vault_write", &write).code(), "ok");
}

#[test]
fn a_caller_that_names_a_role_gets_no_other_than_its_own_or_one_that_allows_less() {
    let home = Home::new();
    let [owner, onlooker] = ["owner", "onlooker"].map(|role| home.token(lab(), role));
    let role = |server: &Server, token: &str, named: Option<&str>| {
        let client = server.client("/meta").bearing(token);
        let client = match named {
            Some(named) => client.with("toolwrit-role", named),
            None => client,
        };
        let called = |more: Value| {
            let mut execute = json!({"tool": "lab.caller"});
            execute.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            client.call("execute_read", &execute).ok()["role"].as_str().unwrap().to_owned()
        };
        let (plain, as_owner) = (called(json!({})), called(json!({"role": "owner"})));
        assert_eq!(plain, as_owner);
        plain
    };
    let serve = |flags: &[&str]| {
        let arguments = [&["serve", "--http", "127.0.0.1:0"], flags].concat();
        let mut command = home.command(lab(), &arguments);
        command.env("TOOLWRIT_LOG", "info");
        Server::start(command)
    };
    let server = serve(&[]);
    assert_eq!(role(&server, &onlooker, None), "onlooker");
    assert_eq!(role(&server, &onlooker, Some("owner")), "onlooker");
    assert_eq!(role(&server, &owner, Some("owner")), "owner");
    assert_eq!(role(&server, &owner, Some("onlooker")), "onlooker");
    // Both calls of an owner that named no role with less.
    let audit = server.stop();
    assert_eq!(audit.matches(" role=\"owner\"").count(), 2, "{audit}");

    let server = serve(&["--role", "onlooker"]);
    assert_eq!(role(&server, &owner, None), "onlooker");
}

#[test]
fn the_audit_names_the_account() {
    let home = Home::new();
    let made = ["token", "new", "--role", "owner", "--name", "laptop"];
    let made = home.command(lab(), &made).output().unwrap();
    let token = String::from_utf8(made.stdout).unwrap();
    let mut command = home.command(lab(), &["serve", "--http", "127.0.0.1:0"]);
    command.env("TOOLWRIT_LOG", "info");
    let server = Server::start(command);
    let client = server.client("/flat").bearing(token.trim());
    client.call("lab_echo", &json!({"text": "hi"})).ok();
    let said = server.stop();
    let audit = said.lines().find(|line| line.contains("toolwrit::audit")).unwrap();
    assert!(audit.contains("principal=laptop"), "{audit}");
    // Without a session, the server knows the client's name only in the stateless revision.
    assert!(!audit.contains("client="), "{audit}");
}

#[test]
fn beyond_loopback_every_request_needs_a_token() {
    let home = Home::new();
    let serve = ["serve", "--http", "0.0.0.0:0"];
    let refused = home.command(lab(), &serve).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("token new --role"), "{said}");

    let token = home.token(lab(), "owner");
    let server = Server::start(home.command(lab(), &serve));
    assert_eq!(server.post("", &[], PING).status, 401);
    assert_eq!(server.post("", &[("authorization", &bearer(&token))], PING).status, 200);
}

#[test]
fn a_server_at_all_addresses_says_that_its_hosts_are_not_allowed() {
    let home = Home::new();
    home.token(lab(), "owner");
    let taken = TcpListener::bind("0.0.0.0:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let hosts = |flags: &[&str]| {
        // The address is taken, so that the server ends.
        let serve = [&["serve", "--http", &address], flags].concat();
        let output = home.command(lab(), &serve).output().unwrap();
        String::from_utf8(output.stderr).unwrap().contains("--allowed-host")
    };
    assert!(hosts(&[]));
    assert!(!hosts(&["--allowed-host", "vault.example"]));
}

#[test]
fn an_invalid_token_file_prevents_the_start() {
    let home = Home::new();
    let file = home.path().join("tokens.toml");
    let flags = ["serve", "--http", "127.0.0.1:0", "--tokens", file.to_str().unwrap()];
    for text in [
        None,
        Some("nonsense"),
        Some("[[token]]\nname = \"a\""),
        Some(
            "[[token]]\nname = \"a\"\nrole = \"no-such\"\ncreated = \"2026-11-22T00:00:00Z\"\nsha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"\n",
        ),
    ] {
        if let Some(text) = text {
            std::fs::write(&file, text).unwrap();
        }
        let refused = home.command(lab(), &flags).output().unwrap();
        assert_eq!(refused.status.code(), Some(3), "{text:?}: {refused:?}");
    }

    let token = home.token(lab(), "owner");
    let server = home.serve(lab(), &[]);
    let own = home.path().join("data/lab/tokens.toml");
    std::fs::write(own, "nonsense").unwrap();
    assert_eq!(server.post("", &[("authorization", &bearer(&token))], PING).status, 401);
    assert_eq!(server.post("", &[], PING).status, 401);
}
