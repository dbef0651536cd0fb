//! Terms, users, plugins, themes and settings.

use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use crate::{Home, WordPress};

/// WordPress keeps the active plugins in one option: of two changes at once, one is lost.
static PLUGINS: Mutex<()> = Mutex::new(());

#[test]
fn the_site_describes_itself() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let overview = server.ok("get_site_overview", json!({}));
    assert_eq!((&overview["name"], &overview["user"]), (&json!("Harbour"), &json!("admin")));
    let types = server.ok("list_post_types", json!({}));
    let slugs: Vec<&Value> =
        types["types"].as_array().unwrap().iter().map(|found| &found["slug"]).collect();
    assert!(slugs.contains(&&json!("post")) && slugs.contains(&&json!("page")), "{types}");
    let statuses = server.ok("list_post_statuses", json!({}));
    assert!(statuses.to_string().contains("\"draft\""), "{statuses}");
    let taxonomies = server.ok("list_taxonomies", json!({}));
    assert!(taxonomies.to_string().contains("post_tag"), "{taxonomies}");
    let changed = json!({ "description": "By the sea", "posts_per_page": 12 });
    server.ok("update_settings", changed);
    assert_eq!(server.ok("get_settings", json!({}))["posts_per_page"], 12);
    assert_eq!(server.ok("test_connection", json!({}))["name"], "admin");
    let health = server.ok("check_health", json!({ "test": "https-status" }));
    assert_eq!(health["status"], "recommended");
}

#[test]
fn terms_are_created_once_and_deleted() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    for (kind, one) in [("categories", "category"), ("tags", "tag")] {
        let made = server.ok(&format!("create_{one}"), json!({ "name": "Boats" }));
        let twice = server.error(&format!("create_{one}"), json!({ "name": "Boats" }));
        assert_eq!(twice["code"], "ALREADY_EXISTS", "{twice}");
        let found = server.ok(&format!("list_{kind}"), json!({ "search": "Boats" }));
        assert_eq!((&found["total"], &found[kind][0]["id"]), (&json!(1), &made["id"]));
        let renamed = json!({ "id": made["id"], "name": "Ships" });
        assert_eq!(server.ok(&format!("update_{one}"), renamed)["name"], "Ships");
        server.ok(&format!("delete_{one}"), json!({ "id": made["id"] }));
        let gone = server.error(&format!("get_{one}"), json!({ "id": made["id"] }));
        assert_eq!(gone["code"], "NOT_FOUND");
    }
}

#[test]
fn users_are_created_changed_and_deleted() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let dora = json!({
        "username": "dora", "email": "dora@example.test", "password": "a-long-password",
        "role": "author",
    });
    let made = server.ok("create_user", dora.clone());
    let twice = server.error("create_user", dora);
    assert_eq!((&twice["code"], &twice["path"]), (&json!("ALREADY_EXISTS"), &json!("/username")));
    let promoted = json!({ "id": made["id"], "role": "editor" });
    assert_eq!(server.ok("update_user", promoted)["roles"], json!(["editor"]));
    let editors = server.ok("list_users", json!({ "role": "editor", "search": "dora" }));
    assert_eq!(editors["total"], 1);
    let deleted = json!({ "id": made["id"], "reassign": 1 });
    assert_eq!(server.ok("delete_user", deleted)["id"], made["id"]);
}

#[test]
fn plugins_and_themes_are_switched() {
    let Some(site) = WordPress::shared() else { return };
    let _alone = PLUGINS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut server = Home::new(site, "admin").serve(&[]);
    let hello = json!({ "plugin": "hello" });
    for _ in 0..2 {
        assert_eq!(server.ok("activate_plugin", hello.clone())["status"], "active");
    }
    let busy = server.error("delete_plugin", hello.clone());
    assert_eq!(busy["code"], "CONFLICT", "{busy}");
    assert_eq!(server.ok("deactivate_plugin", hello)["status"], "inactive");
    // Its id has two segments.
    let database = "plugin-sqlite-database-integration/load";
    let read = server.ok("get_plugin", json!({ "plugin": database }));
    assert_eq!(read["plugin"], database);

    let themes = server.ok("list_themes", json!({ "status": "active" }));
    let active = &themes["themes"][0]["stylesheet"];
    let switched = server.ok("activate_theme", json!({ "stylesheet": active }));
    assert_eq!(&switched["stylesheet"], active);
    let missing = server.error("activate_theme", json!({ "stylesheet": "none-such" }));
    assert_eq!(missing["code"], "NOT_FOUND", "{missing}");
    let home = json!({ "theme": active, "slug": "index" });
    assert!(server.ok("get_template", home)["content"].is_string());
    assert!(server.ok("list_widgets", json!({}))["widgets"].is_array());
}

#[test]
fn menus_are_built() {
    let Some(site) = WordPress::shared() else { return };
    let mut server = Home::new(site, "admin").serve(&[]);
    let menu = server.ok("create_menu", json!({ "name": "Main" }))["id"].take();
    let shop = json!({ "menu": menu, "title": "Shop", "url": "https://shop.example/" });
    let shop = server.ok("create_menu_item", shop)["id"].take();
    let entries = server.ok("list_menu_items", json!({ "menu": menu }));
    assert_eq!((&entries["total"], &entries["items"][0]["id"]), (&json!(1), &shop));
    server.ok("delete_menu_item", json!({ "id": shop }));
}

#[test]
fn a_plugin_of_the_directory_is_installed_once() {
    let Some(site) = WordPress::shared() else { return };
    let _alone = PLUGINS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut server = Home::new(site, "admin").serve(&[]);
    let harbour = json!({ "slug": "harbour", "status": "active" });
    let installed = server.ok("install_plugin", harbour.clone());
    assert_eq!(
        (&installed["plugin"], &installed["status"]),
        (&json!("harbour/harbour"), &json!("active"))
    );
    assert_eq!(server.error("install_plugin", harbour)["code"], "ALREADY_EXISTS");
    let unknown = server.error("install_plugin", json!({ "slug": "no-such-plugin" }));
    assert_eq!(unknown["code"], "NOT_FOUND", "{unknown}");
    let plugin = json!({ "plugin": "harbour/harbour" });
    server.ok("deactivate_plugin", plugin.clone());
    server.ok("delete_plugin", plugin.clone());
    assert_eq!(server.error("get_plugin", plugin)["code"], "NOT_FOUND");
}
