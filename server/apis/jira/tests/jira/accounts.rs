//! People with different tokens, who see different issues.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::CallResult;
use toolwrit_tests::drivers::http::Home;

use crate::program;
use crate::site::{AVA, Configured, StandIn, token_of};

const PRIYA: &str = "priya.shah@acme.com";

/// Reads all pages of a search for everything, and returns the keys in order.
fn keys(mut call: impl FnMut(&Value) -> CallResult) -> Vec<String> {
    let mut keys = Vec::new();
    let mut arguments = json!({ "jql": "project is not EMPTY", "limit": 2 });
    loop {
        let page = call(&arguments).ok();
        let issues = page["issues"].as_array().unwrap();
        assert!(issues.len() <= 2, "{page}");
        keys.extend(issues.iter().map(|issue| issue["key"].as_str().unwrap().to_owned()));
        match page.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => return keys,
        }
    }
}

#[test]
fn each_account_sees_what_its_token_may_see() {
    let Some(jira) = StandIn::backlot() else { return };
    let configured = Configured::new(&jira.url, AVA, &token_of(AVA))
        .account("ava", AVA, &token_of(AVA))
        .account("priya", PRIYA, &token_of(PRIYA))
        .account("wrong", "mia.okafor@acme.com", "revoked");
    let home = Home::new();
    let token = |name: &str| {
        let arguments = ["token", "new", "--role", "owner", "--name", name];
        let made = home.command(program(), &arguments).output().unwrap();
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let [ava, priya, wrong, other] = ["ava", "priya", "wrong", "other"].map(token);
    let server = home.serve(program(), &["--config", &configured.file(), "--surface", "flat"]);
    let search = |token: &str| {
        let client = server.client("").bearing(token);
        keys(|arguments| client.call("issues_search", arguments))
    };

    let alone = [search(&ava), search(&priya)];
    for keys in &alone {
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{keys:?}");
    }
    assert!(alone[0].len() > 2 && alone[0] != alone[1], "{alone:?}");
    // At the same time, nobody sees what another one may see.
    thread::scope(|scope| {
        for _ in 0..4 {
            for (token, expected) in [(&ava, &alone[0]), (&priya, &alone[1])] {
                let search = &search;
                scope.spawn(move || assert_eq!(&search(token), expected));
            }
        }
    });

    // A wrong token, and an account without any.
    for token in [&wrong, &other] {
        let client = server.client("").bearing(token);
        let refused =
            client.call("issues_search", &json!({ "jql": "project is not EMPTY" })).error();
        assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
        assert!(!refused.to_string().contains("revoked"), "{refused}");
    }
    // A cursor belongs to its account and its arguments.
    let [ava, priya] = [&ava, &priya].map(|token| server.client("").bearing(token));
    let arguments = json!({ "jql": "project is not EMPTY", "limit": 2 });
    let cursor = ava.call("issues_search", &arguments).ok()["next_cursor"].take();
    let mut next = arguments.clone();
    next["cursor"] = cursor;
    assert_eq!(priya.call("issues_search", &next).error()["path"], "/cursor");
    ava.call("issues_search", &next).ok();
    next["jql"] = "project = PLAD".into();
    assert_eq!(ava.call("issues_search", &next).error()["path"], "/cursor");
}
