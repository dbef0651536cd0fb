//! A Jira that cannot be reached, refuses the token, or ends while the server runs.

use serde_json::json;
use toolwrit_tests::drivers::client::{Client, Era, User};
use toolwrit_tests::drivers::http::Home;

use crate::program;
use crate::site::{AVA, Configured, StandIn, Tokens};

#[test]
fn without_settings_the_operations_are_refused() {
    let mut client = Client::connect(program(), &["serve", "--surface", "meta"], Era::Stateless);
    let call = json!({ "tool": "issues.get", "args": { "key": "PROJ-1" } });
    let refused = client.call("execute_read", &call).error();
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
    assert!(refused.to_string().contains("url"), "{refused}");
}

#[test]
fn a_server_that_does_not_listen_is_not_available() {
    // Nothing listens on port 1.
    let configured = Configured::new("http://127.0.0.1:1/rest", "admin", "secret-token");
    let mut client = configured.client(User::Agrees, &["--surface", "flat"], Era::Stateless);
    let refused = client.call("issues_get", &json!({ "key": "PROJ-1" })).error();
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
    assert!(!refused.to_string().contains("secret-token"), "{refused}");
}

#[test]
fn a_wrong_token_names_the_settings() {
    let Some(jira) = StandIn::backlot() else { return };
    let configured = Configured::new(&jira.url, AVA, "wrong-token");
    let mut client = configured.client(User::Agrees, &["--surface", "flat"], Era::Stateless);
    let refused = client.call("issues_search", &json!({ "jql": "project = PROJ" })).error();
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
    assert!(!refused.to_string().contains("wrong-token"), "{refused}");
}

#[test]
fn a_jira_that_ends_does_not_hang_its_callers() {
    let Some(mut jira) = StandIn::jira820() else { return };
    let configured = Configured::new(&jira.url, "admin", "any");
    let mut client = configured.client(User::Agrees, &["--surface", "flat"], Era::Stateless);
    client.call("issues_get", &json!({ "key": "JIRA820-1" })).ok();
    jira.end();
    let failed = client.call("issues_get", &json!({ "key": "JIRA820-1" })).code();
    assert!(["UPSTREAM_ERROR", "PROVIDER_UNAVAILABLE"].contains(&failed.as_str()), "{failed}");
}

#[test]
fn a_token_that_is_revoked_while_the_server_runs_is_refused() {
    let tokens = Tokens::new(["of-anna", "of-ben"]);
    let configured =
        Configured::new(&tokens.url(), "anna", "of-anna").account("ben", "ben", "of-ben");
    let configured = configured.account("anna", "anna", "of-anna");
    let home = Home::new();
    let token = |name: &str| {
        let arguments = ["token", "new", "--role", "owner", "--name", name];
        let made = home.command(program(), &arguments).output().unwrap();
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let [anna, ben] = ["anna", "ben"].map(token);
    let server = home.serve(program(), &["--config", &configured.file(), "--surface", "flat"]);
    let [anna, ben] = [&anna, &ben].map(|token| server.client("").bearing(token));
    let read = json!({ "id": 7 });
    anna.call("sprints_get", &read).ok();
    ben.call("sprints_get", &read).ok();

    tokens.revoke("of-anna");
    for _ in 0..3 {
        let refused = anna.call("sprints_get", &read).error();
        assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
        let text = refused.to_string();
        assert!(text.contains("`user` and `token`") && !text.contains("of-anna"), "{text}");
        ben.call("sprints_get", &read).ok();
    }
}
