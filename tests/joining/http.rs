//! Joining operations over HTTP, where endpoints are cached.

use serde_json::{Value, json};
use toolwrit_tests::drivers::http::{Home, Server};

use super::{SURFACES, call, program};

fn run(server: &Server, surface: &str, id: &str, effect: &str, arguments: Value) -> String {
    let (tool, arguments) = call(surface, id, effect, arguments);
    let result = server.client(&format!("/{surface}")).call(&tool, &arguments);
    if result.is_error() { result.code() } else { result.text().to_owned() }
}

fn tools(server: &Server, query: &str) -> Vec<String> {
    let answer = server.get(&format!("/tools{query}"), &[]).json();
    let tools = answer["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_surface_and_the_tool_list_include_joined_operations() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let has = |query: &str| tools(&server, query).contains(&"plugin_kennel_rex".to_owned());
    let found = "?query=let%20rex%20bark%20at%20the%20moon";
    for surface in SURFACES {
        // Each endpoint exists before and is not replaced.
        assert_eq!(run(&server, surface, "host.echo", "read", json!({"text": "a"})), "a");
    }
    for _ in 0..2 {
        assert!(!has(found));
        for surface in SURFACES {
            let early = run(&server, surface, "plugin.kennel:rex", "read", json!({"text": ""}));
            assert_eq!(early, "TOOL_NOT_FOUND", "{surface}");
        }
        let install = json!({"names": ["rex"], "effect": "read"});
        run(&server, "flat", "host.install", "write", install);
        assert!(has(found) && has("?category=plugin"));
        for surface in SURFACES {
            let said = run(&server, surface, "plugin.kennel:rex", "read", json!({"text": "woof"}));
            assert_eq!(said, "plugin.kennel:rex: woof", "{surface}");
        }
        run(&server, "flat", "host.remove", "write", json!({"names": ["rex"]}));
    }
    let metrics = server.get("/metrics", &[]).body;
    let counted =
        r#"toolwrit_calls_total{effect="read",operation="plugin.kennel:rex",outcome="ok"} 6"#;
    assert!(metrics.contains(counted), "counts outlive the operation: {metrics}");
}

#[test]
fn the_live_site_shows_operations_while_they_are_there() {
    const PAGE: &str = "/docs/reference/joined.html";
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let shows_rex = || server.get(PAGE, &[]).body.contains("plugin.kennel:rex");
    assert!(!shows_rex());
    let install = json!({"names": ["rex"], "effect": "read"});
    run(&server, "flat", "host.install", "write", install);
    let page = server.get(PAGE, &[]).body;
    for shown in ["plugin.kennel:rex", "Kennel", "Schema of the arguments"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let found = server.get("/docs/search?q=let%20rex%20bark%20at%20the%20moon", &[]).json();
    let link = format!("{}#plugin.kennel:rex", PAGE.trim_start_matches("/docs/"));
    assert_eq!(found["operations"][0]["page"], link, "{found}");
    run(&server, "flat", "host.remove", "write", json!({"names": ["rex"]}));
    assert!(!shows_rex());
}
