//! A site of Jira, bound as in the manifest's guide.

use serde_json::{Value, json};
use toolwrit_bindings::model::{
    Api, Auth, Base, Body, Code, Effect, ErrorRule, ErrorRules, List, Literal, Mark, Method,
    NamedShape, Operation, Page, Paging, Path, Pick, Read, Reference, Request, ResultTable, Root,
    Segment, Shape, Step, Template,
};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response as answer, response};

use crate::tables::*;
use crate::{Calling, call, connect};

pub(crate) static TICKETS: Api = Api {
    name: text("jira"),
    settings: list![setting("url"), own_setting("user"), own_secret("token"),],
    base: Base::Setting(text("url")),
    auth: list![Auth::Basic { user: text("user"), password: text("token") }],
    shapes: list![NamedShape {
        name: text("Issue"),
        shape: Shape::Object(list![
            field("key", Shape::Text),
            field_at(
                "summary",
                body(list![path(list![name("fields"), name("summary")])]),
                Shape::Text
            ),
            optional_at(
                "assignee",
                body(list![path(list![name("fields"), name("assignee"), name("displayName")])]),
                Shape::Text,
            ),
        ]),
    }],
    errors: ErrorRules {
        message: Some(path(list![name("errorMessages"), Segment::Index(0)])),
        fields: Some(path(list![name("errors")])),
        rules: list![ErrorRule {
            when: list![Mark::Header(text("X-Seraph-LoginReason"), text("AUTHENTICATED_FAILED"),)],
            code: Code::ProviderUnavailable,
            at: None,
        }],
    },
    ..Api::BARE
};

pub(crate) static SEARCH: Operation = Operation {
    id: text("issues.search"),
    request: Request {
        path: list![text_in_path("/search/jql")],
        query: list![
            parameter(entry("jql", whole("jql"))),
            parameter(entry("fields", array(list![literal("summary"), literal("assignee")]))),
        ],
        ..Request::GET
    },
    page: Some(Page {
        size: Some(text("maxResults")),
        max: 100,
        total: None,
        paging: Paging::Cursor {
            parameter: text("nextPageToken"),
            next: body(list![path(list![name("nextPageToken")])]),
        },
    }),
    result: Some(ResultTable {
        read: body(list![path(list![name("issues"), Segment::Each])]),
        shape: list_of(const { &Shape::Named(text("Issue")) }),
    }),
    ..Operation::BARE
};

static CREATE: Operation = Operation {
    id: text("issues.create"),
    effect: Effect::Write,
    idempotent: false,
    request: Request {
        method: Method::Post,
        path: list![text_in_path("/issue")],
        body: Body::Json(object(list![entry(
            "fields",
            object(list![
                entry("project", object(list![entry("key", whole("project"))])),
                entry("summary", whole("summary")),
                optional(
                    "description",
                    object(list![
                        entry("type", literal("doc")),
                        entry("version", Template::Literal(Literal::Integer(1))),
                        entry(
                            "content",
                            array(list![object(list![
                                entry("type", literal("text")),
                                entry("text", whole("description")),
                            ])]),
                        ),
                    ]),
                ),
            ]),
        )])),
        ..Request::GET
    },
    result: Some(ResultTable {
        read: body(list![Path::ROOT]),
        shape: Shape::Object(list![field("key", Shape::Text)]),
    }),
    ..Operation::BARE
};

const fn of_move(segments: List<Segment>) -> Reference {
    Reference { root: Root::Step(text("move")), path: path(segments) }
}

pub(crate) static TRANSITION: Operation = Operation {
    id: text("issues.transition"),
    effect: Effect::Write,
    idempotent: false,
    first: list![Step {
        name: text("move"),
        optional: false,
        request: Request {
            path: list![
                text_in_path("/issue/"),
                value_in_path("key"),
                text_in_path("/transitions")
            ],
            ..Request::GET
        },
        pick: Some(Pick {
            from: path(list![name("transitions"), Segment::Each]),
            r#where: list![requires(path(list![name("to"), name("name")]), whole("to"))],
            at: Some(text("/to")),
            offer: Some(path(list![name("to"), name("name")])),
        }),
        require: list![],
        otherwise: Code::Conflict,
    }],
    request: Request {
        method: Method::Post,
        path: list![text_in_path("/issue/"), value_in_path("key"), text_in_path("/transitions")],
        body: Body::Json(object(list![entry(
            "transition",
            object(list![entry("id", Template::Value(of_move(list![name("id")])))]),
        )])),
        ..Request::GET
    },
    result: Some(ResultTable {
        read: body(list![Path::ROOT]),
        shape: Shape::Object(list![
            field_at("key", Read::Reference(argument("key")), Shape::Text),
            field_at(
                "status",
                Read::Reference(of_move(list![name("to"), name("name")])),
                Shape::Text
            ),
        ]),
    }),
    ..Operation::BARE
};

pub(crate) fn settings(server: &HttpServer) -> Value {
    json!({ "url": server.url("/api"), "user": "all", "token": { "env": "SECRET" } })
}

#[tokio::test]
async fn issues_are_searched_page_by_page() {
    let server = HttpServer::answering(|sent| {
        let issue = |key: &str, assignee: Value| json!({ "key": key, "self": "x", "fields": { "summary": "S", "assignee": assignee } });
        let ben = json!({ "displayName": "Ben", "emailAddress": "ben@example.org" });
        if sent.target.ends_with("nextPageToken=a%2Fb%26c") {
            answer(200, &json!({ "issues": [issue("P-2", Value::Null)], "isLast": true }))
        } else {
            answer(200, &json!({ "issues": [issue("P-1", ben)], "nextPageToken": "a/b&c" }))
        }
    });
    let jira = connect(&TICKETS, &settings(&server));
    let search = Calling { limit: Some(1), ..Calling::new(json!({ "jql": "a = \"b&c\" AND d" })) };
    let first = search.run(&jira, &SEARCH).await.unwrap();
    assert_eq!(first.value, json!([{ "key": "P-1", "summary": "S", "assignee": "Ben" }]));
    let second = Calling { cursor: first.next, ..search }.run(&jira, &SEARCH).await.unwrap();
    assert_eq!(second.value, json!([{ "key": "P-2", "summary": "S" }]));
    assert_eq!(second.next, None);
    let query = "jql=a%20%3D%20%22b%26c%22%20AND%20d&fields=summary,assignee&maxResults=1";
    assert_eq!(server.lines()[0], format!("GET /api/search/jql?{query}"));
}

#[tokio::test]
async fn what_is_absent_removes_the_nearest_optional_entry() {
    let server = HttpServer::answering(|_| answer(201, &json!({ "id": "1", "key": "P-1" })));
    let jira = connect(&TICKETS, &settings(&server));
    let mut arguments = json!({ "project": "P", "summary": "$description {project}" });
    call(&jira, &CREATE, arguments.clone()).await.unwrap();
    arguments["description"] = "$summary".into();
    let made = call(&jira, &CREATE, arguments).await.unwrap();
    assert_eq!(made.value, json!({ "key": "P-1" }));
    let bodies: Vec<Value> = server.requests().iter().map(ReceivedRequest::json).collect();
    let summary = "$description {project}";
    assert_eq!(bodies[0], json!({ "fields": { "project": { "key": "P" }, "summary": summary } }));
    let doc =
        json!({ "type": "doc", "version": 1, "content": [{ "type": "text", "text": "$summary" }] });
    assert_eq!(bodies[1]["fields"]["description"], doc, "values are inserted once");
}

#[tokio::test]
async fn a_transition_is_found_by_its_name() {
    let server = HttpServer::answering(|sent| match sent.method.as_str() {
        "GET" => {
            let to = |id: &str, name: &str| json!({ "id": id, "to": { "name": name } });
            answer(
                200,
                &json!({ "transitions": [to("11", "To Do"), to("21", "In Progress"), to("31", "Done")] }),
            )
        }
        _ => response(204, &[], b""),
    });
    let jira = connect(&TICKETS, &settings(&server));
    let moved = call(&jira, &TRANSITION, json!({ "key": "P-1", "to": "Done" })).await.unwrap();
    assert_eq!(moved.value, json!({ "key": "P-1", "status": "Done" }));
    assert_eq!(server.requests()[1].json(), json!({ "transition": { "id": "31" } }));

    let wrong = json!({ "key": "P-1", "to": "progress" });
    let failure = call(&jira, &TRANSITION, wrong).await.unwrap_err();
    assert_eq!((failure.code, failure.path.as_deref()), (Code::ValidationError, Some("/to")));
    assert_eq!(failure.did_you_mean.len(), 3);
    assert_eq!(failure.did_you_mean[0], "In Progress");
    assert_eq!(server.lines().len(), 3, "nothing is changed");
}

#[tokio::test]
async fn a_header_can_say_that_the_credentials_are_wrong() {
    let server = HttpServer::answering(|_| {
        response(200, &[("x-seraph-loginreason", "AUTHENTICATED_FAILED")], b"{\"issues\":[]}")
    });
    let jira = connect(&TICKETS, &settings(&server));
    let failure = call(&jira, &SEARCH, json!({ "jql": "a" })).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
}
