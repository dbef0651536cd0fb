//! Accounts with their own credentials, over HTTP.

use std::thread;

use serde_json::json;
use toolwrit_tests::drivers::http::{Home as UserHome, Server};

use crate::bindings::api::{Blog, password};
use crate::bindings::{Home, program};

/// A token of an account.
fn token(user: &UserHome, account: &str) -> String {
    let arguments = ["token", "new", "--role", "owner", "--name", account];
    let made = user.command(program(), &arguments).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

fn serve(home: &Home, user: &UserHome) -> Server {
    let config = home.path("config.toml").display().to_string();
    user.serve(program(), &["--config", &config, "--surface", "flat"])
}

#[test]
fn each_account_uses_its_own_credentials() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let user = UserHome::new();
    let tokens = ["anna", "ben", "carl"].map(|name| (name, token(&user, name)));
    let server = serve(&home, &user);
    thread::scope(|scope| {
        for (name, token) in &tokens[..2] {
            let server = &server;
            scope.spawn(move || {
                let client = server.client("").bearing(token);
                for number in 0..20 {
                    let title = format!("{name} {number}");
                    client.call("posts_create", &json!({ "title": title })).ok();
                }
            });
        }
    });
    let state = blog.state();
    assert_eq!(state.posts.len(), 40);
    for post in state.posts.values() {
        let title = post["title"]["raw"].as_str().unwrap();
        assert!(title.starts_with(post["author"].as_str().unwrap()), "{post}");
    }
    drop(state);
    // An account without credentials gets no others.
    let carl = server.client("").bearing(&tokens[2].1);
    let refused = carl.call("posts_create", &json!({ "title": "Carl" })).error();
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE");
    assert_eq!(blog.state().posts.len(), 40);
}

#[test]
fn a_revoked_credential_concerns_one_account() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let user = UserHome::new();
    let [anna, ben] = ["anna", "ben"].map(|name| token(&user, name));
    let server = serve(&home, &user);
    let [anna, ben] = [&anna, &ben].map(|token| server.client("").bearing(token));
    anna.call("posts_create", &json!({ "title": "Before" })).ok();
    blog.state().users.insert("anna".to_owned(), "changed".to_owned());
    for _ in 0..5 {
        let refused = anna.call("posts_create", &json!({ "title": "After" })).error();
        assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE");
        let text = refused.to_string();
        assert!(
            text.contains("`user` and `password`") && !text.contains(&password("anna")),
            "{text}"
        );
        ben.call("posts_list", &json!({})).ok();
    }
    assert_eq!(blog.state().posts.len(), 1);
}
