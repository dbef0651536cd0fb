//! Which surface, focus mode and role a request gets: path, headers, flags.

use std::collections::BTreeSet;

use serde_json::json;
use tempfile::TempDir;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

fn serve(home: &Home, vault: &TempDir, flags: &[&str]) -> Server {
    let vault = vault.path().to_str().unwrap();
    home.serve(toolwrit(), &[&["--vault", vault], flags].concat())
}

/// The operations that an endpoint shows.
fn visible(server: &Server, focus: &str, headers: &[(&str, &str)]) -> BTreeSet<String> {
    let client = server.client(&format!("/flat{focus}"));
    let client = headers.iter().fold(client, |client, (name, value)| client.with(name, value));
    client.tools().into_iter().collect()
}

#[test]
fn the_path_chooses_surface_and_focus() {
    let (home, vault) = (Home::new(), vaults::empty());
    let server = serve(&home, &vault, &["--surface", "dispatch", "--focus", "read-only"]);
    assert!(server.client("").tools().contains(&"discover".to_owned()));
    assert!(!server.client("").tools().contains(&"vault_write".to_owned()));
    assert!(server.client("/meta").tools().contains(&"search_tools".to_owned()));
    let writes = visible(&server, "/content-editing", &[]);
    assert!(writes.contains("vault_write") && !writes.contains("vault_delete"), "{writes:?}");
    assert!(visible(&server, "/full", &[]).contains("vault_delete"));
    let introspected = server.client("/meta/full").call("introspect", &json!({})).ok();
    assert_eq!(introspected["focus"], "full", "{introspected}");
}

#[test]
fn unknown_paths_name_the_choices() {
    let (home, vault) = (Home::new(), vaults::empty());
    let server = serve(&home, &vault, &[]);
    let unknown = server.post("/flatt", &[], "{}");
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.error()["expected"], json!(["flat", "dispatch", "meta", "auto"]));
    let unknown = server.post("/flat/fulll", &[], "{}");
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.error()["expected"], json!(["full", "content-editing", "read-only"]));
    for path in ["/flat/full/x", "//", "/flat/full//"] {
        assert_eq!(server.post(path, &[], "{}").status, 404, "{path}");
    }
}

#[test]
fn headers_only_restrict() {
    let (home, vault) = (Home::new(), vaults::empty());
    let server = serve(&home, &vault, &[]);
    for path in ["/full", "/content-editing", "/read-only"] {
        let all = visible(&server, path, &[]);
        for focus in ["full", "content-editing", "read-only"] {
            for role in ["owner", "editor", "reader"] {
                let headers = [("toolwrit-focus", focus), ("toolwrit-role", role)];
                let some = visible(&server, path, &headers);
                assert!(some.is_subset(&all), "{path} {headers:?}");
                assert!(!some.is_empty(), "{path} {headers:?}");
                let alone = visible(&server, &format!("/{focus}"), &[("toolwrit-role", role)]);
                assert_eq!(some, &alone & &all, "{path} {headers:?}");
            }
        }
    }
    let reader = server.client("/meta").with("toolwrit-role", "reader");
    let delete = json!({"tool": "vault.delete", "args": {"path": "x"}});
    assert_eq!(reader.call("execute_delete", &delete).code(), "TOOL_NOT_FOUND");
}

#[test]
fn an_unknown_header_value_is_refused_with_a_suggestion() {
    let (home, vault) = (Home::new(), vaults::empty());
    let server = serve(&home, &vault, &[]);
    for (header, value, meant) in
        [("toolwrit-role", "raeder", "reader"), ("toolwrit-focus", "readonly", "read-only")]
    {
        let answer = server.post("", &[(header, value)], "{}");
        assert_eq!(answer.status, 400);
        let message = answer.error()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(&format!("did you mean `{meant}`")), "{message}");
    }
}

#[test]
fn read_only_beats_path_and_headers() {
    let (home, vault) = (Home::new(), vaults::empty());
    let server = serve(&home, &vault, &["--read-only"]);
    let write = json!({"path": "New", "content": "x"});
    for headers in [vec![], vec![("toolwrit-focus", "full"), ("toolwrit-role", "owner")]] {
        let seen = visible(&server, "/full", &headers);
        assert!(!seen.contains("vault_write"), "{seen:?}");
        let client = server.client("/flat/full");
        let client = headers.iter().fold(client, |client, (name, value)| client.with(name, value));
        assert_eq!(client.call("vault_write", &write).code(), "WRITES_DISABLED");
    }
    assert!(!vault.path().join("New.md").exists());
}
