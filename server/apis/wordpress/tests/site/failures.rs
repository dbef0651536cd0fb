//! Sites that do not answer, or not us.

use std::net::TcpListener;

use serde_json::json;

use crate::{Home, WordPress};

#[test]
fn a_wrong_password_makes_the_provider_unavailable() {
    let Some(site) = WordPress::shared() else { return };
    let wrong = "aaaa bbbb cccc dddd eeee ffff";
    let home = Home::with(&site.api, "admin", wrong, "read_only = false");
    // WordPress answers anonymous readers, so that only the probe finds a wrong password.
    let refused = home.serve(&[]).error("list_posts", json!({}));
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
    assert!(!refused.to_string().contains(wrong), "{refused}");
    let called = home.call(&["wpnav_list_posts", "--limit", "10"]);
    assert_eq!(called.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&called.stderr).contains("PROVIDER_UNAVAILABLE"));
}

#[test]
fn a_site_that_is_down_makes_the_provider_unavailable() {
    let Some(_) = WordPress::shared() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/wp-json", listener.local_addr().unwrap());
    drop(listener);
    let home = Home::with(&url, "admin", "any", "read_only = false");
    let refused = home.serve(&[]).error("list_posts", json!({}));
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
}

#[test]
fn a_revoked_password_ends_the_access() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "carl");
    let mut carl = home.serve(&[]);
    let user = carl.ok("get_current_user", json!({}))["id"].take();
    let mut admin = Home::new(site, "admin").serve(&[]);
    let listed = admin.ok("list_application_passwords", json!({ "id": user }));
    let uuid = &listed["passwords"][0]["uuid"];
    let revoked = admin.ok("revoke_application_password", json!({ "id": user, "uuid": uuid }));
    assert_eq!((&revoked["deleted"], &revoked["name"]), (&json!(true), &json!("toolwrit")));
    let refused = carl.error("create_post", json!({ "title": "After" }));
    assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{refused}");
}

#[test]
fn invalid_values_name_their_parameter() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let unknown = json!({ "title": "Nobody's", "author": 999_999 });
    let refused = server.error("create_post", unknown);
    assert_eq!(
        (&refused["code"], &refused["path"]),
        (&json!("VALIDATION_ERROR"), &json!("/author"))
    );
    let missing = server.error("get_post", json!({ "id": 999_999 }));
    assert_eq!(missing["code"], "NOT_FOUND");
    assert!(missing["message"].as_str().unwrap().contains("Invalid post ID"), "{missing}");
    let cursor = server.error("list_posts", json!({ "cursor": "made-up" }));
    assert_eq!((&cursor["code"], &cursor["path"]), (&json!("VALIDATION_ERROR"), &json!("/cursor")));
}
