//! An upstream whose tools are no longer those of the lock file.

use serde_json::json;
use toolwrit_tests::client::{Client, Era};

use crate::{home, library, run, serve};

/// How often a state is asked for that is reached soon.
const MOST: usize = 10_000;

fn find(client: &mut Client) -> toolwrit_tests::client::CallResult {
    client.call("books_find", &json!({ "words": "T" }))
}

#[test]
fn a_tool_that_is_another_one_is_not_called_and_the_others_are() {
    for drift in ["schema", "annotations", "gone"] {
        let home = home(drift);
        let (mut client, _errors) =
            serve(library(), &home, &["--surface", "flat"], Era::Initialize);
        let refused = find(&mut client).error();
        assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{drift}: {refused}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.contains("`find`"), "{drift}: {message}");
        assert_eq!(client.call("books_room", &json!({})).text(), "--room blue 6", "{drift}");
    }
}

#[test]
fn other_texts_and_new_tools_change_nothing_for_callers() {
    let plain = home("");
    let (mut client, _errors) = serve(library(), &plain, &["--surface", "flat"], Era::Initialize);
    let listed = client.tools();
    for drift in ["text", "new"] {
        let home = home(drift);
        let (mut client, _errors) =
            serve(library(), &home, &["--surface", "flat"], Era::Initialize);
        assert_eq!(client.tools(), listed, "{drift}");
        find(&mut client).text();
    }
    let told = run(&home("text"), "doctor", &["--json"]);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("has another description than was approved"), "{told}");
}

#[test]
fn a_change_while_the_server_runs_is_caught() {
    let home = home("");
    let (mut client, _errors) = serve(library(), &home, &["--surface", "flat"], Era::Initialize);
    find(&mut client).text();
    client.call("books_change", &json!({})).text();
    // The upstream lists its tools again in the background.
    let is_caught = (0..MOST).any(|_| find(&mut client).0["isError"] == true);
    assert!(is_caught);
    assert_eq!(find(&mut client).code(), "PROVIDER_UNAVAILABLE");
}
