//! The confirmation of a bulk deletion covers exactly the shown files in their versions.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};
use toolwrit_tests::files;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

const BULK_DELETE: &str = "vault_bulk_delete";

fn drafts() -> Value {
    json!({"match": "Drafts/*.md"})
}

/// A change of a vault.
type Happening = (&'static str, bool, fn(&TempDir));

/// Changes between the question and the answer, each with whether it affects the deletion.
const MEANWHILE: [Happening; 5] = [
    ("nothing", false, |_| {}),
    ("another note", false, |vault| put(vault, "Keep.md", "other")),
    ("a change", true, |vault| put(vault, "Drafts/A.md", "changed")),
    ("a new draft", true, |vault| put(vault, "Drafts/C.md", "new")),
    ("a draft less", true, |vault| fs::remove_file(vault.path().join("Drafts/B.md")).unwrap()),
];

fn put(vault: &TempDir, path: &str, text: &str) {
    files::put(&vault.path().join(path), text);
}

fn serve(user: User, era: Era) -> (TempDir, Client) {
    let vault = vaults::empty();
    for (path, text) in [("Drafts/A.md", "a"), ("Drafts/B.md", "b"), ("Keep.md", "k")] {
        put(&vault, path, text);
    }
    let folder = vault.path().to_str().unwrap();
    let arguments = ["serve", "--vault", folder, "--surface", "flat"];
    let client = Client::connect_for(user, toolwrit(), &arguments, era);
    (vault, client)
}

/// The files that are not hidden.
fn remaining(vault: &TempDir) -> Vec<String> {
    let all = vaults::contents(vault.path()).into_keys();
    all.filter(|path| !path.starts_with('.') && !path.ends_with('/')).collect()
}

/// Checks the result of the call after the change.
fn check(what: &str, changes: bool, vault: &TempDir, result: &CallResult, before: &[String]) {
    if changes {
        let error = result.error();
        assert_eq!(error["code"], "CONFLICT", "{what}: {error}");
        assert!(error["message"].as_str().unwrap().contains("nothing was deleted"), "{error}");
        assert_eq!(remaining(vault), before, "{what}");
    } else {
        assert_eq!(result.clone().ok()["total"], 2, "{what}");
        assert_eq!(remaining(vault), ["Keep.md"], "{what}");
    }
}

/// Checks that both drafts are shown.
fn assert_shown(text: &str) {
    // A model gets JSON, and a person lines.
    assert!(text.contains(r#""total":2"#) || text.contains("\ntotal: 2\n"), "{text}");
    for path in ["Drafts/A.md", "Drafts/B.md"] {
        assert!(text.contains(path), "{text}");
    }
}

#[test]
fn a_confirmation_token_covers_the_files_that_were_shown() {
    for era in Era::ALL {
        for (what, changes, happen) in MEANWHILE {
            let (vault, mut client) = serve(User::Absent, era);
            let refused = client.call(BULK_DELETE, &drafts()).error();
            assert_eq!(refused["code"], "CONFIRMATION_REQUIRED");
            assert_shown(refused["message"].as_str().unwrap());
            happen(&vault);
            let before = remaining(&vault);
            let result = client.call(BULK_DELETE, &refused["example"]);
            check(what, changes, &vault, &result, &before);
        }
    }
}

#[test]
fn an_elicited_confirmation_covers_the_files_that_were_shown() {
    for (what, changes, happen) in MEANWHILE {
        let (vault, mut client) = serve(User::Agrees, Era::Initialize);
        let call = client.begin_call(BULK_DELETE, &drafts());
        let question = client.next_message();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        assert_shown(question["params"]["message"].as_str().unwrap());
        happen(&vault);
        let before = remaining(&vault);
        let yes = json!({"action": "accept", "content": {}});
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": yes}));
        check(what, changes, &vault, &client.finish_call(call), &before);
    }
}

#[test]
fn a_confirmation_in_rounds_covers_the_files_that_were_shown() {
    for (what, changes, happen) in MEANWHILE {
        let (vault, mut client) = serve(User::Agrees, Era::Stateless);
        let mut call = json!({"name": BULK_DELETE, "arguments": drafts()});
        let asked = client.request("tools/call", call.clone())["result"].take();
        let questions = asked["inputRequests"].as_object().unwrap();
        let (key, question) = questions.iter().next().unwrap();
        assert_shown(question["params"]["message"].as_str().unwrap());
        happen(&vault);
        let before = remaining(&vault);
        call["inputResponses"] = json!({ key.as_str(): {"action": "accept", "content": {}} });
        call["requestState"] = asked["requestState"].clone();
        let result = CallResult(client.request("tools/call", call)["result"].take());
        check(what, changes, &vault, &result, &before);
    }
}

#[test]
fn a_long_list_is_shown_in_part_and_confirmed_as_a_whole() {
    let (vault, mut client) = serve(User::Absent, Era::Initialize);
    for number in 0..100 {
        put(&vault, &format!("Drafts/{number:03}.md"), "x");
    }
    let refused = client.call(BULK_DELETE, &drafts()).error();
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains(r#""total":102"#) && message.len() < 2048, "{message}");
    put(&vault, "Drafts/099.md", "changed");
    let result = client.call(BULK_DELETE, &refused["example"]);
    assert_eq!(result.code(), "CONFLICT");
    let refused = client.call(BULK_DELETE, &drafts()).error();
    let done = client.call(BULK_DELETE, &refused["example"]).ok();
    assert_eq!(done["total"], 102);
    assert_eq!(remaining(&vault), ["Keep.md"]);
}

#[test]
fn an_invalid_call_does_not_ask() {
    let (_vault, mut client) = serve(User::Absent, Era::Initialize);
    let wrong = client.call(BULK_DELETE, &json!({"match": "Drafts[.md"}));
    assert_eq!(wrong.code(), "VALIDATION_ERROR");
}
