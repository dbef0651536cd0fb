//! Who may do what: the write switch, roles, accounts, and WordPress's own permissions.

use std::process::Command;

use serde_json::json;
use toolwrit_tests::drivers::http::Home as UserHome;

use crate::{Home, WordPress, program};

#[test]
fn nothing_is_changed_unless_the_operator_allows_it() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::with(&site.api, "admin", site.password("admin"), "");
    let refused = home.serve(&[]).error("create_post", json!({ "title": "No" }));
    assert_eq!(refused["code"], "WRITES_DISABLED", "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("WPNAV_ENABLE_WRITES=1"), "{refused}");
    home.serve(&[]).ok("list_posts", json!({}));

    let run = |value: &str, more: &[&str]| {
        let create = [more, &["wpnav_create_post", "--title", "Allowed"]].concat();
        let mut command = Command::new(program());
        command.args(home.flags("call", &create)).env("WPNAV_ENABLE_WRITES", value);
        command.output().unwrap().status.success()
    };
    assert!(run("1", &[]));
    assert!(!run("0", &[]));
    assert!(!run("1", &["--read-only"]));
}

#[test]
fn roles_and_focus_modes_limit_the_tools() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "admin");
    let tools = |flags: &[&str]| {
        let mut server = home.serve(flags);
        server.ok("test_connection", json!({}));
        let tools = server.client.tools();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = tools(&[]);
    let has = |tools: &[String], name: &str| tools.iter().any(|tool| tool == name);
    assert!(all.len() > 75 && has(&all, "wpnav_activate_plugin"), "{all:?}");
    let editor = tools(&["--role", "content-editor"]);
    assert!(has(&editor, "wpnav_create_post") && !has(&editor, "wpnav_activate_plugin"));
    let reading = tools(&["--focus", "read-only"]);
    assert!(has(&reading, "wpnav_list_plugins") && !has(&reading, "wpnav_create_post"));
}

#[test]
fn an_author_of_the_site_may_do_what_authors_may() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "ben").serve(&[]);
    server.ok("create_post", json!({ "title": "Ben's" }));
    let refused = server.error("update_settings", json!({ "title": "Ben's" }));
    assert_eq!(refused["code"], "UPSTREAM_FORBIDDEN", "{refused}");
}

#[test]
fn each_account_acts_as_its_own_user() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "admin");
    home.add_account("anna", site.password("anna"));
    home.add_account("ben", "revoked long ago");
    let user = UserHome::new();
    let token = |account: &str| {
        let flags = ["token", "new", "--role", "administrator", "--name", account];
        let made = user.command(program(), &flags).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let [anna, ben] = ["anna", "ben"].map(token);
    let config = home.path("config.toml").display().to_string();
    let server = user.serve(program(), &["--config", &config, "--surface", "flat"]);
    let user = server.client("").bearing(&anna).call("wpnav_get_current_user", &json!({})).ok();
    assert_eq!(user["username"], "anna");
    let ben = server.client("").bearing(&ben).call("wpnav_get_current_user", &json!({})).error();
    assert_eq!(ben["code"], "PROVIDER_UNAVAILABLE", "{ben}");
}
