//! Single blocks of stored texts.

use serde_json::{Value, json};

use crate::{Home, Server, WordPress};

/// Two blocks, with odd spacing and attributes that must stay as they are.
const TEXT: &str = "<!-- wp:paragraph {\"align\" : \"left\"} -->\n<p>One</p>\n<!-- /wp:paragraph -->\n\n\n\
    <!-- wp:group -->\n<div class=\"wp-block-group\"><!-- wp:quote -->\n\
    <blockquote class=\"wp-block-quote\"><p>Two</p></blockquote>\n<!-- /wp:quote --></div>\n\
    <!-- /wp:group -->";
const NEW: &str =
    "<!-- wp:heading -->\n<h2 class=\"wp-block-heading\">New</h2>\n<!-- /wp:heading -->";

fn names(server: &mut Server, id: &Value, holder: &str) -> Vec<Value> {
    let listed = server.ok("gutenberg_list_blocks", json!({ "id": id, "in": holder }));
    let blocks = listed["blocks"].as_array().unwrap().iter();
    blocks.map(|block| json!([block["path"], block["name"]])).collect()
}

#[test]
fn edits_change_only_the_blocks_that_they_name() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let made = server.ok("create_post", json!({ "title": "Blocks", "content": TEXT }));
    let id = &made["id"];
    let stored = |server: &mut Server| {
        server.ok("get_post", json!({ "id": id }))["content"].as_str().unwrap().to_owned()
    };
    let paragraph = json!([[0], "core/paragraph"]);
    let group = json!([[1], "core/group"]);
    let quote = json!([[1, 0], "core/quote"]);
    assert_eq!(names(&mut server, id, "post"), [paragraph, group, quote]);

    let inserted = json!({ "id": id, "path": [1], "markup": NEW, "if_match": made["modified"] });
    let inserted = server.ok("gutenberg_insert_block", inserted);
    assert_eq!((&inserted["path"], &inserted["blocks"]), (&json!([1]), &json!(4)));
    let text = stored(&mut server);
    let (first, rest) = TEXT.split_once("\n\n\n").unwrap();
    assert!(text.starts_with(first) && text.ends_with(rest) && text.contains(NEW), "{text}");

    let read = server.ok("gutenberg_get_block", json!({ "id": id, "path": [1] }));
    assert_eq!((&read["markup"], &read["name"]), (&json!(NEW), &json!("core/heading")));
    server.ok("gutenberg_move_block", json!({ "id": id, "path": [1], "to": [0] }));
    assert_eq!(names(&mut server, id, "post")[0], json!([[0], "core/heading"]));
    let attributes = json!({ "id": id, "path": [2, 0], "attributes": { "className": "lead" } });
    server.ok("gutenberg_update_block", attributes);
    assert!(stored(&mut server).contains("<!-- wp:quote {\"className\":\"lead\"} -->"));
    let replaced = json!({ "id": id, "path": [2, 0], "markup": NEW });
    server.ok("gutenberg_replace_block", replaced);
    assert!(!stored(&mut server).contains("wp:quote"));
    server.ok("gutenberg_remove_block", json!({ "id": id, "path": [2] }));
    server.ok("gutenberg_remove_block", json!({ "id": id, "path": [0] }));
    assert_eq!(stored(&mut server).trim_end(), first);
}

#[test]
fn edits_of_another_version_or_of_nothing_are_refused() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let id = server.ok("create_page", json!({ "title": "Blocks", "content": TEXT }))["id"].take();
    let stale = json!({
        "id": id, "in": "page", "path": [0], "markup": NEW, "if_match": "2020-01-01T00:00:00",
    });
    assert_eq!(server.error("gutenberg_replace_block", stale)["code"], "CONFLICT");
    let missing = json!({ "id": id, "in": "page", "path": [7] });
    let missing = server.error("gutenberg_remove_block", missing);
    assert_eq!((&missing["code"], &missing["path"]), (&json!("NOT_FOUND"), &json!("/path")));
    let html = json!({ "id": id, "in": "page", "path": [0], "markup": "<p>no block</p>" });
    let html = server.error("gutenberg_insert_block", html);
    assert_eq!((&html["code"], &html["path"]), (&json!("VALIDATION_ERROR"), &json!("/markup")));
    let outside = json!({ "id": id, "in": "page", "path": [0], "to": [9] });
    let outside = server.error("gutenberg_move_block", outside);
    assert_eq!((&outside["code"], &outside["path"]), (&json!("VALIDATION_ERROR"), &json!("/to")));
    assert_eq!(server.ok("get_page", json!({ "id": id }))["content"], TEXT);
}

#[test]
fn saved_blocks_hold_blocks_too() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let made = json!({ "title": "Opening hours", "content": NEW });
    let id = server.ok("gutenberg_create_saved_block", made)["id"].take();
    assert_eq!(names(&mut server, &id, "block"), [json!([[0], "core/heading"])]);
    server.ok(
        "gutenberg_insert_block",
        json!({ "id": id, "in": "block", "path": [1], "markup": NEW }),
    );
    assert_eq!(names(&mut server, &id, "block").len(), 2);
    let found = server.ok("gutenberg_list_saved_blocks", json!({ "search": "Opening" }));
    assert_eq!(found["total"], 1);
    server.ok("gutenberg_delete_saved_block", json!({ "id": id, "forever": true }));
}

#[test]
fn the_kinds_of_blocks_are_known() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let types = server.ok("gutenberg_list_block_types", json!({ "namespace": "core" }));
    assert!(types["types"].as_array().unwrap().len() > 50, "{types}");
    let paragraph = server.ok("gutenberg_get_block_type", json!({ "name": "core/paragraph" }));
    assert!(paragraph["attributes"]["dropCap"].is_object(), "{paragraph}");
    let block = json!({ "name": "core/latest-posts", "attributes": { "postsToShow": 1 } });
    let html = server.ok("gutenberg_render_block", block)["html"].take();
    assert!(html.as_str().unwrap().contains("wp-block-latest-posts"), "{html}");
    let patterns = server.ok("gutenberg_list_patterns", json!({}));
    assert!(!patterns["patterns"].as_array().unwrap().is_empty());
}
