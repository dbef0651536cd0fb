//! The command line of a bound authority.

use std::process::{Command, Output};

use serde_json::Value;

use crate::bindings::api::{Blog, password};
use crate::bindings::{Home, program};

fn run(home: &Home, command: &str, arguments: &[&str]) -> Output {
    let flags = home.flags(command, arguments);
    Command::new(program()).args(flags).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn operations_are_called_and_pages_continue_in_the_next_command() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    for number in 1..=3 {
        let title = format!("Post {number}");
        let made = run(&home, "call", &["posts.create", "--title", &title, "--status", "publish"]);
        assert!(made.status.success(), "{made:?}");
    }
    let first = json(&run(&home, "call", &["posts.list", "--limit", "2", "--json"]));
    let cursor = first["next_cursor"].as_str().unwrap();
    let list = ["posts.list", "--limit", "2", "--cursor", cursor, "--json"];
    let rest = json(&run(&home, "call", &list));
    assert_eq!(rest["posts"][0]["title"], "Post 1");

    // The configuration may stand anywhere.
    let config = home.path("config.toml").display().to_string();
    let late = ["call", "posts.list", "--limit", "1", "--json", "--config", &config];
    let late = Command::new(program()).args(late).output().unwrap();
    assert_eq!(json(&late)["total"], 3);

    let unasked = run(&home, "call", &["posts.delete", "--id", "1"]);
    assert_eq!(unasked.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unasked.stderr).contains("CONFIRMATION_REQUIRED"));
    assert_eq!(blog.state().posts.len(), 3);
    assert_eq!(
        json(&run(&home, "call", &["posts.delete", "--id", "1", "--yes", "--json"]))["id"],
        1
    );
}

/// One file has the keys of all servers of a name.
#[test]
fn a_key_that_was_used_for_one_api_is_refused_for_another() {
    let (first, second) = (Blog::new(), Blog::new());
    let home = Home::of(&first);
    let create = ["posts.create", "--title", "Tides", "--idempotency-key", "k", "--json"];
    let made = json(&run(&home, "call", &create));
    assert_eq!(json(&run(&home, "call", &create)), made);
    assert_eq!(first.state().posts.len(), 1);

    let config = std::fs::read_to_string(home.path("config.toml")).unwrap();
    std::fs::write(home.path("config.toml"), config.replace(&first.url(), &second.url())).unwrap();
    let refused = json(&run(&home, "call", &create));
    assert_eq!(refused["error"]["code"], "VALIDATION_ERROR", "{refused}");
    assert_eq!(second.state().posts.len(), 0);
}

#[test]
fn authors_and_operators_look_without_settings() {
    for arguments in
        [&["list"][..], &["search", "write a post"], &["describe", "posts.create"], &["tokens"]]
    {
        let output = Command::new(program()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn doctor_examines_the_provider() {
    let blog = Blog::new();
    let found = |home: &Home| {
        let output = run(home, "doctor", &["--json"]);
        let checks = json(&output)["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["check"] == "provider wordpress").unwrap()
    };
    assert_eq!(found(&Home::of(&blog))["status"], "ok");
    let missing = Home::with("http://127.0.0.1:9/", &password("admin"), "x");
    assert_eq!(found(&missing)["status"], "fail");
}

#[test]
fn the_configuration_names_known_providers() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    std::fs::write(home.path("config.toml"), "[providers.wordpres]\nurl = \"x\"\n").unwrap();
    let output = run(&home, "call", &["posts.list"]);
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains("config.toml:1:12: unknown provider `wordpres`; did you mean `wordpress`?"),
        "{text}"
    );
}
