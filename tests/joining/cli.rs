//! The command line opens the application to show the operations of its providers, and to run them.

use std::process::Output;

use serde_json::Value;
use toolwrit_tests::drivers::http::Home;

use super::program;

fn output(arguments: &[&str]) -> Output {
    Home::new().command(program(), arguments).output().unwrap()
}

fn run(arguments: &[&str]) -> String {
    let output = output(arguments);
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
        let old = operations.iter().find(|own| own["id"] == "plugin.kennel:old").unwrap();
        assert_eq!(
            old["signature"],
            "plugin.kennel:old(text: string, wait?: boolean, tone?: soft|loud, times?: integer, to?: string[]) -> text"
        );
        assert_eq!(old["effect"], "read");
    }
    assert!(run(&["list"]).contains("plugin.kennel:old"));
    assert!(!run(&["list", "--role", "host"]).contains("plugin.kennel:old"));
    let page = run(&["describe", "plugin.kennel:old"]);
    for line in [
        "Say something as the plugin old.",
        "roles",
        "owner, reader",
        "full, careful",
        "call plugin.kennel:old --args",
    ] {
        assert!(page.contains(line), "{line}: {page}");
    }
    let described: Value =
        serde_json::from_str(&run(&["describe", "--json", "plugin.kennel:old"])).unwrap();
    assert_eq!(described["tools"][0]["parameters"]["properties"]["text"]["type"], "string");
}

#[test]
fn describe_shows_what_a_provider_offers() {
    let page = run(&["describe", "kennel"]);
    for part in ["kennel", "Dogs that say something.", "2.1", "plugin.kennel:old"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let described: Value = serde_json::from_str(&run(&["describe", "--json", "kennel"])).unwrap();
    assert_eq!(described["plugins"]["kennel"]["version"], "2.1");
    assert_eq!(output(&["describe", "--role", "host", "kennel"]).status.code(), Some(1));
}

#[test]
fn call_runs_a_dynamic_operation_with_flags_from_its_schema() {
    for name in ["plugin.kennel:old", "plugin_kennel_old", "kennel:old"] {
        assert_eq!(run(&["call", name, "--text", "woof"]), "plugin.kennel:old: woof\n");
    }
    assert_eq!(
        run(&["call", "plugin.kennel:old", "--args", r#"{"text": "woof"}"#]),
        "plugin.kennel:old: woof\n"
    );
    let help = run(&["call", "plugin.kennel:old", "--help"]);
    for part in ["--text <TEXT>", "What to say.", "--wait", "call plugin.kennel:old --text woof"] {
        assert!(help.contains(part), "{part}: {help}");
    }
}

#[test]
fn call_checks_the_arguments_of_a_dynamic_operation() {
    let failure = |arguments: &[&str], code| {
        let output = output(&[&["call", "--json"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    assert!(failure(&["plugin.kennel:old"], 2).contains("--text"));
    assert!(
        failure(&["plugin.kennel:old", "--text", "a", "--volume", "9"], 2).contains("--volume")
    );
    let long = "a".repeat(101);
    assert!(failure(&["plugin.kennel:old", "--text", &long], 1).contains("VALIDATION_ERROR"));
    let hidden = failure(&["--role", "host", "plugin.kennel:old", "--text", "a"], 1);
    assert!(hidden.contains("TOOL_NOT_FOUND"), "{hidden}");
    assert!(
        failure(&["plugin.kennel:odl"], 1).contains("plugin.kennel:old"),
        "a similar name is suggested"
    );
}
