//! `plugin.dataview.js`: offered while Obsidian's Local REST API has an extension that runs scripts.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;

use crate::vault::Session;
use crate::vault::active::api::{Api, KEY, client};

const CODE: &str = "return dv.pages('#book').length";

/// A vault in which Dataview is on.
fn session() -> Session {
    Session::with(&crate::vault::dataview::PLUGIN)
}

fn run(client: &mut Client, arguments: &Value) -> toolwrit_tests::drivers::client::CallResult {
    client.call("plugin_dataview_js", arguments)
}

fn unavailable(client: &mut Client) -> String {
    let listed = client.tools();
    assert!(listed.iter().all(|tool| tool["name"] != "plugin_dataview_js"), "{listed:?}");
    let error = run(client, &json!({ "code": CODE })).error();
    assert_eq!(error["code"], "PROVIDER_UNAVAILABLE");
    format!("{} {}", error["message"], error["hint"])
}

#[test]
fn an_extension_of_the_api_runs_the_code() {
    let (vault, api) = (session(), Api::with("A.md"));
    api.answer(|answers| answers.script = Some((200, json!(3))));
    let mut client = client(vault.folder.path(), &api.flags(), KEY);
    assert!(client.tools().iter().any(|tool| tool["name"] == "plugin_dataview_js"));
    assert_eq!(run(&mut client, &json!({ "code": CODE })).ok(), json!({"result": 3}));
    let sent = api.seen().into_iter().filter(|request| request.line() == "POST /dataview-js/");
    assert_eq!(sent.map(|request| request.text().to_owned()).collect::<Vec<_>>(), [CODE]);

    let thrown = json!({"errorCode": 40000, "message": "dv.page is not iterable"});
    api.answer(|answers| answers.script = Some((400, thrown)));
    let error = run(&mut client, &json!({ "code": CODE })).error();
    assert_eq!((&error["code"], &error["path"]), (&json!("VALIDATION_ERROR"), &json!("/code")));
    assert_eq!(error["message"], "The script failed: dv.page is not iterable.");
}

#[test]
fn nothing_runs_without_confirmation() {
    let (vault, api) = (session(), Api::with("A.md"));
    api.answer(|answers| answers.script = Some((200, json!(3))));
    let options =
        [&["call", "plugin.dataview.js", "--code", CODE].map(str::to_owned)[..], &api.flags()];
    let ran = std::process::Command::new(toolwrit_tests::program::toolwrit())
        .args(options.concat())
        .arg("--vault")
        .arg(vault.folder.path())
        .env("TOOLWRIT_OBSIDIAN_API_KEY", KEY)
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stderr).unwrap();
    assert!(said.contains("CONFIRMATION_REQUIRED"), "{said}");
    assert!(api.seen().iter().all(|request| request.line() != "POST /dataview-js/"));
}

#[test]
fn without_obsidian_or_the_extension_it_says_what_is_missing() {
    let (mut vault, api) = (session(), Api::with("A.md"));
    let message = unavailable(&mut vault.client);
    assert!(message.contains("runs only inside Obsidian"), "{message}");
    let mut with_api = client(vault.folder.path(), &api.flags(), KEY);
    let message = unavailable(&mut with_api);
    assert!(
        message.contains("no extension") && message.contains("plugin.dataview.query"),
        "{message}"
    );
}
