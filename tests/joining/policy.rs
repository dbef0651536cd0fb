//! Who may use a joined operation: its category and its effect decide.

use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::Home;

use super::{Host, program};

/// The code of a call of a plugin with this effect, on a server with these flags.
fn code(effect: Option<&str>, flags: &[&str]) -> String {
    let mut owner = Host::start("meta", flags, Era::Initialize);
    let mut args = json!({"names": ["rex"]});
    if let Some(effect) = effect {
        args["effect"] = effect.into();
    }
    assert_eq!(owner.run("host.install", "write", args).code(), "ok");
    let tool = match effect {
        Some("read") => "read",
        Some("write") => "write",
        _ => "delete",
    };
    owner.run("plugin.kennel:rex", tool, json!({"text": "woof"})).code()
}

#[test]
fn a_role_and_a_focus_mode_decide_by_category_and_effect() {
    let all = [Some("read"), Some("write"), Some("destroy"), None];
    assert_eq!(all.map(|effect| code(effect, &[])), ["ok"; 4]);
    let careful = all.map(|effect| code(effect, &["--focus", "careful"]));
    let restricted = "FOCUS_RESTRICTED";
    assert_eq!(careful, ["ok", "ok", restricted, restricted], "undeclared counts as destroy");
    let other = all.map(|effect| code(effect, &["--role", "host"]));
    assert_eq!(other, ["TOOL_NOT_FOUND"; 4]);
    let excluded = all.map(|effect| code(effect, &["--exclude", "plugin"]));
    assert_eq!(excluded, ["TOOL_NOT_FOUND"; 4]);
}

#[test]
fn a_request_can_narrow_the_role_for_joined_operations() {
    let mut host = Host::start("meta", &[], Era::Initialize);
    host.install(&["ace"], "read");
    host.install(&["rex"], "write");
    let mut call = |tool: &str, id: &str| {
        let args = json!({"tool": id, "args": {"text": ""}, "role": "reader"});
        host.client.call(tool, &args).code()
    };
    assert_eq!(call("execute_read", "plugin.kennel:ace"), "ok");
    assert_eq!(call("execute_write", "plugin.kennel:rex"), "TOOL_NOT_FOUND");
}

#[test]
fn a_joined_operation_without_an_effect_asks_first() {
    let home = Home::new();
    let server = home.serve(program(), &[]);
    let client = server.client("/flat");
    client.call("host_install", &json!({"names": ["rex"]}));
    let first = client.call("plugin_kennel_rex", &json!({"text": "woof"})).error();
    assert_eq!(first["code"], "CONFIRMATION_REQUIRED");
    let token = first["expected"].as_str().unwrap();
    let other = client.call("plugin_kennel_rex", &json!({"text": "meow", "confirm": token}));
    assert_eq!(other.code(), "CONFIRMATION_REQUIRED", "it is for another call");
    let again = client.call("plugin_kennel_rex", &json!({"text": "woof", "confirm": token}));
    assert_eq!(again.text(), "plugin.kennel:rex: woof");
}
