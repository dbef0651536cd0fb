//! Every surface, both eras: the same requests, and the same results.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};

use crate::bindings::Home;
use crate::bindings::api::Blog;

/// How a surface is called.
type Caller = fn(&mut Client, &str, Value) -> CallResult;

const SURFACES: [(&[&str], Caller); 4] = [
    (&["--surface", "flat"], |client, name, args| client.call(&format!("posts_{name}"), &args)),
    (&["--surface", "dispatch"], |client, name, args| {
        let tool = match name {
            "list" | "get" => "posts_read",
            "delete" => "posts_delete",
            _ => "posts_write",
        };
        client.call(tool, &json!({ "operation": name, "params": args }))
    }),
    (&["--surface", "dispatch", "--split", "none"], |client, name, args| {
        client.call("posts", &json!({ "operation": name, "params": args }))
    }),
    (&["--surface", "meta", "--split", "none"], |client, name, args| {
        client.call("execute", &json!({ "tool": format!("posts.{name}"), "args": args }))
    }),
];

#[test]
fn posts_are_created_read_listed_changed_and_deleted() {
    for (surface, call) in SURFACES {
        for era in Era::ALL {
            let blog = Blog::new();
            let home = Home::of(&blog);
            let mut client = home.serve(surface, era);
            let mut call = |name: &str, args: Value| call(&mut client, name, args);

            let created = call("create", json!({ "title": "Tides", "status": "publish" })).ok();
            let post = json!({
                "id": 1, "title": "Tides", "status": "publish", "link": "http://blog.example/?p=1",
                "modified": "stamp 1.0",
            });
            assert_eq!(created, post, "{surface:?} {era:?}");
            assert_eq!(call("get", json!({ "id": 1 })).ok(), post);

            let shown = call("create", json!({ "title": "Storms", "dry_run": true })).ok();
            let url = format!("{}/wp/v2/posts", blog.url());
            let body = json!({ "title": "Storms", "status": "draft" });
            assert_eq!(shown, json!({ "request": { "method": "POST", "url": url, "body": body } }));

            let stale =
                call("update", json!({ "id": 1, "title": "Ebb", "if_match": "old" })).error();
            assert_eq!((&stale["code"], &stale["path"]), (&json!("CONFLICT"), &json!("/if_match")));
            let changed = json!({ "id": 1, "title": "Ebb", "if_match": "stamp 1.0" });
            assert_eq!(call("update", changed).ok()["modified"], "stamp 1.0!");

            assert_eq!(
                call("delete", json!({ "id": 1, "forever": true })).ok(),
                json!({ "id": 1 })
            );
            assert_eq!(call("get", json!({ "id": 1 })).code(), "NOT_FOUND");
            let lines: Vec<String> = blog.requests().into_iter().map(|(line, _)| line).collect();
            assert_eq!(
                lines,
                [
                    "POST /wp-json/wp/v2/posts",
                    "GET /wp-json/wp/v2/posts/1?context=edit",
                    "GET /wp-json/wp/v2/posts/1?context=edit",
                    "GET /wp-json/wp/v2/posts/1?context=edit",
                    "POST /wp-json/wp/v2/posts/1",
                    "DELETE /wp-json/wp/v2/posts/1?force=true",
                    "GET /wp-json/wp/v2/posts/1?context=edit",
                ]
            );
        }
    }
}

#[test]
fn a_list_is_read_page_by_page() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
    for number in 1..=7 {
        let post = json!({ "title": format!("Post {number}"), "status": "publish" });
        client.call("posts_create", &post).ok();
    }
    let mut arguments = json!({ "limit": 3 });
    let mut titles = Vec::new();
    loop {
        let page = client.call("posts_list", &arguments).ok();
        assert_eq!(page["total"], 7);
        titles.extend(page["posts"].as_array().unwrap().iter().map(|post| post["title"].clone()));
        match page.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    let expected: Vec<String> = (1..=7).rev().map(|number| format!("Post {number}")).collect();
    assert_eq!(titles, expected);
    // A cursor belongs to its arguments.
    arguments["search"] = "Post".into();
    assert_eq!(client.call("posts_list", &arguments).code(), "VALIDATION_ERROR");
}

#[test]
fn only_what_is_declared_becomes_part_of_a_result() {
    let blog = Blog::new();
    let home = Home::of(&blog);
    let mut client = home.serve(&["--surface", "flat"], Era::Initialize);
    let created = client.call("posts_create", &json!({ "title": "Tides" }));
    assert!(!created.text().contains("of the API"), "{}", created.text());
    let tools = client.tools();
    assert!(!json!(tools).to_string().contains("wp/v2"), "{tools:?}");
}
