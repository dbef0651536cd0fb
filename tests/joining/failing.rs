//! A provider that fails: it is withdrawn, tried again, and offered when it has recovered.

use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::waiting::until;

use super::Host;

fn say(host: &mut Host, text: &str) -> String {
    host.run("plugin.kennel:old", "read", json!({ "text": text })).code()
}

#[test]
fn probes_that_fail_repeatedly_disable_a_provider_until_one_succeeds() {
    let mut host = Host::start("flat", &[], Era::Initialize);
    assert_eq!(say(&mut host, "woof"), "ok");
    // The request makes the engine probe at once; the third failure follows after a while.
    host.run("host.fail", "write", json!({"probes": 3}));
    until("the third failure", || say(&mut host, "woof") == "PROVIDER_UNAVAILABLE");
    assert!(!host.lists("old"));
    let fault = host.run("plugin.kennel:old", "read", json!({"text": "woof"})).error();
    assert!(fault["message"].as_str().unwrap().contains("The kennel is on fire."), "{fault}");
    assert_eq!(host.run("host.echo", "read", json!({"text": "a"})).text(), "a", "others serve");
    until("its recovery", || say(&mut host, "woof") == "ok");
    assert!(host.lists("old"));
}

#[test]
fn calls_that_fail_repeatedly_disable_a_provider_until_a_probe_succeeds() {
    let mut host = Host::start("flat", &[], Era::Initialize);
    // On a busy machine the next probe may come between these calls.
    until("its end", || {
        for _ in 0..3 {
            assert_ne!(say(&mut host, "choke"), "ok");
        }
        say(&mut host, "woof") == "PROVIDER_UNAVAILABLE"
    });
    until("its recovery", || say(&mut host, "woof") == "ok");
}
