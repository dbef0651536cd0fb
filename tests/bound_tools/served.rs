//! Every surface, both eras, the command line, and a loaded manifest.

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};

use crate::bound_tools::{MANIFEST, await_tools, home, json, library, run, serve};

/// How a surface is called.
type Caller = fn(&mut Client, &str, Value) -> CallResult;

const SURFACES: [(&[&str], Caller); 3] = [
    (&["--surface", "flat"], |client, name, args| client.call(&format!("books_{name}"), &args)),
    (&["--surface", "dispatch"], |client, name, args| {
        let tool = if matches!(name, "lend" | "change") { "books_write" } else { "books_read" };
        client.call(tool, &json!({ "operation": name, "params": args }))
    }),
    (&["--surface", "meta", "--split", "none"], |client, name, args| {
        client.call("execute", &json!({ "tool": format!("books.{name}"), "args": args }))
    }),
];

#[test]
fn tools_are_called_on_each_surface() {
    for (surface, call) in SURFACES {
        for era in Era::ALL {
            let home = home("");
            let (mut client, _errors) = serve(library(), &home, surface, era);
            let mut call = |name: &str, args: Value| call(&mut client, name, args);
            let found = call("find", json!({ "words": "T", "limit": 1 })).ok();
            let books = json!([{ "title": "Tides", "author": "Ada" }]);
            let found = found.get("items").or_else(|| found.get("result")).unwrap_or(&found);
            assert_eq!(*found, books, "{surface:?} {era:?}: only what is declared");
            assert_eq!(call("lend", json!({ "title": "Tides" })).text(), "Lent Tides.");
            let shown =
                call("lend", json!({ "title": "Tides", "dry_run": true })).text().to_owned();
            let tool = json!({ "call": { "tool": "lend", "arguments": { "title": "Tides" } } });
            assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), tool);
            assert_eq!(call("count", json!({})).ok(), json!({ "count": 3 }));
            assert_eq!(call("room", json!({})).text(), "--room blue 6");
            let cover = call("cover", json!({ "title": "Tides" })).0;
            assert_eq!(cover["content"][0]["text"], "The cover of Tides.\\u{200b}");
            assert_eq!(cover["content"][1]["mimeType"], "image/png");
            let broken = call("break", json!({})).error();
            assert_eq!(broken["code"], "UPSTREAM_ERROR");
            let message = broken["message"].as_str().unwrap();
            assert!(message.contains("The shelf broke."), "{message}");
            let refused = call("find", json!({ "words": 5 })).error();
            assert_eq!(refused["path"], "/words", "arguments are checked here");
        }
    }
}

#[test]
fn the_end_of_the_upstream_fails_its_call_at_once_and_the_next_one_works() {
    let home = home("");
    let (mut client, _errors) = serve(library(), &home, &["--surface", "flat"], Era::Initialize);
    assert_eq!(client.call("books_end", &json!({})).code(), "UPSTREAM_ERROR");
    assert_eq!(client.call("books_room", &json!({})).text(), "--room blue 6");
}

#[test]
fn progress_and_cancellation_pass_through() {
    let eras =
        Era::ALL.into_iter().flat_map(|era| ["", "stateless"].map(|upstream| (era, upstream)));
    for (era, upstream) in eras {
        let home = home(upstream);
        let (mut client, _errors) = serve(library(), &home, &["--surface", "flat"], era);
        let call = json!({
            "name": "books_count", "arguments": {}, "_meta": { "progressToken": "p" },
        });
        client.request("tools/call", call);
        let done: Vec<&Value> = client
            .notifications
            .iter()
            .filter(|message| message["method"] == "notifications/progress")
            .map(|message| &message["params"]["progress"])
            .collect();
        assert_eq!(done, [&Value::from(1.0), &Value::from(2.0)]);

        let call = json!({
            "name": "books_hang", "arguments": {}, "_meta": { "progressToken": "q" },
        });
        let id = client.begin("tools/call", call);
        // The upstream has the call.
        while client.next_message()["method"] != "notifications/progress" {}
        let cancel = json!({ "requestId": id });
        client.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel,
        }));
        let told = client.call("books_cancelled", &json!({}));
        assert_eq!(told.text(), "1 call was cancelled");
    }
}

#[test]
fn the_command_line_calls_them_and_doctor_examines_them() {
    let own = home("");
    let found = run(&own, "call", &["books.find", "--words", "Storm", "--json"]);
    assert_eq!(json(&found), json!([{ "title": "Storms", "author": "Ben" }]));
    let check = |home: &tempfile::TempDir| {
        let checks = json(&run(home, "doctor", &["--json"]))["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["check"] == "provider shelf").unwrap()
    };
    assert_eq!(check(&own)["status"], "ok");
    assert_ne!(check(&home("gone"))["status"], "ok");
    std::fs::remove_file(own.path().join("token")).unwrap();
    assert_eq!(check(&own)["status"], "fail");
}

#[test]
fn a_loaded_manifest_gives_the_answers_of_a_compiled_one() {
    let requests = [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "books_find", "arguments": { "words": "T" } })),
        ("tools/call", json!({ "name": "books_cover", "arguments": { "title": "T" } })),
        ("tools/call", json!({ "name": "books_break", "arguments": {} })),
        ("tools/call", json!({ "name": "books_lend", "arguments": { "titel": "T" } })),
    ];
    let other = Path::new(env!("CARGO_BIN_EXE_shop"));
    for era in Era::ALL {
        let home = home("");
        let flags = ["--surface", "flat"];
        let loaded = [&["--manifest", MANIFEST], &flags[..]].concat();
        let (mut compiled, _errors) = serve(library(), &home, &flags, era);
        let (mut loaded, _errors) = serve(other, &home, &loaded, era);
        await_tools(&mut compiled);
        await_tools(&mut loaded);
        for (method, params) in &requests {
            let answer = compiled.request(method, params.clone());
            assert_eq!(loaded.request(method, params.clone()).to_string(), answer.to_string());
        }
    }
}
