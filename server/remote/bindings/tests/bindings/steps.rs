//! Steps before a request.

use serde_json::json;
use toolwrit_bindings::model::{
    Code, List, Method, Operation, Pick, Reference, Request, Root, Segment, Step, Template,
};
use toolwrit_test_servers::http::{HttpServer, json_response as answer};

use crate::call;
use crate::open::{ANYTHING, open};
use crate::tables::*;

const fn found(step: &'static str, segments: List<Segment>) -> Template {
    Template::Value(Reference { root: Root::Step(text(step)), path: path(segments) })
}

const fn picking(name_of_step: &'static str) -> Step {
    Step {
        name: text(name_of_step),
        optional: false,
        request: Request { path: list![text_in_path("/users")], ..Request::GET },
        pick: Some(Pick {
            from: path(list![Segment::Each]),
            r#where: list![requires(path(list![name("name")]), whole("user"))],
            at: Some(text("/user")),
            offer: Some(path(list![name("name")])),
        }),
        require: list![],
        otherwise: Code::Conflict,
    }
}

static OF_USER: Operation = Operation {
    first: list![
        picking("user"),
        Step {
            name: text("team"),
            request: Request {
                path: list![text_in_path("/teams")],
                query: list![parameter(entry("member", found("user", list![name("id")])))],
                ..Request::GET
            },
            pick: None,
            require: list![requires(path(list![name("open")]), literal("true"))],
            otherwise: Code::declared("TEAM_CLOSED"),
            optional: false,
        },
    ],
    request: Request {
        path: list![text_in_path("/of")],
        query: list![
            parameter(entry("team", found("team", list![name("id")]))),
            parameter(entry("user", found("user", list![name("id")]))),
        ],
        ..Request::GET
    },
    result: Some(ANYTHING),
    ..Operation::BARE
};

fn server(is_open: bool) -> HttpServer {
    HttpServer::answering(move |sent| match sent.path() {
        "/api/users" => answer(
            200,
            &json!([
                { "id": 1, "name": "Ann" }, { "id": 2, "name": "Ben" }, { "id": 3, "name": "Ben" },
                { "id": 4, "name": "5" }, { "id": 5, "name": "Evil\u{202e}" }, { "id": 6 },
            ]),
        ),
        "/api/teams" => answer(200, &json!({ "id": 7, "open": is_open })),
        _ => answer(200, &json!("done")),
    })
}

#[tokio::test]
async fn steps_use_what_earlier_steps_found() {
    let server = server(true);
    let done = call(&open(&server), &OF_USER, json!({ "user": "Ann" })).await.unwrap();
    assert_eq!(done.value, "done");
    assert_eq!(
        server.lines(),
        ["GET /api/users", "GET /api/teams?member=1", "GET /api/of?team=7&user=1"]
    );
    let by_number = call(&open(&server), &OF_USER, json!({ "user": 5 })).await;
    assert!(by_number.is_ok(), "a number may be a text in an answer");
}

#[tokio::test]
async fn exactly_one_element_must_be_meant() {
    let server = server(true);
    for (user, message) in [
        ("Ben", "open has 2 elements with the wanted value at $.name."),
        ("Bem", "open has nothing with the wanted value at $.name."),
        ("ann", "open has nothing with the wanted value at $.name."),
    ] {
        let failure = call(&open(&server), &OF_USER, json!({ "user": user })).await.unwrap_err();
        assert_eq!(
            (&failure.code, failure.path.as_deref()),
            (&Code::ValidationError, Some("/user"))
        );
        assert_eq!(failure.message, message);
        assert_eq!(failure.got, Some(user.into()));
        let best = if user == "Bem" { "Ben" } else { "Ann" };
        assert_eq!(failure.did_you_mean[0], best);
        // Each once, none with hidden characters, and not the value that does not do.
        assert_eq!(failure.did_you_mean.len(), if user == "Ben" { 2 } else { 3 });
    }
    assert!(server.lines().iter().all(|line| line == "GET /api/users"));
}

#[tokio::test]
async fn a_requirement_ends_the_call_with_its_code() {
    let server = server(false);
    let failure = call(&open(&server), &OF_USER, json!({ "user": "Ann" })).await.unwrap_err();
    assert_eq!(failure.code.as_str(), "TEAM_CLOSED");
    assert_eq!((failure.expected.as_deref(), failure.got), (Some("true"), Some(json!(false))));
    assert_eq!(server.lines().len(), 2);
}

#[tokio::test]
async fn a_step_that_fails_ends_the_call() {
    for (body, code) in
        [(json!({ "users": 1 }), Code::ValidationError), (json!("x"), Code::UpstreamError)]
    {
        let server = HttpServer::answering(move |_| answer(200, &body));
        let failure = call(&open(&server), &OF_USER, json!({ "user": "Ann" })).await.unwrap_err();
        assert_eq!(failure.code, code);
    }
    let server = HttpServer::answering(|_| answer(404, &json!({})));
    let failure = call(&open(&server), &OF_USER, json!({ "user": "Ann" })).await.unwrap_err();
    assert_eq!(failure.code, Code::NotFound);
    assert!(!failure.sent, "the request of the operation was not");
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn steps_only_read() {
    static WRITING: Operation = Operation {
        first: list![Step {
            name: text("x"),
            optional: false,
            request: Request { method: Method::Post, ..Request::GET },
            pick: None,
            require: list![],
            otherwise: Code::Conflict,
        }],
        ..Operation::BARE
    };
    let server = server(true);
    let failure = call(&open(&server), &WRITING, json!({ "user": "Ann" })).await.unwrap_err();
    assert_eq!(failure.code, Code::Internal);
    assert_eq!(server.lines(), Vec::<String>::new());
}
