//! Whatever the arguments are, a request keeps its method, host, path structure, headers and shape of JSON.

use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolwrit_bindings::Connection;
use toolwrit_bindings::model::{
    Body, Code, Effect, ListStyle, Method, Operation, Parameter, Request,
};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response as answer};

use crate::call;
use crate::open::open;
use crate::tables::*;

/// A request with a place of each kind.
static EVERYWHERE: Operation = Operation {
    id: text("everywhere"),
    effect: Effect::Write,
    idempotent: false,
    request: Request {
        method: Method::Post,
        path: list![
            text_in_path("/a b/"),
            value_in_path("path"),
            text_in_path("/x-"),
            value_in_path("part"),
            text_in_path(".json"),
        ],
        query: list![
            parameter(entry("q", whole("query"))),
            Parameter { entry: entry("r", whole("list")), style: ListStyle::Repeat },
            Parameter { entry: entry("b", whole("list")), style: ListStyle::Brackets },
            parameter(optional("none", whole("absent"))),
        ],
        headers: list![entry("x-own", whole("header"))],
        body: Body::Json(object(list![
            entry("first", whole("json")),
            entry("list", array(list![whole("json"), literal("last")])),
            optional("gone", object(list![entry("deep", array(list![whole("absent")]))])),
        ])),
        media_type: None,
    },
    result: None,
    ..Operation::BARE
};

struct World {
    runtime: Runtime,
    server: HttpServer,
    connection: Connection,
}

static WORLD: LazyLock<World> = LazyLock::new(|| {
    let server = HttpServer::answering(|_| answer(200, &json!({})));
    let runtime = Runtime::new().unwrap();
    let connection = open(&server);
    World { runtime, server, connection }
});

/// Sends the request; `None` if it was refused.
fn sent(arguments: Value) -> Option<ReceivedRequest> {
    // One test at a time uses the server.
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let world = &*WORLD;
    let before = world.server.requests().len();
    let outcome = world.runtime.block_on(call(&world.connection, &EVERYWHERE, arguments));
    let requests = world.server.requests().split_off(before);
    match outcome {
        Ok(_) => {
            assert_eq!(requests.len(), 1);
            requests.into_iter().next()
        }
        Err(failure) => {
            assert_eq!(failure.code, Code::ValidationError, "{failure:?}");
            assert!(failure.path.is_some(), "{failure:?}");
            assert!(requests.is_empty());
            None
        }
    }
}

fn plain() -> Value {
    json!({ "path": "p", "part": "q", "query": "q", "list": ["l"], "header": "h", "json": "j" })
}

/// Undoes percent-encoding.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let (digits, after) = rest.split_at(2);
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap());
            rest = after;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Text with what has a meaning in URLs, headers, JSON and templates.
fn nasty() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        any::<char>().prop_map(|c| c.to_string()),
        "[a-z0-9.]{1,3}",
        proptest::sample::select(vec![
            "..",
            ".",
            "/",
            "\\",
            "?",
            "#",
            "%",
            "%2F",
            "%2e%2e",
            "&",
            "=",
            ";",
            ",",
            "+",
            " ",
            "@",
            ":",
            "//",
            "\r\n",
            "\0",
            "\"",
            "{path}",
            "$query",
            "$$",
            "[",
            "]",
            "}",
            "\u{ff0f}",
            "\u{2028}",
            "http://evil.example/",
            "é",
            "%00",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        nasty().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        any::<bool>().prop_map(Value::from),
    ]
}

/// Whether a server that decodes a path until nothing changes finds no other path in it: neither `..` nor a character
/// that some take for `/`.
fn stays_in_its_segment(value: &str) -> bool {
    let name = |segment: &str| segment.split(';').next().unwrap().trim().to_owned();
    let mut value = value.to_owned();
    loop {
        let is_other = |segment: &str| {
            let name = name(segment);
            !name.is_empty() && name.chars().all(|c| c == '.' || c == ' ')
        };
        let has_bad = value.contains(|c: char| c == '\\' || c.is_control());
        if has_bad || name(&value).is_empty() || value.split('/').any(is_other) {
            return false;
        }
        let decoded = percent_decode_str(&value).decode_utf8_lossy().into_owned();
        if decoded == value {
            return true;
        }
        value = decoded;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn arguments_change_values_only(
        path in scalar(), part in scalar(), query in scalar(), header in scalar(), json in scalar(),
        list in proptest::collection::vec(scalar(), 0..4),
    ) {
        let arguments = json!({
            "path": path, "part": part, "query": query, "list": list, "header": header, "json": json,
        });
        let usual = sent(plain()).unwrap();
        let Some(sent) = sent(arguments) else { return Ok(()) };
        prop_assert_eq!(&sent.method, "POST");
        let names = |sent: &ReceivedRequest| sent.headers.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        prop_assert_eq!(names(&sent), names(&usual));
        prop_assert_eq!(sent.header("host"), usual.header("host"));
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);

        let segments: Vec<&str> = sent.path().split('/').collect();
        prop_assert_eq!(segments.len(), 5, "{}", sent.target);
        prop_assert_eq!(&segments[..3], ["", "api", "a%20b"]);
        prop_assert_eq!(decoded(segments[3]), text(&path));
        prop_assert_eq!(decoded(segments[4]), format!("x-{}.json", text(&part)));

        let pairs: Vec<&str> = sent.target.split_once('?').unwrap().1.split('&').collect();
        let mut expected = vec![("q".to_owned(), text(&query))];
        expected.extend(list.iter().map(|item| ("r".to_owned(), text(item))));
        expected.extend(list.iter().map(|item| ("b[]".to_owned(), text(item))));
        let read = |pair: &&str| {
            let (name, value) = pair.split_once('=').unwrap();
            (decoded(name), decoded(value))
        };
        prop_assert_eq!(pairs.iter().map(read).collect::<Vec<_>>(), expected);
        prop_assert_eq!(sent.json(), json!({ "first": json, "list": [json, "last"] }));
    }

    #[test]
    fn a_value_in_a_path_is_one_part_of_it(value in nasty()) {
        let mut arguments = plain();
        arguments["path"] = value.clone().into();
        prop_assert_eq!(sent(arguments).is_none(), !stays_in_its_segment(&value), "{:?}", value);
    }

    #[test]
    fn a_header_is_one_line(value in nasty()) {
        let mut arguments = plain();
        arguments["header"] = value.clone().into();
        let is_refused = value.trim_matches([' ', '\t']).contains(|c: char| c.is_ascii_control() && c != '\t');
        let sent = sent(arguments);
        prop_assert_eq!(sent.is_none(), is_refused, "{:?}", value);
    }
}

#[test]
fn values_that_some_servers_take_for_other_paths_are_refused() {
    for value in [
        "",
        ".",
        "..",
        "...",
        " ",
        " .. ",
        "..;",
        "..;a=b",
        ". .",
        "../users/me",
        "a/../b",
        "a/..",
        "a\\b",
        "..%2Fusers%2Fme",
        "a%2F..%2Fb",
        "%2e%2e",
        "%252e%252e",
        "%5Cb",
        "a\nb",
        "a%00b",
        "\u{85}",
    ] {
        for place in ["path", "part"] {
            let mut arguments = plain();
            arguments[place] = value.into();
            assert!(sent(arguments).is_none(), "{place}: {value:?}");
        }
    }
    for value in [json!(null), json!([]), json!(["a", ".."]), json!(["a,b"]), json!({ "a": 1 })] {
        for place in ["path", "header"] {
            let mut arguments = plain();
            arguments[place] = value.clone();
            assert!(sent(arguments).is_none(), "{place}: {value}");
        }
    }
}

#[test]
fn what_has_a_meaning_in_a_path_is_encoded() {
    for (value, encoded) in [
        (json!("src/main.rs"), "src%2Fmain.rs"),
        (json!("/a//b/"), "%2Fa%2F%2Fb%2F"),
        (json!("100%"), "100%25"),
        (json!("what?"), "what%3F"),
        (json!("c#"), "c%23"),
        (json!("a%2Fb"), "a%252Fb"),
        (json!("a..b"), "a..b"),
        (json!(["a", 2, "c d"]), "a,2,c%20d"),
    ] {
        let mut arguments = plain();
        arguments["path"] = value;
        let sent = sent(arguments).unwrap();
        assert_eq!(sent.target.split('/').nth(3), Some(encoded));
    }
}

#[tokio::test]
async fn a_value_of_several_segments_stays_below_its_place() {
    static NESTED: Operation = Operation {
        request: Request {
            path: list![text_in_path("/files/"), segments_in_path("path")],
            ..Request::GET
        },
        ..Operation::BARE
    };
    let server = HttpServer::answering(|_| answer(200, &json!({})));
    let open = open(&server);
    for value in
        ["", "/", "/a", "a/", "a//b", "..", "../a", "a/../b", "a/./b", "a/%2e%2e", "a\\b", "a/%2e"]
    {
        let failure = call(&open, &NESTED, json!({ "path": value })).await.unwrap_err();
        let found = (failure.code, failure.path.as_deref());
        assert_eq!(found, (Code::ValidationError, Some("/path")), "{value}");
    }
    call(&open, &NESTED, json!({ "path": "a b/c/d.e" })).await.unwrap();
    assert_eq!(server.only_request().target, "/api/files/a%20b/c/d.e");
}

#[test]
fn a_missing_argument_is_named() {
    let world = &*WORLD;
    let mut arguments = plain();
    arguments.as_object_mut().unwrap().remove("json");
    let outcome = world.runtime.block_on(call(&world.connection, &EVERYWHERE, arguments));
    let failure = outcome.unwrap_err();
    assert_eq!((failure.code, failure.path.as_deref()), (Code::ValidationError, Some("/json")));
}

#[tokio::test]
async fn lists_that_commas_join_have_no_commas() {
    static JOINED: Operation = Operation {
        request: Request { query: list![parameter(entry("l", whole("list")))], ..Request::GET },
        ..Operation::BARE
    };
    let server = HttpServer::answering(|_| answer(200, &json!({})));
    let open = open(&server);
    let failure = call(&open, &JOINED, json!({ "list": ["a", "b,c"] })).await.unwrap_err();
    assert_eq!((failure.code, failure.path.as_deref()), (Code::ValidationError, Some("/list")));
    call(&open, &JOINED, json!({ "list": ["a", "b c", 3] })).await.unwrap();
    assert_eq!(server.only_request().target, "/api?l=a,b%20c,3");
}
