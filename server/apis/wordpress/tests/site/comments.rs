//! Comments: written, answered, moderated.

use serde_json::json;

use crate::{Home, WordPress};

#[test]
fn comments_are_written_moderated_and_deleted() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let made = json!({ "title": "Discussed", "status": "publish" });
    let post = server.ok("create_post", made)["id"].take();
    let comment = json!({ "post": post, "content": "When does it open?" });
    let asked = server.ok("create_comment", comment.clone());
    assert_eq!(server.error("create_comment", comment)["code"], "ALREADY_EXISTS");
    let answer = json!({ "post": post, "parent": asked["id"], "content": "At nine." });
    let answer = server.ok("create_comment", answer);
    assert_eq!(answer["parent"], asked["id"]);

    let held = json!({ "id": asked["id"], "status": "hold" });
    assert_eq!(server.ok("moderate_comment", held)["status"], "hold");
    let waiting = server.ok("list_comments", json!({ "post": post, "status": "hold" }));
    assert_eq!((&waiting["total"], &waiting["comments"][0]["id"]), (&json!(1), &asked["id"]));
    let changed = json!({ "id": answer["id"], "content": "At ten." });
    assert_eq!(server.ok("update_comment", changed)["content"], "At ten.");
    let deleted = server.ok("delete_comment", json!({ "id": answer["id"] }));
    assert_eq!(deleted["status"], "trash");
}
