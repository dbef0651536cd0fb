//! Posts and pages, from the first draft to the trash.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::User;

use crate::{Home, WordPress};

/// A stamp that no post has.
const OLD: &str = "2020-01-01T00:00:00";

#[test]
fn a_post_is_written_read_changed_published_and_deleted() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "admin");
    let mut server = home.serve(&[]);
    let text =
        "<!-- wp:paragraph -->\n<p>Ebb & flow \u{1f30a} \\ \"quoted\"</p>\n<!-- /wp:paragraph -->";
    let made = server.ok("create_post", json!({ "title": "Tides & storms", "content": text }));
    assert_eq!((&made["status"], &made["title"]), (&json!("draft"), &json!("Tides & storms")));
    let id = &made["id"];
    let read = server.ok("get_post", json!({ "id": id }));
    assert_eq!((&read["content"], &read["modified"]), (&json!(text), &made["modified"]));

    let stale = json!({ "id": id, "title": "Late", "if_match": OLD });
    let refused = server.error("update_post", stale);
    assert_eq!((&refused["code"], &refused["path"]), (&json!("CONFLICT"), &json!("/if_match")));
    let change = json!({ "id": id, "title": "Ebb", "if_match": made["modified"] });
    assert_eq!(server.ok("update_post", change)["title"], "Ebb");
    assert_eq!(server.ok("get_post", json!({ "id": id }))["content"], text);

    let shown = server.ok("update_post", json!({ "id": id, "title": "Dry", "dry_run": true }));
    assert_eq!(shown["request"]["body"], json!({ "title": "Dry" }));
    assert_eq!(server.ok("publish_post", json!({ "id": id }))["status"], "publish");

    assert_eq!(server.ok("delete_post", json!({ "id": id }))["status"], "trash");
    let again = server.error("delete_post", json!({ "id": id }));
    assert_eq!(again["code"], "CONFLICT", "{again}");
    let gone = server.ok("delete_post", json!({ "id": id, "forever": true }));
    assert_eq!(&gone["id"], id);
    assert_eq!(server.error("get_post", json!({ "id": id }))["code"], "NOT_FOUND");
}

#[test]
fn deletion_needs_a_user_who_confirms() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "admin");
    let id = home.serve(&[]).ok("create_page", json!({ "title": "Stays" }))["id"].take();
    let flat = &["--surface", "flat"];
    for (user, code) in [(User::Declines, "CANCELLED"), (User::Absent, "CONFIRMATION_REQUIRED")] {
        let refused = home.serve_for(user, flat).error("delete_page", json!({ "id": id }));
        assert_eq!(refused["code"], code, "{refused}");
    }
    let number = id.to_string();
    let unasked = home.call(&["wpnav_delete_page", "--id", &number]);
    assert_eq!(unasked.status.code(), Some(1));
    assert_eq!(home.serve(&[]).ok("get_page", json!({ "id": id }))["status"], "draft");
}

#[test]
fn lists_have_pages_and_a_total() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "admin");
    let mut server = home.serve(&[]);
    for number in 1..=5 {
        let title = format!("Periwinkle {number}");
        server.ok("create_post", json!({ "title": title, "status": "publish" }));
    }
    let mut query = json!({
        "search": "Periwinkle", "limit": 2, "order_by": "title", "order": "asc",
    });
    let mut titles = Vec::new();
    for page in 1..=3 {
        let found = server.ok("list_posts", query.clone());
        assert_eq!(found["total"], 5);
        titles.extend(found["posts"].as_array().unwrap().iter().map(|post| post["title"].clone()));
        assert_eq!(found.get("next_cursor").is_some(), page < 3, "{found}");
        query["cursor"] = found["next_cursor"].clone();
    }
    assert_eq!(
        Value::from(titles),
        json!((1..=5).map(|n| format!("Periwinkle {n}")).collect::<Vec<_>>())
    );

    let listed = home.call(&["wpnav_list_posts", "--limit", "10", "--search", "Periwinkle"]);
    assert!(listed.status.success(), "{listed:?}");
    assert!(String::from_utf8_lossy(&listed.stdout).contains("Periwinkle 5"));
    let found = server.ok("search_site", json!({ "query": "Periwinkle 4" }));
    assert_eq!(found["results"][0]["title"], "Periwinkle 4");
}

#[test]
fn every_surface_gives_the_same_results() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "admin");
    let id = home.serve(&[]).ok("create_post", json!({ "title": "Everywhere" }))["id"].take();
    let args = json!({ "id": id });
    let ways: [(&[&str], &str, Value); 3] = [
        (&["--surface", "flat"], "get_post", args.clone()),
        (
            &["--surface", "dispatch"],
            "content_read",
            json!({ "operation": "get_post", "params": args }),
        ),
        (&["--surface", "meta"], "execute_read", json!({ "tool": "wpnav_get_post", "args": args })),
    ];
    let answers = ways.map(|(surface, tool, arguments)| {
        home.serve_for(User::Agrees, surface).ok(tool, arguments)
    });
    assert_eq!(answers[0]["title"], "Everywhere");
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[test]
fn an_earlier_version_is_restored() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let id = server.ok("create_post", json!({ "title": "First", "content": "one" }))["id"].take();
    server.ok("update_post", json!({ "id": id, "content": "two" }));
    server.ok("update_post", json!({ "id": id, "content": "three" }));
    let versions = server.ok("list_post_revisions", json!({ "id": id }));
    let versions = versions["revisions"].as_array().unwrap();
    let read = |server: &mut crate::Server, revision: &Value| {
        let asked = json!({ "id": id, "revision": revision["id"] });
        server.ok("get_post_revision", asked)["content"].take()
    };
    let two = versions.iter().find(|version| read(&mut server, version) == "two").unwrap();
    server.ok("restore_post_revision", json!({ "id": id, "revision": two["id"] }));
    assert_eq!(server.ok("get_post", json!({ "id": id }))["content"], "two");
}

#[test]
fn several_things_are_changed_in_one_call() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let post = server.ok("create_post", json!({ "title": "Batch" }))["id"].take();
    let tag = server.ok("create_tag", json!({ "name": "Batch" }))["id"].take();
    let updates = json!([
        { "kind": "post", "id": post, "set": { "status": "pending", "tags": [tag] } },
        { "kind": "page", "id": 999_999, "set": { "title": "Nobody" } },
        { "kind": "tag", "id": tag, "set": { "nam": "Batches" } },
        { "kind": "tag", "id": tag, "set": { "name": "Batches" } },
    ]);
    let done = server.ok("batch_update", json!({ "updates": updates }));
    assert_eq!(done["updated"], 2, "{done}");
    let codes = done["results"].as_array().unwrap().iter();
    let codes: Vec<&Value> = codes.map(|result| &result["error"]["code"]).collect();
    assert_eq!(
        codes,
        [&Value::Null, &json!("NOT_FOUND"), &json!("VALIDATION_ERROR"), &Value::Null]
    );

    let calls = json!([
        { "tool": "wpnav_get_post", "args": { "id": post } },
        { "tool": "taxonomy.get_tag", "args": { "id": tag } },
    ]);
    let read = server.ok("batch_get", json!({ "calls": calls }));
    assert!(read.to_string().contains("pending") && read.to_string().contains("Batches"), "{read}");
}

#[test]
fn sample_content_is_created_once() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let made = server.ok("seed_test_data", json!({}));
    assert_eq!(made["created"].as_array().map(Vec::len), Some(4));
    assert_eq!(server.ok("seed_test_data", json!({}))["created"], json!([]));
}
