//! The cost of searches is bounded: queries are short, and a search counts against the rate and the
//! concurrency like a call.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::{Stop, until};

/// The longest query, in bytes.
const LONGEST: usize = 2048;
/// Concurrent queries.
const CROWD: usize = 8;

/// Distinct words, so that no answer is cached, up to this many bytes.
fn words(bytes: usize) -> String {
    let mut text: String = (0..).map(|n| format!("w{n}x ")).take(bytes).collect();
    text.truncate(bytes);
    text
}

/// One word without a space, which is not in the model's vocabulary.
fn endless(bytes: usize) -> String {
    "qzx".repeat(bytes).split_off(2 * bytes)
}

/// Words that resemble selectors and names.
fn alike(bytes: usize) -> String {
    let mut text = "effect:raed lab.ehco ".repeat(bytes / 20 + 1);
    text.truncate(bytes);
    text
}

fn too_long(answer: &Value, pointer: &str, shown: &str) {
    let error = &answer["error"];
    assert_eq!(error["code"], "VALIDATION_ERROR", "{shown}: {answer}");
    assert_eq!(error["expected"], format!("at most {LONGEST} bytes"), "{shown}: {answer}");
    assert_eq!(error["path"], pointer, "{shown}: {answer}");
}

#[test]
fn every_tool_refuses_long_queries() {
    for (surface, tool, parameter) in [
        ("meta", "search_tools", "query"),
        ("meta", "search_tools", "category"),
        ("meta", "context", "message"),
        ("meta", "describe_tools", "tools"),
        ("dispatch", "discover", "category"),
    ] {
        let mut client = Client::connect(lab(), &["serve", "--surface", surface], Era::Initialize);
        for text in [words, endless, alike] {
            let arguments = |text: String| match parameter {
                "tools" => json!({ parameter: [text, "x"] }),
                _ => json!({ parameter: text }),
            };
            let long = client.call(tool, &arguments(text(200_000)));
            let shown = format!("{tool} {parameter}");
            too_long(&long.json(), &format!("/{parameter}"), &shown);
            assert!(long.is_error() && long.text().len() < 1_000, "{shown}");
            // A query of the maximum length is answered.
            let fits = client.call(tool, &arguments(text(LONGEST - 1)));
            assert!(!fits.text().contains("at most 2048 bytes"), "{shown}: {}", fits.text());
        }
    }
}

#[test]
fn every_http_path_refuses_long_queries() {
    let home = Home::new();
    let server = home.serve(lab(), &[]);
    for (path, parameter) in
        [("/tools?query", "query"), ("/tools?context", "context"), ("/docs/search?q", "query")]
    {
        let ask = |text: &str| server.get(&format!("{path}={}", text.replace(' ', "+")), &[]);
        for text in [words, endless, alike] {
            let refused = ask(&text(40_000));
            assert_eq!(refused.status, 400, "{path}: {refused:?}");
            assert_eq!(refused.error()["expected"], json!(["at most 2048 bytes"]), "{refused:?}");
            let message = refused.error()["message"].to_string();
            assert!(message.contains(&format!("`{parameter}` has")), "{message}");
            assert_eq!(ask(&text(LONGEST)).status, 200, "{path}");
        }
    }
}

#[test]
fn the_command_line_refuses_long_queries() {
    for (command, parameter) in [("search", "/query"), ("context", "/message")] {
        let run = |text: &str| {
            let mut command = Home::new().command(lab(), &[command, text, "--json"]);
            command.stdin(Stdio::null()).output().unwrap()
        };
        let refused = run(&words(LONGEST + 1));
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        too_long(&serde_json::from_slice(&refused.stdout).unwrap(), parameter, command);
        assert!(run(&words(LONGEST)).status.success());
    }
}

/// Sends queries of the maximum length until it is told to stop, and counts the answers.
fn hammer(server: &Server, path: &str, stop: &AtomicBool, answered: &AtomicUsize) {
    while !stop.load(Ordering::Relaxed) {
        let answer = server.get(path, &[]);
        assert!([200, 400, 429].contains(&answer.status), "{answer:?}");
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn many_long_queries_do_not_delay_other_callers() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let paths: Vec<String> = [words, endless, alike]
        .iter()
        .flat_map(|text| {
            let longest = text(LONGEST).replace(' ', "+");
            // Longer queries, too.
            let beyond = text(40_000).replace(' ', "+");
            [
                format!("/tools?query={longest}"),
                format!("/tools?context={longest}"),
                format!("/docs/search?q={longest}"),
                format!("/tools?context={beyond}"),
            ]
        })
        .collect();
    let (stop, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let paths = paths.iter().cycle().take(CROWD);
        let crowd: Vec<_> = paths
            .map(|path| {
                let (server, stop, answered) = (&server, &stop, &answered);
                scope.spawn(move || hammer(server, path, stop, answered))
            })
            .collect();
        let _stop = Stop(&stop);
        let works = || crowd.iter().all(|hammer| !hammer.is_finished());
        until("the first answers", || {
            assert!(works());
            answered.load(Ordering::Relaxed) >= CROWD
        });
        // Callers are served during the attack.
        let mut times: Vec<_> = (0..50)
            .map(|_| {
                let begun = Instant::now();
                server.client("").call("lab_echo", &json!({"text": "in between"})).ok();
                begun.elapsed()
            })
            .collect();
        assert!(works());
        times.sort_unstable();
        let queries = answered.load(Ordering::Relaxed);
        println!("beside {queries} queries: p50 {:?}, most {:?}", times[25], times[49]);
    });
}

#[test]
fn one_line_of_words_is_answered_before_the_next() {
    let mut client = Client::connect(lab(), &["serve", "--surface", "meta"], Era::Initialize);
    for text in [words, endless, alike] {
        let begun = Instant::now();
        let look = client.begin_call("search_tools", &json!({"query": text(210_000)}));
        let echo =
            client.begin_call("execute_read", &json!({"tool": "lab.echo", "args": {"text": "x"}}));
        assert_eq!(client.finish_call(look).code(), "VALIDATION_ERROR");
        client.finish_call(echo).ok();
        println!("210 KB of words: {:?}", begun.elapsed());
    }
}

#[test]
fn searches_count_against_the_rate() {
    for (surface, tool, arguments) in [
        ("meta", "search_tools", json!({"query": "echo"})),
        ("meta", "describe_tools", json!({"tools": ["lab.echo"]})),
        ("meta", "introspect", json!({})),
        ("meta", "context", json!({"message": "echo"})),
        ("dispatch", "discover", json!({})),
        ("dispatch", "no_such_tool", json!({})),
    ] {
        let flags = ["serve", "--surface", surface, "--rate", "1"];
        let mut client = Client::connect(lab(), &flags, Era::Initialize);
        let answers = std::iter::repeat_with(|| client.call(tool, &arguments).code()).take(1_000);
        assert!(answers.into_iter().any(|code| code == "LIMIT_EXCEEDED"), "{surface} {tool}");
    }
    for path in ["/tools", "/tools?context=echo", "/docs/search?q=echo"] {
        let home = Home::new();
        let server = home.serve(lab(), &["--rate", "1"]);
        let mut answers = std::iter::repeat_with(|| server.get(path, &[])).take(1_000);
        let refused = answers.find(|answer| answer.status != 200).expect(path);
        assert_eq!((refused.status, &refused.headers["retry-after"]), (429, &"1".parse().unwrap()));
        assert!(refused.error()["hint"].is_string(), "{refused:?}");
    }
}

#[test]
fn searches_count_against_the_concurrency() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "meta", "--concurrency", "1", "--queue", "0"]);
    let mut busy = Socket::connect(&server);
    busy.begin_call(Era::Stateless, "lab_linger", &json!({}), true);
    assert!(busy.next_event().is_some(), "the handler reports that it runs");
    let client = server.client("/meta");
    assert_eq!(client.call("search_tools", &json!({"query": "echo"})).code(), "LIMIT_EXCEEDED");
    assert_eq!(server.get("/tools", &[]).status, 429);
    assert_eq!(server.get("/docs/search?q=echo", &[]).status, 429);
    drop(busy);
    // The place becomes free again.
    until("a call", || !client.call("search_tools", &json!({"query": "echo"})).is_error());
    until("a page", || server.get("/tools", &[]).status == 200);
}
