//! Operations that are tools of their own, beside search.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

use crate::upstreams::Setup;
use crate::upstreams::scripted::{table, tool, write};

const META: [&str; 7] = [
    "introspect",
    "search_tools",
    "describe_tools",
    "execute_read",
    "execute_write",
    "execute_delete",
    "context",
];

fn setup(before: &str) -> Setup {
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &["pid", "count", "wipe"].map(tool));
    let effects = "effects = { pid = \"read\", count = \"write\", wipe = \"destroy\" }";
    fs::write(&setup.config, format!("{before}\n{}", table("one", &tools, effects))).unwrap();
    setup.approve("one");
    setup
}

#[test]
fn pins_follow_the_tools_of_a_surface_in_their_order() {
    let setup = setup("");
    for era in Era::ALL {
        let pins = ["--pin", "one.wipe,one.pid", "--pin", "one.gone"];
        let mut host = setup.serve_with("meta", era, &pins);
        let expected: Vec<&str> = META.into_iter().chain(["one_wipe", "one_pid"]).collect();
        assert_eq!(host.tools(), expected);
        assert!(host.client.call("one_pid", &json!({})).text().parse::<u32>().is_ok());
        let mut host =
            setup.serve_with("meta", era, &[&pins[..], &["--exclude", "one.wipe"]].concat());
        let listed = host.tools();
        assert!(listed.contains(&"one_pid".to_owned()) && !listed.contains(&"one_wipe".to_owned()));
        let mut host = setup.serve_with("dispatch", era, &["--pin", "one.count"]);
        assert_eq!(host.tools().last().unwrap(), "one_count");
        let mut host = setup.serve_with("flat", era, &["--pin", "one.pid"]);
        assert_eq!(host.tools().iter().filter(|name| *name == "one_pid").count(), 1);
    }
}

#[test]
fn a_pinned_operation_that_destroys_is_confirmed() {
    let setup = setup("pin = [\"one.wipe\"]\n");
    let config = setup.config.to_str().unwrap();
    let arguments = ["serve", "--surface", "meta", "--config", config];
    let mut client = Client::connect_for(User::Absent, toolwrit(), &arguments, Era::Stateless);
    let refused = client.call("one_wipe", &json!({}));
    assert_eq!(refused.code(), "CONFIRMATION_REQUIRED", "{}", refused.0);
}

#[test]
fn a_client_has_pins_of_its_own_and_wrong_ones_have_their_place() {
    let setup = setup("[clients.toolwrit-tests]\nsurface = \"meta\"\npin = [\"one.pid\"]\n");
    let config = fs::read_to_string(&setup.config).unwrap();
    let printed = setup.done(&["serve", "--print-config"]);
    assert!(printed.contains("pin = [\"one.pid\"]"), "{printed}");
    fs::write(&setup.config, config.replace("one.pid", "sytem.metrics")).unwrap();
    let refused = setup.run(&["list"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains(":3:8: unknown operation `sytem.metrics`"), "{said}");
    fs::write(&setup.config, &config).unwrap();
    let refused = setup.run(&["tokens", "--pin", "effect:read"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
}

/// The figures are those of the list that a client gets.
#[test]
fn the_cost_of_pins_is_that_of_their_tools() {
    let vault = vaults::empty();
    let folder = vault.path().to_str().unwrap();
    let pins = ["vault.search", "vault.bulk_delete", "web.fetch"];
    let setup = Setup::new("");
    let pinned = pins.join(",");
    let said = setup.done(&["tokens", "--json", "--pin", &pinned]);
    let said: Value = serde_json::from_str(&said).unwrap();
    let costs = said["pins"].as_array().unwrap();
    let arguments = ["--surface", "meta", "--pin", &pinned];
    let mut client = Client::vault(std::path::Path::new(folder), &arguments);
    let listed = client.tools();
    let own = &listed[listed.len() - (costs.len() - 1)..];
    let model = |tool: &Value| {
        let mut kept = tool.clone();
        kept.as_object_mut()
            .unwrap()
            .retain(|key, _| ["name", "description", "inputSchema"].contains(&key.as_str()));
        kept
    };
    let bytes = |json: &Value| json.to_string().len();
    for (cost, tool) in costs.iter().zip(own) {
        assert_eq!(
            (&cost["tool"], cost["bytes"].as_u64()),
            (&tool["name"], Some(bytes(&model(tool)) as u64))
        );
        assert!(cost["tokens"].as_u64().unwrap() > 20, "{cost}");
    }
    let all: Value = own.iter().map(model).collect();
    let sum = costs.last().unwrap();
    assert_eq!(sum["bytes"].as_u64(), Some(bytes(&all) as u64));
    assert_eq!(sum["tools"].as_u64(), Some(own.len() as u64));
}
