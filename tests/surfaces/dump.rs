//! What an agent without MCP needs: `context` without a message, and the command `context --dump`.

use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::CallResult;

use crate::surfaces::{lab, serve};

fn run(arguments: &[&str]) -> String {
    let output = Command::new(lab()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn dump(flags: &[&str]) -> CallResult {
    serve(&[&["--surface", "meta"], flags].concat()).call("context", &json!({}))
}

fn lines(dump: &Value) -> Vec<&str> {
    dump["tools"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
}

#[test]
fn context_without_a_message_describes_everything_that_the_caller_may_use() {
    let dump = dump(&["--role", "onlooker"]);
    let text = dump.text().to_owned();
    let dump = dump.ok();
    assert_eq!((&dump["server"], &dump["title"]), (&json!("lab"), &json!("Laboratory")));
    assert_eq!((&dump["focus"], &dump["role"]), (&json!("full"), &json!("onlooker")));
    assert_eq!(dump["categories"][0]["name"], "lab");
    let listed = run(&["list", "--json", "--role", "onlooker"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let rows = listed["operations"].as_array().or(listed.as_array()).unwrap();
    let signatures: Vec<&str> = rows.iter().map(|row| row["signature"].as_str().unwrap()).collect();
    let lines = lines(&dump);
    assert_eq!(lines.len(), signatures.len());
    for (line, signature) in lines.iter().zip(signatures) {
        assert!(line.starts_with(&format!("{signature}  # ")), "{line}");
    }
    assert_eq!(dump["returnedCount"], lines.len());
    // The size is told, without the field that tells it.
    let own = format!(",\"bytes\":{}", dump["bytes"]);
    assert_eq!(dump["bytes"], text.len() - own.len(), "{text}");
    assert!(!lines.iter().any(|line| line.starts_with("lab.touch(")), "{lines:?}");
}

/// In the shell of an agent.
#[cfg(unix)]
#[test]
fn the_call_that_it_names_works() {
    let dump = dump(&[]).ok();
    let call = dump["call"].as_str().unwrap();
    let command = call.split('`').nth(1).unwrap();
    let operation = command.strip_prefix("lab call ").unwrap().split(' ').next().unwrap();
    assert!(lines(&dump).iter().any(|line| line.starts_with(operation)), "{command}");
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("{command} --yes")]).env("PATH", lab().parent().unwrap());
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
}

#[test]
fn with_a_message_or_earlier_contexts_it_detects_contexts() {
    let mut client = serve(&["--surface", "meta"]);
    let found = client.call("context", &json!({"message": "an echo chamber"})).ok();
    assert_eq!(found["contexts"][0]["name"], "echoes");
    let later = client.call("context", &json!({"previous": {"echoes": 1}})).ok();
    assert_eq!(later["contexts"][0]["name"], "echoes");
    let nothing = client.call("context", &json!({"message": ""})).ok();
    assert_eq!(nothing["reason"], "no_context_detected");
}

#[test]
fn the_command_prints_the_same() {
    let told = dump(&[]).ok();
    let printed: Value = serde_json::from_str(&run(&["context", "--dump", "--json"])).unwrap();
    assert_eq!(told["tools"], printed["tools"]);
    assert_eq!(told["call"], printed["call"]);
    let text = run(&["context", "--dump"]);
    assert!(text.starts_with("Laboratory (lab 0.1.0)\nFocus mode full, role owner, "), "{text}");
    for line in lines(&told) {
        assert!(text.contains(&format!("\n  {line}\n")), "{line} is not in {text}");
    }
    assert!(text.contains(told["call"].as_str().unwrap()), "{text}");
    let both = Command::new(lab()).args(["context", "--dump", "echo"]).output().unwrap();
    assert_eq!(both.status.code(), Some(2), "{both:?}");
}
