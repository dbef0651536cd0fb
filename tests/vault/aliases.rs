//! The names of older servers, with their parameters.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::files::put;
use toolwrit_tests::vaults;

use crate::vault::active::open;

/// An alias, its own arguments, the current operation, and the part of its result that shows success.
struct Case {
    older: &'static str,
    arguments: Value,
    today: &'static str,
    result: Value,
}

fn case(older: &'static str, arguments: Value, today: &'static str, result: Value) -> Case {
    Case { older, arguments, today, result }
}

/// Aliases of operations that read and write.
fn writing_cases() -> Vec<Case> {
    vec![
        case(
            "get_vault_file",
            json!({"filename": "Read.md"}),
            "vault.read",
            json!({"path": "Read.md", "content": "lantern\n"}),
        ),
        case(
            "create_vault_file",
            json!({"filename": "Made.md", "content": "x"}),
            "vault.write",
            json!({"path": "Made.md", "created": true, "size": 1}),
        ),
        case(
            "append_to_vault_file",
            json!({"filename": "Log.md", "content": "b\n"}),
            "vault.append",
            json!({"path": "Log.md", "created": false, "size": 4}),
        ),
        case(
            "patch_vault_file",
            json!({
                "filename": "Patch.md", "targetType": "heading", "target": "A", "operation": "append",
                "content": "x\n",
            }),
            "vault.patch",
            json!({"path": "Patch.md", "created": false, "size": 6}),
        ),
        case(
            "move_vault_file",
            json!({"source": "Move.md", "destination": "Moved/There.md"}),
            "vault.move",
            json!({"from": "Move.md", "to": "Moved/There.md"}),
        ),
        case(
            "rename_vault_file",
            json!({"filename": "Name.md", "new_name": "Named.md"}),
            "vault.rename",
            json!({"from": "Name.md", "to": "Named.md"}),
        ),
        case(
            "rename_vault_file",
            json!({"filename": "Named.md", "newName": "Name.md"}),
            "vault.rename",
            json!({"from": "Named.md", "to": "Name.md"}),
        ),
        case(
            "patch_vault_file",
            json!({
                "filename": "Patch.md", "targetType": "heading", "target": "A", "operation": "append",
                "content": "y\n", "targetDelimiter": "::", "trimTargetWhitespace": true,
                "contentType": "text/markdown",
            }),
            "vault.patch",
            json!({"path": "Patch.md", "created": false, "size": 9}),
        ),
        case(
            "search_vault_simple",
            json!({"query": "lantern", "contextLength": 20}),
            "vault.search",
            json!({"total": 1, "files": 1}),
        ),
        case("list_vault_files", json!({"directory": "Folder"}), "vault.list", json!({"total": 1})),
        case(
            "search_vault",
            json!({"query": "lan[t]ern", "mode": "regex"}),
            "vault.search",
            json!({"total": 1, "files": 1}),
        ),
        case(
            "search_vault_simple",
            json!({"query": "lantern"}),
            "vault.search",
            json!({"total": 1, "files": 1}),
        ),
        case(
            "search_vault",
            json!({"query": "lantern", "type": "search", "options": {"limit": 1}}),
            "vault.search",
            json!({"total": 1, "files": 1}),
        ),
        case(
            "vault.search_simple",
            json!({"query": "lantern"}),
            "vault.search",
            json!({"total": 1, "files": 1}),
        ),
    ]
}

/// Aliases of operations that delete, and of other categories.
fn other_cases() -> Vec<Case> {
    vec![
        case(
            "delete_vault_file",
            json!({"filename": "Delete.md", "dryRun": true}),
            "vault.delete",
            json!({"path": "Delete.md", "disposal": "would_trash"}),
        ),
        case(
            "delete_vault_file",
            json!({"filename": "Delete.md"}),
            "vault.delete",
            json!({"path": "Delete.md", "trashed_as": ".trash/Delete.md"}),
        ),
        case(
            "bulk_delete_files",
            json!({"match": "Folder/*.md", "dry_run": true}),
            "vault.bulk_delete",
            json!({"items": [{
                "path": "Folder/A.md",
                "outcome": "would_delete",
                "etag": "ca978112ca1bbdca",
            }]}),
        ),
        case(
            "bulk_delete_files",
            json!({"match": "LANTERN", "type": "search", "dryRun": true}),
            "vault.bulk_delete",
            json!({"total": 1}),
        ),
        case("get_active_file", json!({}), "active.read", json!({"path": "Open.md"})),
        case(
            "append_to_active_file",
            json!({"content": "b\n"}),
            "active.append",
            json!({"path": "Open.md", "created": false, "size": 6}),
        ),
        case(
            "patch_active_file",
            json!({
                "targetType": "heading", "target": "A", "operation": "append", "content": "c\n",
                "rejectIfContentPreexists": true, "createTargetIfMissing": false,
            }),
            "active.patch",
            json!({"path": "Open.md", "created": false, "size": 9}),
        ),
        case(
            "update_active_file",
            json!({"content": "new"}),
            "active.write",
            json!({"path": "Open.md", "created": false, "size": 3}),
        ),
        case(
            "delete_active_file",
            json!({}),
            "active.delete",
            json!({"path": "Open.md", "trashed_as": ".trash/Open.md"}),
        ),
    ]
}

fn cases() -> Vec<Case> {
    writing_cases().into_iter().chain(other_cases()).collect()
}

/// Every tool through which an alias can be called: as its own tool, and as an operation of the surface's
/// tools.
fn tools_for(older: &str, arguments: &Value, today: &str) -> [(&'static str, String, Value); 5] {
    let effect = effect(today);
    let category = if today.starts_with("active.") { "active_file" } else { "vault" };
    let own =
        |tool: String, names: [&str; 2]| (tool, json!({names[0]: older, names[1]: arguments}));
    let (category, params) = own(format!("{category}_{effect}"), ["operation", "params"]);
    let (execute, args) = own(format!("execute_{effect}"), ["tool", "args"]);
    [
        ("flat", older.to_owned(), arguments.clone()),
        ("dispatch", older.to_owned(), arguments.clone()),
        ("meta", older.to_owned(), arguments.clone()),
        ("dispatch", category, params),
        ("meta", execute, args),
    ]
}

fn effect(operation: &str) -> &'static str {
    match operation {
        "vault.read" | "vault.list" | "vault.search" | "active.read" => "read",
        "vault.delete" | "vault.bulk_delete" | "active.delete" => "delete",
        _ => "write",
    }
}

#[test]
fn aliases_work_on_every_surface_and_name_the_current_operation() {
    let cases = cases();
    for round in 0..5 {
        let folder = vaults::empty();
        for (path, text) in [
            ("Read.md", "lantern\n"),
            ("Log.md", "a\n"),
            ("Patch.md", "# A\n"),
            ("Move.md", "m"),
            ("Name.md", "n"),
            ("Delete.md", "d"),
            ("Folder/A.md", "a"),
            ("Open.md", "# A\n"),
        ] {
            put(&folder.path().join(path), text);
        }
        open(folder.path(), "Open.md");
        let surface = tools_for("", &json!({}), "vault.read")[round].0;
        let mut client = Client::vault(folder.path(), &["--surface", surface]);
        for Case { older, arguments, today, result } in &cases {
            let (_, tool, arguments) = &tools_for(older, arguments, today)[round];
            let answer = client.call(tool, arguments);
            let hint = answer.0["content"][1]["text"].as_str().unwrap_or_default().to_owned();
            assert!(
                hint.starts_with(&format!("`{older}` is now `{today}`: {today}(")),
                "{surface} {tool}: {}",
                answer.0
            );
            assert_eq!(answer.0["_meta"]["toolwrit/migration"], hint, "{surface} {tool}");
            let value = answer.ok();
            for (field, expected) in result.as_object().unwrap() {
                assert_eq!(&value[field], expected, "{surface} {tool}: {field} of {value}");
            }
        }
    }
}

#[test]
fn current_names_get_no_hint() {
    let folder = vaults::empty();
    let mut client = Client::vault(folder.path(), &["--surface", "flat"]);
    let answer = client.call("vault_list", &json!({}));
    assert_eq!(answer.0["content"].as_array().unwrap().len(), 1, "{}", answer.0);
    assert!(answer.0["_meta"].get("toolwrit/migration").is_none(), "{}", answer.0);
}

#[test]
fn aliases_are_not_listed_but_described() {
    let folder = vaults::empty();
    let mut client = Client::vault(folder.path(), &["--surface", "meta"]);
    let listed: Vec<String> =
        client.tools().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    for Case { older, today, .. } in cases() {
        assert!(!listed.iter().any(|name| name == older), "{older}");
        let described = client.call("describe_tools", &json!({"tools": [older]})).ok();
        assert_eq!(described["tools"][0]["id"], today, "{older}");
        let names = described["tools"][0]["aliases"].as_array().unwrap();
        assert!(names.iter().any(|name| name == older), "{described}");
    }
}

/// The kind of a query decides which operation an older search is.
#[test]
fn an_older_search_runs_dataview_or_says_what_to_use_instead() {
    let folder = vaults::empty();
    for (path, text) in [
        (".obsidian/community-plugins.json", r#"["dataview"]"#),
        (".obsidian/plugins/dataview/manifest.json", r#"{"id": "dataview", "version": "0.5.68"}"#),
        ("Folder/A.md", "a"),
    ] {
        put(&folder.path().join(path), text);
    }
    let query = |kind: &str| json!({"queryType": kind, "query": "LIST FROM \"Folder\""});
    for surface in ["flat", "dispatch", "meta"] {
        let mut client = Client::vault(folder.path(), &["--surface", surface]);
        for (tool, name, arguments) in [
            ("search_vault", None, None),
            ("execute", Some("tool"), Some("args")),
            ("vault", Some("operation"), Some("params")),
        ] {
            let mut call = |kind: &str| {
                let arguments = match (name, arguments) {
                    (Some(name), Some(within)) => {
                        json!({name: "search_vault", within: query(kind)})
                    }
                    _ => query(kind),
                };
                client.call(tool, &arguments)
            };
            let answer = call("dataview");
            let hint = answer.0["_meta"]["toolwrit/migration"].as_str().unwrap_or_default();
            let begin = "`search_vault(queryType: dataview)` is now `plugin.dataview.query`: ";
            assert!(hint.starts_with(begin), "{surface} {tool}: {}", answer.0);
            assert!(answer.ok().to_string().contains("Folder/A.md"), "{surface} {tool}");
            let refused = call("jsonlogic").error();
            assert_eq!(refused["code"], "TOOL_NOT_FOUND", "{surface} {tool}: {refused}");
            assert!(refused["hint"].as_str().unwrap().contains("frontmatter"), "{refused}");
            let other = call("sql").error();
            assert_eq!(other["path"], "/queryType", "{surface} {tool}: {other}");
            assert!(other["hint"].as_str().unwrap().contains("dataview"), "{other}");
        }
    }
}

#[test]
fn older_content_is_json_if_its_type_says_so() {
    let folder = vaults::empty();
    put(&folder.path().join("Patch.md"), "---\ntags: []\n---\n# A\n");
    let mut client = Client::vault(folder.path(), &["--surface", "flat"]);
    let mut call = |more: Value| {
        let mut arguments = json!({
            "filename": "Patch.md", "targetType": "frontmatter", "target": "tags",
            "operation": "replace",
        });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.call("patch_vault_file", &arguments)
    };
    call(json!({"content": "[\"a\", \"b\"]", "contentType": "application/json"})).ok();
    let wrong = call(json!({"content": "[\"a\"", "contentType": "application/json"})).error();
    assert_eq!(wrong["path"], "/content", "{wrong}");
    for (older, value) in [("targetDelimiter", "/"), ("contentType", "text/html")] {
        let fault = call(json!({"content": "x", older: value})).error();
        assert_eq!(fault["path"], format!("/{older}"), "{fault}");
        assert_eq!(fault["code"], "VALIDATION_ERROR", "{fault}");
    }
    let read = json!({"path": "Patch.md", "format": "json"});
    assert_eq!(client.call("vault_read", &read).ok()["frontmatter"], json!({"tags": ["a", "b"]}));
}

#[test]
fn the_older_name_of_fetch_takes_its_older_arguments() {
    let folder = vaults::empty();
    let mut client = Client::vault(folder.path(), &["--surface", "flat"]);
    let page = json!({"url": "http://127.0.0.1:1/", "maxLength": 10, "startIndex": 0});
    // The arguments are valid; only the page may not be fetched.
    assert_eq!(client.call("fetch_url", &page).error()["path"], "/url");
    let wrong = json!({"url": "http://127.0.0.1:1/", "maxLength": 0});
    assert_eq!(client.call("fetch_url", &wrong).error()["path"], "/max_length");
}
