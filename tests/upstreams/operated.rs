//! What an operator does about upstreams over HTTP.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::http::Server;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::waiting::until;

use crate::upstreams::Setup;
use crate::upstreams::scripted::{table, tool, write};

fn setup() -> Setup {
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &[tool("pid")]);
    fs::write(&setup.config, table("one", &tools, "effects = { pid = \"read\" }")).unwrap();
    setup.approve("one");
    setup
}

fn serve(setup: &Setup, flags: &[&str]) -> Server {
    let (config, data) = (setup.config.to_str().unwrap(), setup.folder.path().to_str().unwrap());
    let own = ["serve", "--http", "127.0.0.1:0", "--config", config, "--data-dir", data];
    let mut command = Command::new(toolwrit());
    command.args(own).args(flags).env_remove("TOOLWRIT_VAULT").env("HOME", setup.folder.path());
    Server::start(command)
}

fn act(server: &Server, action: &str) -> (u16, Value) {
    let answer = server.post_to(&format!("/browser/api/status/one/{action}"), &[], "");
    (answer.status, answer.json())
}

/// What can be done with the upstream, and its state.
fn seen(status: &Value) -> (Value, Value) {
    let one = &status["providers"][0];
    (one["actions"].clone(), one["state"].clone())
}

#[test]
fn operators_test_restart_and_enable_an_upstream() {
    let setup = setup();
    let server = serve(&setup, &[]);
    let pid = || server.client("/flat").call("one_pid", &json!({})).text().to_owned();
    let first = pid();
    let running = (json!(["test", "restart"]), json!("ready"));
    let (status, now) = act(&server, "test");
    assert_eq!((status, seen(&now)), (200, running.clone()));
    assert_eq!(pid(), first);
    let (status, now) = act(&server, "restart");
    assert_eq!((status, seen(&now)), (200, running.clone()));
    assert_ne!(pid(), first);
    let (status, refused) = act(&server, "enable");
    assert_eq!(status, 404, "{refused}");
    assert_eq!(refused["error"]["expected"], json!(["test", "restart"]));

    setup.done(&["upstream", "disable", "one"]);
    until("the switch", || {
        seen(&server.get("/browser/api/status", &[]).json()).0 == json!(["enable"])
    });
    let (status, now) = act(&server, "enable");
    assert_eq!((status, seen(&now)), (200, running));
    // A killed server may not have written its last rows.
    server.stop();
    let audited = setup.done(&["audit", "--json"]);
    for action in ["test", "restart", "enable"] {
        assert!(audited.contains(&format!("POST /browser/api/status/one/{action}")), "{audited}");
    }
}

#[test]
fn a_read_only_server_restarts_nothing() {
    let setup = setup();
    let server = serve(&setup, &["--read-only"]);
    let (status, now) = act(&server, "test");
    assert_eq!((status, seen(&now).0), (200, json!(["test"])));
    let (status, refused) = act(&server, "restart");
    assert_eq!(status, 403, "{refused}");
    assert!(refused["error"]["hint"].as_str().unwrap().contains("--read-only"), "{refused}");
}
