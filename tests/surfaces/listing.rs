//! What `discover`, `search_tools` and `tools/list` answer besides operations.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::Home;

use crate::surfaces::{lab, serve};

#[test]
fn discover_takes_all_and_plugins() {
    let mut client = serve(&["--surface", "dispatch"]);
    let every = client.call("discover", &json!({})).ok();
    assert_eq!(every.as_object().unwrap().keys().collect::<Vec<_>>(), ["lab"]);
    let all = client.call("discover", &json!({"category": "all"})).ok();
    assert_eq!(all["lab"], every["lab"]);
    let plugins = client.call("discover", &json!({"category": "plugins"})).ok();
    assert_eq!(plugins, json!({"plugins": all["plugins"]}));
    let bench = &plugins["plugins"]["bench"];
    assert_eq!(bench["enabled"], true, "{plugins}");
    assert_eq!(bench["operations"]["lab.measure"]["effect"], "write", "{plugins}");
    let signatures = json!({"category": "all", "detail": "signatures"});
    let signatures = client.call("discover", &signatures).ok();
    assert!(signatures["lab"][0].as_str().unwrap().starts_with("lab.echo("), "{signatures}");

    let unknown = client.call("discover", &json!({"category": "plugin"}));
    assert!(unknown.is_error(), "{}", unknown.0);
    let fault = unknown.error();
    assert_eq!((&fault["code"], &fault["expected"]), (&json!("VALIDATION_ERROR"), &json!("lab")));
    assert!(fault["hint"].as_str().unwrap().contains("`plugins`"), "{fault}");
}

#[test]
fn searches_repeat_the_query_and_count_all_matches() {
    let mut client = serve(&["--surface", "meta"]);
    let mut search = |arguments: Value| client.call("search_tools", &arguments).ok();
    let found = search(json!({"query": "long list", "limit": 2}));
    assert_eq!(found["query"], "long list");
    let (total, shown) = (&found["total"], found["results"].as_array().unwrap().len());
    assert!(total.as_u64().unwrap() > 2 && shown == 2, "{found}");
    let nothing = search(json!({"query": "zzyzx"}));
    assert_eq!((&nothing["query"], &nothing["total"]), (&json!("zzyzx"), &json!(0)));
    let category = search(json!({"category": "lab"}));
    assert_eq!(category["query"], "");
    assert!(category["total"].as_u64().unwrap() > 8, "{category}");
    let overview = search(json!({}));
    assert_eq!((&overview["query"], &overview["total"]), (&json!(""), &json!(1)));
}

#[test]
fn execute_accepts_what_its_schema_no_longer_lists() {
    let mut client = serve(&["--surface", "meta"]);
    let tools = client.tools();
    let execute = tools.iter().find(|tool| tool["name"] == "execute_read").unwrap();
    let properties = execute["inputSchema"]["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["tool", "args"]);
    let call = |role: &str| json!({"tool": "lab.echo", "args": {"text": "a"}, "role": role});
    assert_eq!(client.call("execute_read", &call("onlooker")).code(), "ok");
    assert_eq!(client.call("execute_read", &call("nobody")).error()["path"], "/role");
}

#[test]
fn the_list_of_tools_names_the_server() {
    const KEY: &str = "io.modelcontextprotocol/serverInfo";
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for era in Era::ALL {
        let client = server.client("").in_era(era);
        let listed = client.request("tools/list", json!({})).result();
        let named = &listed["_meta"][KEY];
        assert_eq!((&named["name"], &named["title"]), (&json!("lab"), &json!("Laboratory")));
        assert!(named["version"].is_string(), "{named}");
    }
    let mut client = Client::connect(lab(), &["serve"], Era::Stateless);
    let listed = client.request("tools/list", json!({}));
    assert_eq!(listed["result"]["_meta"][KEY]["name"], "lab");
}
