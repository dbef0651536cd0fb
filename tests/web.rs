//! `web.fetch` of the shipped server: over every surface, in a terminal, and within its policy.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, response};
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::{program, vaults};

/// The length of the page `/long`, in characters.
const LENGTH: usize = 120_000;

/// A site on this machine.
fn site() -> HttpServer {
    let html = [("content-type", "text/html; charset=utf-8")];
    HttpServer::answering(move |request| match &*request.target {
        "/page" => {
            response(200, &html, "<title>A page</title><h1>Hello</h1><p>It has <b>text</b>.")
        }
        "/long" => response(200, &html, "\"é".repeat(LENGTH / 2)),
        "/robots.txt" => response(200, &html, "User-agent: *\nDisallow: /private"),
        "/busy" => response(503, &html, ""),
        _ => response(404, &html, ""),
    })
}

const ALLOWED: [&str; 2] = ["--web-allow", "127.0.0.1"];

fn serve(arguments: &[&str]) -> Client {
    Client::vault(vaults::empty().path(), arguments)
}

#[test]
fn a_page_is_fetched_over_every_surface() {
    let site = site();
    let url = site.url("/page");
    let page = json!({
        "url": url, "title": "A page", "content_type": "text/html",
        "content": "# Hello\n\nIt has **text**.", "length": 25,
    });
    for arguments in [["--surface", "flat"], ["--surface", "dispatch"]] {
        let mut client = serve(&[arguments, ALLOWED].concat());
        assert_eq!(client.call("fetch", &json!({"url": url})).ok(), page);
        let listed = client.tools().into_iter().find(|tool| tool["name"] == "fetch").unwrap();
        let hints = &listed["annotations"];
        assert_eq!((&hints["readOnlyHint"], &hints["openWorldHint"]), (&json!(true), &json!(true)));
    }
    let mut meta = serve(&[["--surface", "meta"], ALLOWED].concat());
    for tool in ["web.fetch", "fetch_url"] {
        let arguments = json!({"tool": tool, "args": {"url": url}});
        let found = meta.call("execute_read", &arguments).ok();
        assert_eq!(found["content"], page["content"], "{found}");
    }
    let found = meta.call("search_tools", &json!({"query": "open this website for me"}));
    assert!(found.text().contains("web.fetch"), "{}", found.text());
    let source = json!({"tool": "web.fetch", "args": {"url": url, "raw": true}});
    let source = meta.call("execute_read", &source).ok();
    assert!(source["content"].as_str().unwrap().starts_with("<title>"), "{source}");
}

#[test]
fn the_command_line_fetches_a_page() {
    let (vault, site) = (vaults::empty(), site());
    let output = Command::new(program::toolwrit())
        .args(["call", "web.fetch", "--json", "--url", &site.url("/page"), "--vault"])
        .arg(vault.path())
        .env("TOOLWRIT_WEB_ALLOW", "10.0.0.0/8,127.0.0.1")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("It has **text**."), "{text}");
}

#[test]
fn the_parts_of_a_page_follow_each_other() {
    let site = site();
    let url = site.url("/long");
    let mut client = serve(&[["--surface", "flat"], ALLOWED].concat());
    let (mut text, mut next) = (String::new(), json!(0));
    // A quotation mark takes more bytes in JSON, so that the answers are cut shorter than asked.
    while !next.is_null() {
        let part = json!({"url": url, "start_index": next, "max_length": 50_000, "raw": true});
        let part = client.call("fetch", &part).ok();
        assert_eq!(part["length"], LENGTH);
        text += part["content"].as_str().unwrap();
        next = part["next_index"].clone();
        assert_eq!(part["truncated"], if next.is_null() { Value::Null } else { json!(true) });
    }
    assert_eq!(text, "\"é".repeat(LENGTH / 2));
    let beyond = client.call("fetch", &json!({"url": url, "start_index": LENGTH, "raw": true}));
    let beyond = beyond.error();
    assert_eq!(
        (&beyond["code"], &beyond["path"]),
        (&json!("VALIDATION_ERROR"), &json!("/start_index"))
    );
}

#[test]
fn errors_say_what_to_do() {
    let site = site();
    let mut client = serve(&[["--surface", "flat"], ALLOWED].concat());
    for (url, code, retryable) in [
        (site.url("/missing"), "NOT_FOUND", false),
        (site.url("/busy"), "UPSTREAM_ERROR", true),
        (site.url("/private/x"), "UPSTREAM_ERROR", false),
        ("http://no-such-host.invalid/".to_owned(), "UPSTREAM_ERROR", true),
        ("http://169.254.169.254/latest".to_owned(), "VALIDATION_ERROR", false),
        ("http://[::ffff:127.0.0.1]/".to_owned(), "VALIDATION_ERROR", false),
        ("file:///etc/passwd".to_owned(), "VALIDATION_ERROR", false),
    ] {
        let error = client.call("fetch", &json!({ "url": url })).error();
        assert_eq!(
            (&error["code"], &error["retryable"]),
            (&json!(code), &json!(retryable)),
            "{url}"
        );
    }
    let mut strict = serve(&["--surface", "flat"]);
    let error = strict.call("fetch", &json!({"url": site.url("/page")})).error();
    assert_eq!(error["message"], "127.0.0.1 is at 127.0.0.1, which is not a public address.");
    assert_eq!(error["hint"], "The operator can allow it with --web-allow 127.0.0.1.");
}

#[test]
fn the_operator_decides_about_the_web() {
    let mut without = serve(&["--surface", "flat", "--exclude", "web"]);
    assert!(without.tools().iter().all(|tool| tool["name"] != "fetch"));
    let refused = without.call("fetch", &json!({"url": "https://example.com/"}));
    assert!(refused.is_error(), "{}", refused.text());

    let folder = vaults::empty();
    let file = folder.path().join("config.toml");
    fs::write(&file, "web_allow = [\"127.0.0.0/8\"]\n").unwrap();
    let arguments = ["--surface", "flat", "--role", "reader", "--config", file.to_str().unwrap()];
    let mut configured = Client::vault(folder.path(), &arguments);
    let site = site();
    let page = configured.call("fetch", &json!({"url": site.url("/page")})).ok();
    assert_eq!(page["title"], "A page");

    let wrong = Command::new(program::toolwrit())
        .args(["serve", "--web-allow", "localhost"])
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    let message = String::from_utf8(wrong.stderr).unwrap();
    assert!(message.contains("expected an address or a network"), "{message}");
}
