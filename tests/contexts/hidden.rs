//! A context without any operation that the caller may use looks like one that does not exist.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

/// Ways to withhold `lab.touch` and `lab.hasty`, the only operations of the context `changes`.
const LIMITS: [&[&str]; 4] = [
    &["--role", "onlooker"],
    &["--read-only"],
    &["--exclude", "effect:write"],
    &["--tools", "lab.echo,lab.panic"],
];

fn context(client: &mut Client, message: &str, previous: &Value) -> Value {
    client.call("context", &json!({"message": message, "previous": previous})).ok()
}

#[test]
fn hidden_contexts_are_not_detected() {
    for limit in LIMITS {
        let flags = [&["serve", "--surface", "meta"], limit].concat();
        let mut client = Client::connect(lab(), &flags, Era::Stateless);
        let unknown = context(&mut client, "sunset", &json!({}));
        assert_eq!(context(&mut client, "touch it", &json!({})), unknown, "{limit:?}");
        let before = json!({"changes": 1});
        assert_eq!(context(&mut client, "touch it", &before), unknown, "{limit:?}");
        // Other contexts of the same message stay.
        let both = context(&mut client, "touch the echo chamber", &json!({}));
        assert_eq!(both["contexts"][0]["name"], "echoes", "{limit:?}: {both}");
        assert_eq!(both["contexts"].as_array().unwrap().len(), 1, "{limit:?}: {both}");
        assert_eq!(both["contexts"][0]["matched"], json!(["echo"]), "{limit:?}");
        // A context with allowed and hidden operations has only the allowed ones, also in its counts.
        let mixed = context(&mut client, "hush", &json!({}));
        assert_eq!(mixed["returnedCount"], 1, "{limit:?}: {mixed}");
        let line = mixed["tools"][0].as_str().unwrap();
        assert!(line.starts_with("lab.panic("), "{limit:?}: {mixed}");
        let introduced = client.call("introspect", &json!({})).ok();
        let visible: u64 = ["read", "write", "destroy"]
            .iter()
            .map(|effect| introduced["operations"][effect].as_u64().unwrap())
            .sum();
        assert_eq!(mixed["originalCount"], visible, "{limit:?}");
    }
}

/// The answer without values that differ each time.
fn listed(server: &Server, criteria: &str, headers: &[(&str, &str)]) -> Value {
    let answer = server.get(&format!("/tools?{criteria}"), headers);
    assert_eq!(answer.status, 200, "{answer:?}");
    let mut answer = answer.json();
    answer["metadata"]["timestamp"] = Value::Null;
    answer["metadata"]["requestId"] = Value::Null;
    answer
}

#[test]
fn the_list_over_http_does_not_reveal_hidden_contexts() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    let narrowed = [("toolwrit-role", "onlooker")];
    let unknown = listed(&server, "context=sunset", &narrowed);
    assert_eq!(listed(&server, "context=touch+it", &narrowed), unknown);
    assert_eq!(listed(&server, "context=touch+it&previous=changes:1", &narrowed), unknown);
    assert_eq!(listed(&server, "context=changes", &narrowed), unknown);
    let open = listed(&server, "context=touch+it", &[]);
    assert_eq!(open["metadata"]["appliedContext"], "changes");
    assert_eq!(open["metadata"]["returnedCount"], 2);
}

#[test]
fn the_command_line_does_not_reveal_hidden_contexts() {
    let home = Home::new();
    let run = |message: &str, limit: &[&str]| {
        let arguments = [&["context", message, "--json"], limit].concat();
        let output = home.command(lab(), &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for limit in LIMITS {
        assert_eq!(run("touch it", limit), run("sunset", limit), "{limit:?}");
    }
}
