//! Several providers, and what operators learn of their settings.

use std::fs;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_test_servers::http::{HttpServer, json_response};

/// A server that gives every request the same answer.
fn answering() -> HttpServer {
    HttpServer::answering(|_| json_response(200, &json!({ "path": "/here" })))
}

/// A manifest with two providers, one of which needs a setting, and the folder in which it is.
fn folder(up: SocketAddr, down: SocketAddr) -> TempDir {
    let manifest = format!(
        r#"toolwrit: 1
server: {{ name: two }}
categories: {{ t: {{ summary: T things. }} }}
providers:
  up: {{ title: Up, summary: Answers., http: {{ base: "http://{up}" }} }}
  down:
    title: Down
    summary: Never answers.
    settings: {{ url: string }}
    http: {{ base: $url, probe: {{ get: /me }} }}
operations:
  t.up: {{ summary: Asks up., effect: read, returns: {{ fields: {{ path: string }} }}, http: {{ provider: up, get: /x }} }}
  t.down: {{ summary: Asks down., effect: read, returns: {{ fields: {{ path: string }} }}, http: {{ provider: down, get: /x }} }}
"#
    );
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("two.yaml"), manifest).unwrap();
    let networks = "networks = [\"127.0.0.0/8\"]";
    let config = format!(
        "[providers.up]\n{networks}\n[providers.down]\n{networks}\nurl = \"http://{down}\"\n"
    );
    fs::write(folder.path().join("config.toml"), config).unwrap();
    folder
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    let path = |name: &str| folder.path().join(name);
    let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_shop")));
    command.arg("--manifest").arg(path("two.yaml")).arg("--config").arg(path("config.toml"));
    command.args(arguments).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_call_reaches_no_provider_but_its_own() {
    let down = TcpListener::bind("127.0.0.1:0").unwrap();
    down.set_nonblocking(true).unwrap();
    let up = answering();
    let folder = folder(up.address(), down.local_addr().unwrap());
    let output = run(&folder, &["call", "t.up", "--json"]);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["path"], "/here", "{output:?}");
    let connected = down.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(connected, Err(ErrorKind::WouldBlock), "nothing may connect to the other one");
}

#[test]
fn doctor_says_which_provider_it_cannot_ask() {
    let (up, down) = (answering(), answering());
    let folder = folder(up.address(), down.address());
    let output = run(&folder, &["doctor", "--json"]);
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let message = |name: &str| {
        let checks = checks["checks"].as_array().unwrap();
        let found = checks.iter().find(|check| check["check"] == name);
        found.unwrap_or_else(|| panic!("{checks:?}"))["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(message("provider up"), "its settings are complete; not checked: it has no `probe`");
    assert_eq!(message("provider down"), "it answers, and accepts its settings");
}

#[test]
fn a_server_says_which_settings_its_providers_lack() {
    let (up, down) = (answering(), answering());
    let folder = folder(up.address(), down.address());
    fs::write(folder.path().join("config.toml"), "").unwrap();
    let output = run(&folder, &["serve"]);
    let shown = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = shown.lines().filter(|line| line.contains("provider")).collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(shown.contains("providers.down.url: it is missing. Set it, or SHOP_DOWN_URL."));
    assert!(shown.contains("fix=The operator of this server allows it with `networks = [\"127.0.0.0/8\"]` in `[providers.up]`."), "{shown}");
}

#[test]
fn settings_that_do_not_exist_are_mistakes_of_the_file() {
    let (up, down) = (answering(), answering());
    let folder = folder(up.address(), down.address());
    let config = "[providers.down]\nurll = \"x\"\n[providers.down.accounts.ann]\nnone_such = 1\n";
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let output = run(&folder, &["serve"]);
    assert_eq!(output.status.code(), Some(3));
    let shown = String::from_utf8(output.stderr).unwrap();
    for mistake in [
        "config.toml:2:1: down has no setting `urll`; did you mean `url`?",
        "config.toml:4:1: down has no setting `none_such`; expected one of: url, accounts, ca,",
    ] {
        assert!(shown.contains(mistake), "{shown}");
    }
}
