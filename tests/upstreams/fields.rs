//! Fields of tools and results that only a client reads, blocks of unknown kinds, and what comes with a failure.

use std::fs;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::waiting::until;

use crate::upstreams::passing::setup;
use crate::upstreams::scripted::{OFFERS, table_of, tool, write};
use crate::upstreams::{Host, Setup};

/// A tool that answers with the result among its arguments.
fn answering() -> Value {
    let mut answering = tool("result");
    answering["inputSchema"] = json!({ "type": "object" });
    answering
}

/// Calls it on the flat surface, and returns the result that the client gets.
fn result(host: &mut Host, result: &Value) -> Value {
    let call = json!({ "name": "one_result", "arguments": { "result": result } });
    host.client.request("tools/call", call)["result"].clone()
}

#[test]
fn metadata_of_results_passes() {
    let block = json!({ "type": "text", "text": "t", "_meta": { "vendor/block": 1 } });
    let resource = json!({ "uri": "x:y", "text": "z", "_meta": { "vendor/inner": [1] } });
    let sent = json!({
        "content": [block, { "type": "resource", "resource": resource }],
        "_meta": { "vendor/trace": { "id": "t1" }, "io.modelcontextprotocol/serverInfo": { "name": "x" } },
    });
    for era in Era::ALL {
        let setup = setup(era, &[answering()], "");
        let mut host = setup.serve("flat", era);
        let got = result(&mut host, &sent);
        assert_eq!(got["_meta"]["vendor/trace"], json!({ "id": "t1" }), "{era:?}: {got}");
        assert_ne!(got["_meta"]["io.modelcontextprotocol/serverInfo"], json!({ "name": "x" }));
        assert_eq!(got["content"][0], block, "{era:?}: {got}");
        assert_eq!(got["content"][1]["resource"], resource, "{era:?}: {got}");
        let large = json!({ "content": [block], "_meta": { "vendor/large": "x".repeat(70_000) } });
        let got = result(&mut host, &large);
        assert_eq!(got["_meta"]["vendor/large"], Value::Null);
        assert_eq!(got["content"][0]["text"], "t");
    }
}

#[test]
fn blocks_of_unknown_kinds_are_texts() {
    let after = json!({ "type": "text", "text": "after" });
    for era in Era::ALL {
        let setup = setup(era, &[answering()], "");
        let mut host = setup.serve("flat", era);
        for (block, parts) in [
            (
                json!({ "type": "video", "data": "x".repeat(9_000), "mimeType": "video/mp4" }),
                &["\"video\"", "(9000 bytes)"][..],
            ),
            (json!({ "type": "table", "rows": [[1, 2]] }), &["\"table\"", "[[1,2]]"]),
            (
                json!({ "type": "image", "url": "https://pictures.example/1" }),
                &["https://pictures.example/1"],
            ),
            (json!({ "text": "without a type" }), &["without a type"]),
            (json!("a bare text"), &["a bare text"]),
        ] {
            let got = result(
                &mut host,
                &json!({ "content": [block, after], "structuredContent": { "n": 1 } }),
            );
            assert_ne!(got["isError"], true, "{era:?} {block}: {got}");
            let text = got["content"][0]["text"].as_str().unwrap();
            assert!(parts.iter().all(|part| text.contains(part)), "{era:?} {block}: {text}");
            assert!(text.len() < 1_000, "{}", text.len());
            assert_eq!(got["content"][1], after, "{era:?} {block}: {got}");
            assert_eq!(got["structuredContent"], json!({ "n": 1 }));
        }
        // Only the annotations are unknown.
        let annotated = json!({ "type": "text", "text": "for all", "annotations": { "audience": ["everyone"] } });
        let got = result(&mut host, &json!({ "content": [annotated] }));
        assert_eq!(
            got["content"],
            json!([{ "type": "text", "text": "for all" }]),
            "{era:?}: {got}"
        );
        let none = result(&mut host, &json!({ "elephants": 3 }));
        assert!(none.to_string().contains("a result of another kind"), "{none}");
    }
}

#[test]
fn a_failure_has_the_images_and_the_structured_content_of_its_tool() {
    let image = json!({ "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" });
    let link = json!({ "type": "resource_link", "uri": "https://logs.example/1", "name": "log" });
    let sent = json!({
        "content": [{ "type": "text", "text": "the page did not load" }, image, link],
        "structuredContent": { "status": 503, "attempts": [1, 2] },
        "isError": true,
    });
    for era in Era::ALL {
        let setup = setup(era, &[answering()], "");
        let mut host = setup.serve("flat", era);
        let got = result(&mut host, &sent);
        assert_eq!(got["isError"], true, "{era:?}: {got}");
        let text = got["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("the page did not load"), "{text}");
        assert_eq!(got["content"][1], image, "{era:?}: {got}");
        assert_eq!(got["content"][2], link, "{era:?}: {got}");
        let error = &got["structuredContent"]["error"];
        assert_eq!(error["details"], sent["structuredContent"], "{era:?}: {got}");
        assert_eq!(error["retryable"], false);
    }
}

#[test]
fn titles_icons_and_metadata_of_tools_pass_as_they_were_approved() {
    let icon = json!({ "src": "https://icons.example/a.svg", "mimeType": "image/svg+xml", "sizes": ["any"] });
    let interface = json!({ "ui": { "resourceUri": "ui://clock/view" }, "vendor/x": 1 });
    let mut titled = tool("titled");
    titled["title"] = "A\u{200b} title".into();
    titled["icons"] =
        json!([icon, { "src": "http://icons.example/plain.png" }, { "src": "file:///etc/passwd" }]);
    titled["_meta"] = interface.clone();
    titled["_meta"]["io.modelcontextprotocol/private"] = 1.into();
    let mut annotated = tool("annotated");
    annotated["annotations"] = json!({ "title": "Annotated" });
    for (era, more, meta) in [
        (Era::Initialize, "", interface),
        (Era::Stateless, "resources = false", json!({ "vendor/x": 1 })),
    ] {
        let setup = setup(Era::Initialize, &[titled.clone(), annotated.clone()], more);
        let mut host = setup.serve("flat", era);
        let listed = host.client.tools();
        let find = |name: &str| listed.iter().find(|tool| tool["name"] == name).unwrap();
        let tool = find("one_titled");
        assert_eq!(tool["title"], "A\\u{200b} title");
        assert_eq!(tool["icons"], json!([icon]));
        assert_eq!(tool["_meta"], meta, "{era:?}");
        assert_eq!(find("one_annotated")["title"], "Annotated");
    }
}

#[test]
fn the_resource_of_an_interface_passes() {
    let setup = Setup::new("");
    let uri = "ui://clock/view";
    let listed = json!({ "uri": uri, "name": "view", "mimeType": "text/html;profile=mcp-app" });
    for era in Era::ALL {
        let file = write(setup.folder.path(), &[tool("ping")]);
        fs::write(
            setup.folder.path().join(OFFERS),
            json!({ "resources": [listed], "resourceTemplates": [], "prompts": [] }).to_string(),
        )
        .unwrap();
        fs::write(&setup.config, table_of("one", era, &file, "")).unwrap();
        setup.approve("one");
        let mut host = setup.serve("flat", era);
        let mut found = Value::Null;
        until("the resource", || {
            let resources =
                host.client.request("resources/list", json!({}))["result"]["resources"].clone();
            found = resources
                .as_array()
                .into_iter()
                .flatten()
                .find(|own| own["uri"] == uri)
                .cloned()
                .unwrap_or_default();
            found.is_object()
        });
        assert_eq!(found["mimeType"], "text/html;profile=mcp-app");
        let read = host.client.request("resources/read", json!({ "uri": uri }));
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["uri"], uri, "{read}");
        assert_eq!(contents["_meta"], json!({ "x": 1 }), "{read}");
    }
}
