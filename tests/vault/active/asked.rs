//! The active file, if a running Obsidian can be asked.

use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::files::put;
use toolwrit_tests::vaults;

use super::api::{Api, KEY, client};
use super::open;

/// A vault whose saved layout has `Saved.md` open.
fn vault() -> tempfile::TempDir {
    let folder = vaults::empty();
    for file in ["Saved.md", "Told.md", "Plans/Island plan 50% #1.md"] {
        put(&folder.path().join(file), "x\n");
    }
    open(folder.path(), "Saved.md");
    folder
}

fn read(client: &mut Client) -> toolwrit_tests::drivers::client::CallResult {
    client.call("active_file_read", &json!({}))
}

#[test]
fn obsidian_names_the_file_and_the_vault_changes_it() {
    let (vault, api) = (vault(), Api::with("Told.md"));
    let mut client = client(vault.path(), &api.flags(), KEY);
    let note = read(&mut client).ok();
    assert_eq!((note["path"].as_str(), note["content"].as_str()), (Some("Told.md"), Some("x\n")));
    let request = api.seen().pop().unwrap();
    assert_eq!(request.line(), "GET /active/");
    let accepted = "application/vnd.olrapi.note+json";
    for (name, value) in [("accept", accepted), ("authorization", &*format!("Bearer {KEY}"))] {
        assert_eq!(request.header(name), Some(value), "{request:?}");
    }
    for (operation, arguments) in [
        ("write", json!({"content": "# A\n", "if_match": note["etag"]})),
        ("append", json!({"content": "b\n"})),
        (
            "patch",
            json!({"target_type": "heading", "target": "A", "operation": "append", "content": "c"}),
        ),
    ] {
        let written = client.call(&format!("active_file_{operation}"), &arguments).ok();
        assert_eq!(written["path"], "Told.md", "{operation}");
    }
    assert_eq!(fs::read(vault.path().join("Told.md")).unwrap(), b"# A\nb\n\nc\n");
    let stale = json!({"content": "lost", "if_match": note["etag"]});
    assert_eq!(client.call("active_file_write", &stale).code(), "CONFLICT");
    assert_eq!(client.call("active_file_delete", &json!({})).ok()["trashed_as"], ".trash/Told.md");
    assert!(
        api.seen().iter().all(|request| request.line() == "GET /active/"),
        "it only names the file"
    );
    assert_eq!(fs::read(vault.path().join("Saved.md")).unwrap(), b"x\n");
}

#[test]
fn the_active_file_may_change_between_calls() {
    let (vault, api) = (vault(), Api::with("Told.md"));
    let mut client = client(vault.path(), &api.flags(), KEY);
    assert_eq!(read(&mut client).ok()["path"], "Told.md");
    api.answer(|answers| answers.active = Some("Plans/Island plan 50% #1.md".to_owned()));
    assert_eq!(read(&mut client).ok()["path"], "Plans/Island plan 50% #1.md");
    api.answer(|answers| answers.active = None);
    let none = read(&mut client).error();
    assert_eq!(
        (none["code"].as_str(), none["message"].as_str()),
        (Some("NOT_FOUND"), Some("No file is open in Obsidian."))
    );
    api.answer(|answers| answers.active = Some("Plans/Told.md".to_owned()));
    let other = read(&mut client).error();
    assert_eq!(
        (other["code"].as_str(), &other["did_you_mean"]),
        (Some("NOT_FOUND"), &json!(["Told.md"]))
    );
}

#[test]
fn a_file_is_opened_in_obsidian() {
    let (vault, api) = (vault(), Api::with("Told.md"));
    let before = vaults::contents(vault.path());
    let mut client = client(vault.path(), &api.flags(), KEY);
    assert!(client.tools().iter().any(|tool| tool["name"] == "active_file_show"));
    for (arguments, line) in [
        (json!({"path": "Told"}), "POST /open/Told%2Emd"),
        (
            json!({"path": "Plans/Island plan 50% #1.md", "new_leaf": true}),
            "POST /open/Plans/Island%20plan%2050%25%20%231%2Emd?newLeaf=true",
        ),
    ] {
        let shown = client.call("active_file_show", &arguments).ok();
        assert!(shown["path"].as_str().unwrap().starts_with(arguments["path"].as_str().unwrap()));
        assert_eq!(api.seen().pop().unwrap().line(), line);
    }
    let older = json!({"filename": "Told.md", "newLeaf": true});
    let shown = client.call("show_file_in_obsidian", &older);
    let hint = shown.0["content"][1]["text"].as_str().unwrap().to_owned();
    assert!(hint.starts_with("`show_file_in_obsidian` is now `active.show`"), "{hint}");
    assert_eq!(shown.ok()["path"], "Told.md");
    assert_eq!(api.seen().pop().unwrap().line(), "POST /open/Told%2Emd?newLeaf=true");

    // Obsidian would create it.
    let missing = client.call("active_file_show", &json!({"path": "Tolt.md"})).error();
    assert_eq!(
        (missing["code"].as_str(), &missing["did_you_mean"]),
        (Some("NOT_FOUND"), &json!(["Told.md"]))
    );
    assert_eq!(
        client.call("active_file_show", &json!({"path": "../Told.md"})).code(),
        "INVALID_PATH"
    );
    assert_eq!(client.call("active_file_show", &json!({"path": "Plans"})).code(), "INVALID_PATH");
    assert!(api.seen().is_empty());
    assert!(
        before.iter().all(|(path, bytes)| vaults::contents(vault.path()).get(path) == Some(bytes))
    );
}

#[test]
fn names_are_sent_in_obsidians_normal_form() {
    let (vault, api) = (vault(), Api::with("Told.md"));
    fs::write(vault.path().join("Cafe\u{301}.md"), "x").unwrap();
    let mut client = client(vault.path(), &api.flags(), KEY);
    assert_eq!(
        client.call("active_file_show", &json!({"path": "Café"})).ok()["path"],
        "Cafe\u{301}.md"
    );
    assert_eq!(api.seen().pop().unwrap().line(), "POST /open/Caf%C3%A9%2Emd");
}

#[test]
fn without_a_running_obsidian_the_saved_layout_is_used() {
    let vault = vault();
    // A port on which no server listens any more.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("https://127.0.0.1:{port}");
    let flags = ["--obsidian-url", &url, "--obsidian-cert", &"ab".repeat(32)].map(str::to_owned);
    let mut client = client(vault.path(), &flags, KEY);
    assert_eq!(read(&mut client).ok()["path"], "Saved.md");
    let error = client.call("active_file_show", &json!({"path": "Told.md"})).error();
    assert_eq!(
        (error["code"].as_str(), &error["retryable"]),
        (Some("PROVIDER_UNAVAILABLE"), &json!(true))
    );
    assert_eq!(error["message"], format!("Obsidian's Local REST API is not running at {url}."));
    assert!(error["hint"].as_str().unwrap().starts_with("Start Obsidian"), "{error}");
}

#[test]
fn an_invalid_answer_is_an_error() {
    let (vault, api) = (vault(), Api::with("Told.md"));
    let mut client = client(vault.path(), &api.flags(), KEY);
    let elsewhere = Some(("location", "http://127.0.0.1:1/active/"));
    for (answer, says) in [
        ((500, None, String::new()), "status is 500"),
        ((307, elsewhere, String::new()), "status is 307"),
        ((200, None, "no json".to_owned()), "is not JSON"),
        ((200, None, "[]".to_owned()), "invalid path: it is empty"),
        ((200, None, json!({"path": "../x.md"}).to_string()), "`..`"),
        ((200, None, json!({"path": ".obsidian/app.json"}).to_string()), "invalid path"),
    ] {
        api.answer(|answers| answers.instead = Some(answer));
        let error = read(&mut client).error();
        assert_eq!(error["code"], "UPSTREAM_ERROR", "{error}");
        assert!(error["message"].as_str().unwrap().contains(says), "{error}");
    }
    api.answer(|answers| answers.instead = Some((500, None, String::new())));
    let error = client.call("active_file_show", &json!({"path": "Told.md"})).error();
    assert_eq!(error["code"], "UPSTREAM_ERROR");
}

#[test]
fn a_hanging_obsidian_fails_the_call_in_time() {
    let (vault, api) = (vault(), Api::with("Told.md"));
    let mut client = client(vault.path(), &api.flags(), KEY);
    api.answer(|answers| answers.silent = true);
    let error = read(&mut client).error();
    assert_eq!(
        (error["code"].as_str(), &error["retryable"]),
        (Some("UPSTREAM_ERROR"), &Value::Bool(true))
    );
    assert!(error["message"].as_str().unwrap().contains("timeout"), "{error}");
}

#[test]
fn on_this_machine_http_is_allowed() {
    let (vault, api) = (vault(), Api::plain("Told.md"));
    let mut client = client(vault.path(), &api.flags(), KEY);
    assert_eq!(read(&mut client).ok()["path"], "Told.md");
}
