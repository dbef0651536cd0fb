//! JSON-RPC and MCP over standard streams, in both protocol revisions.
#![expect(clippy::expect_used, reason = "a fixture that fails must fail the test")]

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::{program, vaults};

fn serve(vault: &tempfile::TempDir, arguments: &[&str], era: Era) -> Client {
    let vault = vault.path().to_str().expect("a plain path");
    let arguments = [&["serve", "--vault", vault], arguments].concat();
    Client::connect(program::toolwrit(), &arguments, era)
}

/// A server without any request yet.
fn silent(vault: &tempfile::TempDir) -> Client {
    let vault = vault.path().to_str().expect("a plain path");
    Client::start(program::toolwrit(), &["serve", "--vault", vault])
}

#[test]
fn both_eras_list_the_same_tools_with_a_ttl() {
    let vault = vaults::generate(3);
    for surface in ["flat", "dispatch", "meta"] {
        let lists: Vec<Value> = Era::ALL
            .map(|era| {
                let mut server = serve(&vault, &["--surface", surface], era);
                let first = server.request("tools/list", json!({}))["result"].take();
                let second = server.request("tools/list", json!({}))["result"].take();
                assert_eq!(first.to_string(), second.to_string());
                if era == Era::Stateless {
                    assert!(first["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0), "{first}");
                    assert_eq!(first["cacheScope"], "private");
                }
                first["tools"].clone()
            })
            .to_vec();
        assert_eq!(lists[0], lists[1], "{surface}");
    }
}

#[test]
fn tools_have_titles_and_accurate_annotations() {
    let vault = vaults::empty();
    let mut flat = serve(&vault, &["--surface", "flat"], Era::Initialize);
    let tools = flat.tools();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect("it is listed");
    assert_eq!(tool("vault_bulk_delete")["title"], "Vault: bulk delete");
    assert_eq!(
        tool("vault_read")["annotations"],
        json!({"readOnlyHint": true, "openWorldHint": false})
    );
    assert_eq!(tool("vault_append")["annotations"]["destructiveHint"], false);
    assert_eq!(tool("vault_write")["annotations"]["destructiveHint"], true);
    assert_eq!(tool("vault_write")["annotations"]["idempotentHint"], true);

    let mut dispatch = serve(&vault, &["--surface", "dispatch"], Era::Initialize);
    let titles: Vec<Value> = dispatch.tools().iter().map(|tool| tool["title"].clone()).collect();
    let effects = ["read", "write", "delete"].map(|effect| format!("Vault: {effect}"));
    assert_eq!(titles[..3], effects.map(Value::from));
    assert_eq!(titles[3], "Active file: read");
    assert_eq!(titles.last(), Some(&"Discover operations".into()));
}

#[test]
fn discover_answers_before_anything_else() {
    let vault = vaults::empty();
    let mut server = serve(&vault, &[], Era::Stateless);
    let answer = server.request("server/discover", json!({}));
    let result = &answer["result"];
    let versions = result["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&"2026-07-28".into()) && versions.contains(&"2025-11-25".into()));
    assert!(result["instructions"].as_str().is_some_and(|text| text.contains("vault")));
    assert!(result["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0), "{answer}");
    // Plugins come and go while the server runs.
    assert_eq!(answer["result"]["capabilities"]["tools"], json!({"listChanged": true}));
}

#[test]
fn initialize_negotiates_the_version_and_names_the_server() {
    let vault = vaults::empty();
    for (asked, given) in
        [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")]
    {
        let mut server = silent(&vault);
        let answer = server.request(
            "initialize",
            json!({
                "protocolVersion": asked, "capabilities": {},
                "clientInfo": {"name": "tests", "version": "1"},
            }),
        );
        assert_eq!(answer["result"]["protocolVersion"], given, "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "toolwrit-vault");
        let name = vault.path().file_name().and_then(|name| name.to_str()).expect("a name");
        let title = format!("{name} – Markdown vault");
        assert_eq!(answer["result"]["serverInfo"]["title"], title);
    }
}

#[test]
fn a_role_adds_its_persona_to_the_instructions() {
    let vault = vaults::empty();
    let mut server = serve(&vault, &["--role", "reader"], Era::Stateless);
    let answer = server.request("server/discover", json!({}));
    let instructions = answer["result"]["instructions"].as_str().unwrap_or_default();
    assert!(instructions.contains("you never change"), "{instructions}");
}

#[test]
fn calls_in_flight_at_the_end_of_input_are_answered() {
    let vault = vaults::generate(10);
    let mut server = serve(&vault, &["--surface", "flat"], Era::Initialize);
    let ids: Vec<u64> = (0..20)
        .map(|n| {
            let path = format!("End/{n}");
            server.begin_call("vault_write", &json!({"path": path, "content": "end\n"}))
        })
        .collect();
    let (code, rest) = server.close();
    assert_eq!(code, Some(0));
    let mut answered: Vec<u64> = rest.iter().filter_map(|m| m["id"].as_u64()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
    for n in 0..20 {
        assert!(vault.path().join(format!("End/{n}.md")).is_file(), "note {n} is missing");
    }
}

#[test]
fn sixty_four_mixed_calls_on_a_real_vault_lose_nothing() {
    let vault = vaults::generate(120);
    for era in Era::ALL {
        let mut server = serve(&vault, &["--surface", "flat"], era);
        let mut expected = Vec::new();
        for n in 0..64 {
            let (tool, arguments) = match n % 4 {
                0 => ("vault_search", json!({"query": "lantern", "limit": 3})),
                1 => ("vault_append", json!({"path": "Log", "content": format!("line {n}")})),
                2 => ("vault_list", json!({"recursive": true, "limit": 5})),
                _ => ("vault_read", json!({"path": format!("none {n}")})),
            };
            expected.push((n, server.begin_call(tool, &arguments)));
        }
        for (n, id) in expected {
            let result = server.finish_call(id);
            let code = if n % 4 == 3 { "NOT_FOUND" } else { "ok" };
            assert_eq!(result.code(), code, "call {n}: {}", result.0);
        }
        let log = std::fs::read_to_string(vault.path().join("Log.md")).expect("the log");
        for n in (1..64).step_by(4) {
            assert!(log.lines().any(|line| line == format!("line {n}")), "line {n} is lost");
        }
        std::fs::remove_file(vault.path().join("Log.md")).expect("it is there");
    }
}
