//! What a failing API becomes: each with its code, and nothing sent twice that must not be.

use std::net::TcpListener;

use serde_json::{Value, json};
use toolwrit_tests::client::Era;

use crate::bindings::Home;
use crate::bindings::api::{Blog, password};

#[test]
fn each_answer_has_its_code() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
    let expected = [
        (9_001, "UPSTREAM_FORBIDDEN"),
        (9_002, "UPSTREAM_ERROR"),
        (9_003, "LIMIT_EXCEEDED"),
        (9_004, "UPSTREAM_ERROR"),
        (9_005, "UPSTREAM_ERROR"),
        (9_006, "UPSTREAM_ERROR"),
        (9_007, "UPSTREAM_ERROR"),
        (9_008, "UPSTREAM_ERROR"),
        (9_009, "RESULT_TOO_LARGE"),
        (9_010, "UPSTREAM_ERROR"),
        (9_011, "NOT_FOUND"),
        (9_012, "CONFLICT"),
        (9_013, "VALIDATION_ERROR"),
        (9_014, "UPSTREAM_ERROR"),
        (9_015, "NOT_FOUND"),
    ];
    for (id, code) in expected {
        let failed = client.call("posts_get", &json!({ "id": id })).error();
        assert_eq!(failed["code"], code, "{id}: {failed}");
        let text = failed.to_string();
        assert!(!text.contains('\u{202e}') && !text.contains("\\u001b"), "{text}");
        assert!(!text.contains(&password("admin")), "{text}");
    }
    let limited = client.call("posts_get", &json!({ "id": 9_003 })).error();
    assert_eq!(limited["retry_after"], 7200.0);
}

#[test]
fn a_write_is_sent_once() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
    let update = |id: u64| json!({ "id": id, "title": "Tides" });
    assert_eq!(client.call("posts_update", &update(9_002)).code(), "UPSTREAM_ERROR");
    assert_eq!(blog.requests().len(), 1);
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
