//! What a failing API becomes, and that nothing is sent twice that must not be. `hostile` has the answers with their codes.

use std::net::TcpListener;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;

use crate::bindings::Home;
use crate::bindings::api::{Blog, password};

#[test]
fn a_write_is_sent_once() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
    blog.state().is_broken = true;
    let update = json!({ "id": 1, "title": "Tides" });
    assert_eq!(client.call("posts_update", &update).code(), "UPSTREAM_ERROR");
    assert_eq!(blog.requests().len(), 1);
    blog.state().is_broken = false;
    let twice = json!({ "title": "Tides" });
    client.call("posts_create", &twice).ok();
    let exists = client.call("posts_create", &twice).error();
    assert_eq!(exists["code"], "ALREADY_EXISTS", "{exists}");
}

#[test]
fn without_right_settings_the_provider_is_not_available() {
    let blog = Blog::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}/wp-json", listener.local_addr().unwrap());
    drop(listener);
    let admin = password("admin");
    // The settings of `anna` make the provider available to accounts, whatever those of `admin` are.
    let homes = [Home::with(&closed, &admin, "x"), Home::with("ftp://blog.example", &admin, "x")];
    for home in homes {
        let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
        let refused = client.call("posts_list", &json!({})).error();
        assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
        assert_eq!(client.tools(), Vec::<Value>::new());
    }
    let home = Home::with(&blog.url(), "wrong", "x");
    let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
    let refused = client.call("posts_list", &json!({})).error();
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("`user` and `password`"), "{refused}");
    assert!(blog.state().posts.is_empty());
}

#[test]
fn arguments_are_values_and_nothing_else() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
    let title = "a\r\nX-Injected: 1\",\"status\":\"publish\" $status {id} \u{0}";
    let created = client.call("posts_create", &json!({ "title": title })).ok();
    // Results show what hides in them.
    let shown = title.replace('\u{0}', "\\u{0}");
    assert_eq!((&created["title"], &created["status"]), (&json!(shown), &json!("draft")));
    let search = "a&status=publish#x?y=/../%2e";
    client.call("posts_list", &json!({ "search": search })).ok();
    let (line, _) = blog.requests().pop().unwrap();
    assert!(
        line.ends_with(
            "&search=a%26status%3Dpublish%23x%3Fy%3D%2F..%2F%252e&status=publish&per_page=10"
        ),
        "{line}"
    );
}
