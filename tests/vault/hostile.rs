//! Paths that try to leave the vault, or to reach hidden files in it.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::vaults;

const SECRET: &str = "the-sentinel-text";

/// A vault beside folders that it must not reach; the name of one of them starts with the vault's.
struct Neighbourhood(TempDir);

impl Neighbourhood {
    fn new() -> Self {
        let parent = TempDir::new().unwrap();
        for folder in ["vault/.obsidian", "vault/Plans", "vault-evil/sub", "outside"] {
            fs::create_dir_all(parent.path().join(folder)).unwrap();
        }
        let write = |path: &str, text: &str| fs::write(parent.path().join(path), text).unwrap();
        write("vault/.obsidian/app.json", r#"{"trashOption":"local","note":"the-sentinel-text"}"#);
        write("vault/.env.md", SECRET);
        write("vault/Inbox.md", "public");
        write("vault/Plans/Plan.md", "public");
        write("vault-evil/secret.md", SECRET);
        write("vault-evil/sub/secret.md", SECRET);
        write("outside/secret.md", SECRET);
        let link = |target: &str, name: &str| symlink(target, parent.path().join(name)).unwrap();
        link("../vault-evil", "vault/out");
        link("../vault-evil/secret.md", "vault/leak.md");
        link("../../outside", "vault/Plans/up");
        link("../outside/new.md", "vault/dangling.md");
        link("loop", "vault/loop");
        Self(parent)
    }

    fn vault(&self) -> PathBuf {
        self.0.path().join("vault")
    }

    /// Everything except the server's own folder.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let contents = vaults::contents(self.0.path());
        contents.into_iter().filter(|(path, _)| !path.starts_with("vault/.toolwrit/")).collect()
    }

    fn absolute(&self, path: &str) -> String {
        self.0.path().join(path).to_str().unwrap().to_owned()
    }
}

/// Paths that no operation may accept, as a file, a folder or a bare name.
fn hostile(place: &Neighbourhood) -> Vec<String> {
    let mut paths: Vec<String> = [
        "..",
        "../",
        ".",
        "./Inbox.md",
        "../vault-evil/secret.md",
        "../vault-evil",
        "../outside/secret.md",
        "./../outside/secret.md",
        "Plans/../../outside/secret.md",
        "Plans/../Inbox.md",
        "Plans/../../vault/Inbox.md",
        "Plans/..",
        "/etc/passwd",
        "//server/share/secret.md",
        r"\\server\share\secret.md",
        r"..\outside\secret.md",
        r"Plans\..\..\outside\secret.md",
        r"C:\secret.md",
        "C:/secret.md",
        "c:secret.md",
        "~",
        "~/secret.md",
        "file:///etc/passwd",
        "..%2foutside%2fsecret.md",
        "out",
        "out/secret.md",
        "out/sub/secret.md",
        "out/new.md",
        "leak.md",
        "dangling.md",
        "loop",
        "loop/secret.md",
        "Plans/up/secret.md",
        "Plans/up",
        ".obsidian/app.json",
        ".obsidian",
        ".toolwrit/lock",
        ".trash/secret.md",
        ".env.md",
        ".env",
        "Plans/.hidden/secret.md",
        "Plans//Plan.md",
        "../vault-evil/secret.md\0.md",
        "In\0box.md",
        "Inbox.md\n",
        "In\u{202e}box.md",
        "In\u{200b}box.md",
        "Inbox.md::$DATA",
        "a:b.md",
        "CON",
        "nul.md",
        "Plans/COM1.txt",
        "Inbox.md ",
        "Inbox.md.",
        "... ",
        " ",
        "a|b.md",
        "a*b.md",
    ]
    .map(str::to_owned)
    .into();
    paths.extend(["outside/secret.md", "vault/Inbox.md", "vault"].map(|p| place.absolute(p)));
    paths.push(format!("Plans/{}.md", "n".repeat(260)));
    paths
}

/// Every call with a path: tool and arguments.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("vault_read", json!({ "path": path })),
        ("vault_read", json!({"path": path, "format": "json"})),
        ("vault_attachment", json!({ "path": path })),
        ("vault_task", json!({"path": path, "line": 1, "status": "done"})),
        ("vault_search", json!({"query": "text exists", "mode": "task", "folder": path})),
        ("vault_tag", json!({"action": "add", "tags": ["owned"], "paths": [path]})),
        ("vault_tag", json!({"action": "add", "tags": ["owned"], "folder": path})),
        ("vault_bulk_properties", json!({"paths": [path], "set": {"owned": true}})),
        ("vault_links", json!({"kind": "out", "path": path})),
        ("vault_links", json!({"kind": "neighbours", "path": path})),
        ("vault_links", json!({"kind": "unresolved", "folder": path})),
        ("vault_write", json!({"path": path, "content": "owned"})),
        ("vault_write", json!({"path": path, "content": "owned", "mode": "create"})),
        ("vault_append", json!({"path": path, "content": "owned"})),
        ("vault_move", json!({"path": "Inbox.md", "to": path})),
        ("vault_move", json!({"path": path, "to": "Stolen.md"})),
        ("vault_rename", json!({"path": path, "name": "Stolen"})),
        ("vault_delete", json!({ "path": path })),
        ("vault_list", json!({"folder": path, "recursive": true})),
        ("vault_search", json!({"query": SECRET, "folder": path})),
        ("vault_search", json!({"query": "**", "mode": "glob", "folder": path})),
        ("get_vault_file", json!({ "filename": path })),
    ]
}

/// Sends the calls without waiting and passes each answer to `check`.
fn send_all(
    vault: &Path,
    calls: &[(&'static str, Value)],
    check: impl Fn(&str, &Value, toolwrit_tests::drivers::client::CallResult),
) {
    let mut client = Client::vault(vault, &["--surface", "flat"]);
    for batch in calls.chunks(100) {
        let ids: Vec<u64> =
            batch.iter().map(|(tool, arguments)| client.begin_call(tool, arguments)).collect();
        for ((tool, arguments), id) in batch.iter().zip(ids) {
            check(tool, arguments, client.finish_call(id));
        }
    }
}

#[test]
fn every_operation_refuses_paths_out_of_the_vault() {
    let place = Neighbourhood::new();
    let before = place.contents();
    let parent = place.absolute("");
    let paths = hostile(&place);
    assert!(paths.len() >= 50);
    let calls: Vec<_> = paths.iter().flat_map(|path| calls(path)).collect();
    send_all(&place.vault(), &calls, |tool, arguments, answer| {
        let raw = answer.0.to_string();
        assert_eq!(answer.code(), "INVALID_PATH", "{tool} {arguments}: {raw}");
        assert!(!raw.contains(SECRET), "{tool} {arguments} leaks: {raw}");
        assert!(!raw.contains(parent.trim_end_matches('/')), "{tool} {arguments} shows: {raw}");
    });
    assert_eq!(place.contents(), before, "something changed");
}

#[test]
fn new_names_with_separators_are_refused() {
    let place = Neighbourhood::new();
    let before = place.contents();
    let names = hostile(&place).into_iter().filter(|name| name.len() <= 255);
    let calls = names.map(|name| ("vault_rename", json!({"path": "Inbox.md", "name": name})));
    send_all(&place.vault(), &calls.collect::<Vec<_>>(), |_, arguments, answer| {
        assert_eq!(answer.code(), "INVALID_PATH", "{arguments}: {}", answer.0);
    });
    assert_eq!(place.contents(), before, "something changed");
}

#[test]
fn the_schema_refuses_empty_and_overlong_values() {
    let place = Neighbourhood::new();
    let before = place.contents();
    let endless = "x/".repeat(600);
    // An empty folder is the whole vault.
    let calls = ["", &endless].into_iter().flat_map(calls).filter(|call| call.1["folder"] != "");
    send_all(&place.vault(), &calls.collect::<Vec<_>>(), |tool, arguments, answer| {
        assert_eq!(answer.code(), "VALIDATION_ERROR", "{tool} {arguments}");
    });
    assert_eq!(place.contents(), before, "something changed");
}

#[test]
fn names_that_resemble_parent_segments_stay_inside() {
    let place = Neighbourhood::new();
    let outside = |place: &Neighbourhood| {
        let mut contents = place.contents();
        contents.retain(|(path, _)| !path.starts_with("vault/"));
        contents
    };
    let before = outside(&place);
    let mut client = Client::vault(&place.vault(), &["--surface", "flat"]);
    for path in ["%2e%2e/outside/secret.md", "\u{ff0e}\u{ff0e}/outside/secret.md", "$HOME/x.md"] {
        let written = client.call("vault_write", &json!({"path": path, "content": "inside"})).ok();
        assert_eq!(written["created"], true, "{path}");
        assert_eq!(fs::read(place.vault().join(path)).unwrap(), b"inside");
    }
    assert_eq!(outside(&place), before);
}

#[test]
fn patterns_do_not_match_hidden_or_outside_files() {
    let place = Neighbourhood::new();
    let before = place.contents();
    let patterns = [
        "../**",
        "../vault-evil/*",
        "/**",
        "out/**",
        "**/secret.md",
        ".*",
        "**/.*",
        ".obsidian/*",
        "leak.md",
        "*/up/*",
        "{..,out}/**",
    ];
    let calls = patterns.into_iter().flat_map(|pattern| {
        [
            ("vault_bulk_delete", json!({ "match": pattern })),
            ("vault_list", json!({"recursive": true, "glob": pattern})),
            ("vault_search", json!({"query": pattern, "mode": "glob"})),
        ]
    });
    send_all(&place.vault(), &calls.collect::<Vec<_>>(), |tool, arguments, answer| {
        let value = answer.ok();
        let found = ["items", "entries", "matches"].map(|key| value[key].as_array().map(Vec::len));
        assert!(found.into_iter().flatten().all(|count| count == 0), "{tool} {arguments}: {value}");
    });
    assert_eq!(place.contents(), before, "something changed");
}

#[test]
fn symbolic_links_are_left_out_and_counted() {
    let place = Neighbourhood::new();
    let mut client = Client::vault(&place.vault(), &["--surface", "flat"]);
    let listing = client.call("vault_list", &json!({"recursive": true})).ok();
    assert_eq!(crate::vault::paths(&listing["entries"]), ["Inbox.md", "Plans", "Plans/Plan.md"]);
    assert_eq!(listing["left_out"], 5);
    let found = client.call("vault_search", &json!({ "query": SECRET })).ok();
    assert_eq!(found["total"], 0, "{found}");
}
