//! An upstream whose tools are no longer those of the lock file.

use serde_json::json;
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::waiting::until;

use crate::bound_tools::{await_tools, home, library, run, serve};

fn names(client: &mut Client) -> Vec<String> {
    let tools = client.tools();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn find(client: &mut Client) -> toolwrit_tests::drivers::client::CallResult {
    client.call("books_find", &json!({ "words": "T" }))
}

#[test]
fn a_tool_that_is_another_one_is_not_offered_and_the_others_are() {
    for (drift, why) in [
        ("schema", "The tool `find` of shelf has another inputSchema than was approved."),
        ("annotations", "The tool `find` of shelf has another annotations than was approved."),
        ("gone", "shelf no longer has the tool `find`."),
    ] {
        let home = home(drift);
        let (mut client, _errors) =
            serve(library(), &home, &["--surface", "flat"], Era::Initialize);
        // A server lists its operations before it knows the upstream.
        until("the drift", || {
            let found = find(&mut client);
            found.is_error() && found.error()["message"] == why
        });
        let refused = find(&mut client).error();
        assert_eq!(refused["code"], "PROVIDER_UNAVAILABLE", "{drift}: {refused}");
        assert!(!names(&mut client).contains(&"books_find".to_owned()), "{drift}");
        assert_eq!(client.call("books_room", &json!({})).text(), "--room blue 6", "{drift}");
        let told = String::from_utf8(run(&home, "doctor", &["--json"]).stdout).unwrap();
        assert!(told.contains(&format!("`books.find` is not offered. {why}")), "{drift}: {told}");
        client.close();

        let surfaces = [("dispatch", "books_read"), ("meta", "describe_tools")];
        for (surface, tool) in surfaces {
            let (mut client, _errors) =
                serve(library(), &home, &["--surface", surface], Era::Initialize);
            let listed = |client: &mut Client| {
                let text = client.tools().iter().map(ToString::to_string).collect::<String>();
                let found = client.call(
                    if surface == "meta" { "search_tools" } else { tool },
                    &if surface == "meta" {
                        json!({ "query": "find books" })
                    } else {
                        json!({ "operation": "room", "params": {} })
                    },
                );
                format!("{text}{}", found.0)
            };
            until("the drift", || !listed(&mut client).contains("find\""));
            client.close();
        }
    }
}

#[test]
fn other_texts_and_new_tools_change_nothing_for_callers() {
    let plain = home("");
    let (mut client, _errors) = serve(library(), &plain, &["--surface", "flat"], Era::Initialize);
    await_tools(&mut client);
    let listed = client.tools();
    for drift in ["text", "new"] {
        let home = home(drift);
        let (mut client, _errors) =
            serve(library(), &home, &["--surface", "flat"], Era::Initialize);
        await_tools(&mut client);
        assert_eq!(client.tools(), listed, "{drift}");
        find(&mut client).text();
    }
    let told = run(&home("text"), "doctor", &["--json"]);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("has another description than was approved"), "{told}");
}

#[test]
fn a_change_while_the_server_runs_is_caught_and_ends_with_the_change() {
    for era in Era::ALL {
        let home = home("");
        let (mut client, _errors) = serve(library(), &home, &["--surface", "flat"], era);
        find(&mut client).text();
        await_tools(&mut client);
        let listed = names(&mut client);
        client.call("books_change", &json!({})).text();
        // The upstream lists its tools again in the background.
        until("the drift", || !names(&mut client).contains(&"books_find".to_owned()));
        assert_eq!(find(&mut client).code(), "PROVIDER_UNAVAILABLE");
        client.call("books_change", &json!({})).text();
        until("its end", || names(&mut client) == listed);
        find(&mut client).text();
        let told =
            |message: &serde_json::Value| message["method"] == "notifications/tools/list_changed";
        if era == Era::Initialize {
            until("the news", || {
                client.tools();
                client.notifications.iter().any(told)
            });
        }
    }
}
