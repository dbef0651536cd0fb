//! `list`, `search` and `describe` show operations that join before the application is open.

use serde_json::Value;
use toolwrit_tests::http::Home;

use super::program;

fn run(arguments: &[&str]) -> String {
    let output = Home::new().command(program(), arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn list_search_and_describe_include_dynamic_operations() {
    for query in
        [&["list", "--json"][..], &["search", "--weak", "--json", "let old bark at the moon"]]
    {
        let found: Value = serde_json::from_str(&run(query)).unwrap();
        let operations = found["operations"].as_array().unwrap();
        let old = operations.iter().find(|own| own["id"] == "plugin.old").unwrap();
        assert_eq!(old["signature"], "plugin.old(text: string, wait?: boolean) -> text");
        assert_eq!(old["effect"], "read");
    }
    assert!(run(&["list"]).contains("plugin.old"));
    assert!(!run(&["list", "--role", "host"]).contains("plugin.old"));
    let page = run(&["describe", "plugin.old"]);
    for line in ["Say something as the plugin old.", "roles", "owner, reader", "full, careful"] {
        assert!(page.contains(line), "{line}: {page}");
    }
    let described: Value =
        serde_json::from_str(&run(&["describe", "--json", "plugin.old"])).unwrap();
    assert_eq!(described["tools"][0]["parameters"]["properties"]["text"]["type"], "string");
}
