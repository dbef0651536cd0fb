//! The operations as authors and models see them, without a site.

mod paraphrases;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Names on the wire that users of other servers for WordPress know.
const KNOWN: [&str; 28] = [
    "introspect",
    "get_site_overview",
    "list_posts",
    "get_post",
    "create_post",
    "create_page",
    "upload_media_from_url",
    "list_media",
    "list_categories",
    "create_tag",
    "list_users",
    "get_user",
    "list_plugins",
    "activate_plugin",
    "list_themes",
    "activate_theme",
    "gutenberg_insert_block",
    "gutenberg_list_blocks",
    "list_comments",
    "create_comment",
    "batch_get",
    "batch_update",
    "list_cookbooks",
    "get_cookbook",
    "list_roles",
    "load_role",
    "test_metrics",
    "seed_test_data",
];

const CATEGORIES: [&str; 13] = [
    "batch",
    "comments",
    "content",
    "cookbook",
    "core",
    "gutenberg",
    "media",
    "plugins",
    "roles",
    "taxonomy",
    "testing",
    "themes",
    "users",
];

/// What a command prints, without settings of a site.
fn run(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wpnav"));
    let output = command.args(arguments).env_clear().output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&run(arguments)).unwrap()
}

/// The ids of the operations in an answer.
fn ids(answer: &Value) -> Vec<String> {
    let operations = answer["operations"].as_array().or_else(|| answer.as_array()).unwrap();
    operations.iter().map(|operation| operation["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn known_names_are_operations_in_thirteen_categories() {
    let operations = ids(&json(&["list", "--json"]));
    assert!(operations.len() >= 75, "only {} operations", operations.len());
    let categories: BTreeSet<&str> =
        operations.iter().filter_map(|id| id.split('.').next()).collect();
    assert_eq!(categories.into_iter().collect::<Vec<_>>(), CATEGORIES);
    for name in KNOWN {
        run(&["describe", &format!("wpnav_{name}")]);
    }
}

#[test]
fn roles_and_focus_modes_that_users_know_exist() {
    for flags in [
        ["--focus", "full-admin"],
        ["--focus", "content-editing"],
        ["--focus", "read-only"],
        ["--role", "content-editor"],
    ] {
        run(&[&["list"], &flags[..]].concat());
    }
}

#[test]
fn those_who_edit_content_delete_nothing() {
    for flags in [["--focus", "content-editing"], ["--role", "content-editor"]] {
        let listed = json(&[&["list", "--json"], &flags[..]].concat());
        let operations = listed["operations"].as_array().or_else(|| listed.as_array()).unwrap();
        assert!(operations.iter().any(|row| row["effect"] == "write"), "{flags:?}");
        assert!(operations.iter().all(|row| row["effect"] != "destroy"), "{flags:?}: {listed}");
    }
}

#[test]
fn searches_find_uploads_and_name_withheld_writes() {
    let found = json(&["search", "upload images to media library", "--json"]);
    assert_eq!(found["operations"][0]["id"], "media.upload_media", "{found}");
    let found = json(&["search", "create new blog post", "--read-only", "--json"]);
    assert_eq!(found["reason"], "withheld", "{found}");
    assert_eq!(found["because"], "WRITES_DISABLED", "{found}");
    assert!(found["withheld"][0].as_str().unwrap().starts_with("content.create_post: "), "{found}");
    assert!(!found["remedy"].as_str().unwrap().is_empty(), "{found}");
}

#[test]
fn the_manifest_is_in_order_and_within_its_budgets() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("authority.yaml");
    let checked = run(&["check", manifest.to_str().unwrap()]);
    assert!(checked.contains("0 warnings"), "{checked}");
    let tokens = json(&["tokens", "--json"]);
    let meta = tokens["surfaces"].as_array().unwrap().iter();
    let meta: Vec<u64> = meta
        .filter(|row| row["surface"] == "meta")
        .map(|row| row["tokens"].as_u64().unwrap())
        .collect();
    assert!(!meta.is_empty() && meta.iter().all(|tokens| *tokens <= 500), "{meta:?}");
}
