//! Files of the library.

use serde_json::json;

use crate::{Home, WordPress};

/// An image of one pixel.
const DOT: &str = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==";

#[test]
fn a_file_is_uploaded_described_and_deleted() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let file = json!({
        "content": DOT, "file_name": "dot.gif", "media_type": "image/gif", "alt_text": "A dot",
    });
    let uploaded = server.ok("upload_media", file);
    assert_eq!((&uploaded["width"], &uploaded["size"]), (&json!(1), &json!(34)), "{uploaded}");
    assert_eq!(uploaded["alt_text"], "A dot");
    let id = &uploaded["id"];
    let described = json!({ "id": id, "alt_text": "A black dot", "caption": "Dot" });
    assert_eq!(server.ok("update_media", described)["alt_text"], "A black dot");
    assert_eq!(server.ok("get_media", json!({ "id": id }))["caption"], "Dot");
    let found = server.ok("list_media", json!({ "media_type": "image", "search": "dot" }));
    assert!(found["total"].as_u64() >= Some(1), "{found}");
    let refused = json!({ "content": DOT, "file_name": "dot.exe", "media_type": "image/gif" });
    assert_eq!(server.error("upload_media", refused)["code"], "VALIDATION_ERROR");
    assert_eq!(&server.ok("delete_media", json!({ "id": id }))["id"], id);
    assert_eq!(server.error("get_media", json!({ "id": id }))["code"], "NOT_FOUND");
}

#[test]
fn a_file_of_another_site_is_imported_if_its_address_is_allowed() {
    let Some(site) = WordPress::shared() else { return };
    let home = Home::new(site, "admin");
    let file = json!({ "content": DOT, "file_name": "source.gif", "media_type": "image/gif" });
    let url = home.serve(&[]).ok("upload_media", file)["source_url"].take();
    let import = json!({ "url": url, "title": "Imported", "alt_text": "A dot" });
    let refused = home.serve(&[]).error("upload_media_from_url", import.clone());
    assert_eq!((&refused["code"], &refused["path"]), (&json!("VALIDATION_ERROR"), &json!("/url")));
    let mut server = home.serve(&["--media-allow", "127.0.0.0/8"]);
    let imported = server.ok("upload_media_from_url", import);
    assert_eq!((&imported["title"], &imported["size"]), (&json!("Imported"), &json!(34)));
    let missing = format!("{}/none.gif", site.api);
    let missing = server.error("upload_media_from_url", json!({ "url": missing }));
    assert_eq!(missing["code"], "NOT_FOUND", "{missing}");
}

/// An image of eight by four pixels.
const STRIPE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAECAIAAAA8r+mnAAAACXBIWXMAAA7EAAAOxAGVKw4bAAAAGUlEQVQImWM8ISfHAAMWjx7B2UwMOADpEgAQMwMITZQK/gAAAABJRU5ErkJggg==";

#[test]
fn an_image_is_turned_and_cropped_into_a_new_one() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let file = json!({ "content": STRIPE, "file_name": "stripe.png", "media_type": "image/png" });
    let original = server.ok("upload_media", file);
    let edit = |change: serde_json::Value| {
        let mut arguments = json!({ "id": original["id"], "src": original["source_url"] });
        arguments.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        arguments
    };
    let turned = server.ok("edit_image", edit(json!({ "rotation": 90 })));
    assert_eq!((&turned["width"], &turned["height"]), (&json!(4), &json!(8)), "{turned}");
    let left = json!({ "crop": { "x": 0, "y": 0, "width": 50, "height": 100 } });
    let cropped = server.ok("edit_image", edit(left));
    assert_eq!((&cropped["width"], &cropped["height"]), (&json!(4), &json!(4)), "{cropped}");
    assert_ne!(cropped["id"], original["id"]);
    assert_eq!(server.ok("get_media", json!({ "id": original["id"] }))["width"], 8);

    // WordPress fails on a box without content, and on one that is less than a pixel.
    for (width, path) in [(0, "/crop/width"), (1, "/crop")] {
        let nothing = json!({ "crop": { "x": 0, "y": 0, "width": width, "height": 100 } });
        let refused = server.error("edit_image", edit(nothing));
        assert_eq!(
            (&refused["code"], &refused["path"]),
            (&json!("VALIDATION_ERROR"), &json!(path))
        );
    }
}
