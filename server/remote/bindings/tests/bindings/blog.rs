//! A blog, bound as in the manifest's guide, and a server that behaves like its site.

use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use toolwrit_bindings::model::{
    Api, Auth, Base, Body, Code, Effect, ErrorRule, ErrorRules, Literal, Mark, Method, NamedShape,
    Operation, Page, Paging, Path, Probe, Rate, Request, ResultTable, Root, Shape, Step,
};
use toolwrit_bindings::model::{Reference, Template};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response as answer, response};

use crate::tables::*;
use crate::{Calling, call, connect};

pub(crate) static BLOG: Api = Api {
    name: text("wordpress"),
    settings: list![setting("url"), setting("user"), secret("password")],
    base: Base::Setting(text("url")),
    auth: list![Auth::Basic { user: text("user"), password: text("password") }],
    probe: Some(Probe {
        request: Request { path: list![text_in_path("/wp/v2/users/me")], ..Request::GET },
        require: list![requires(
            path(list![name("slug")]),
            Template::Value(Reference { root: Root::Setting(text("user")), path: Path::ROOT }),
        )],
    }),
    rate: Some(Rate { requests: NonZeroU32::new(10).unwrap(), per: Duration::from_millis(10) }),
    shapes: list![NamedShape {
        name: text("Post"),
        shape: Shape::Object(list![
            field("id", Shape::Integer),
            field_at("title", body(list![path(list![name("title"), name("raw")])]), Shape::Text),
            field("status", Shape::Text),
            field_at("modified", body(list![path(list![name("modified_gmt")])]), Shape::Text),
            optional_at(
                "content",
                body(list![path(list![name("content"), name("raw")])]),
                Shape::Text
            ),
        ]),
    }],
    errors: ErrorRules {
        message: Some(path(list![name("message")])),
        fields: Some(path(list![name("data"), name("params")])),
        rules: list![
            ErrorRule {
                when: list![Mark::Body(
                    path(list![name("code")]),
                    Literal::Text(text("term_exists")),
                )],
                code: Code::AlreadyExists,
                at: None,
            },
            ErrorRule {
                when: list![Mark::Body(
                    path(list![name("code")]),
                    Literal::Text(text("rest_post_invalid_page_number")),
                )],
                code: Code::ValidationError,
                at: Some(text("/cursor")),
            },
        ],
    },
    ..Api::BARE
};

const POST: ResultTable = ResultTable { read: body(list![Path::ROOT]), shape: named_shape("Post") };

pub(crate) static LIST: Operation = Operation {
    id: text("posts.list"),
    request: Request {
        path: list![text_in_path("/wp/v2/posts")],
        query: list![
            parameter(entry("context", literal("edit"))),
            parameter(entry(
                "_fields",
                array(list![
                    literal("id"),
                    literal("title"),
                    literal("status"),
                    literal("modified_gmt")
                ])
            )),
            parameter(optional("search", whole("search"))),
            parameter(entry("status", whole("status"))),
        ],
        ..Request::GET
    },
    page: Some(Page {
        size: Some(text("per_page")),
        max: 100,
        total: Some(header("X-WP-Total")),
        paging: Paging::Number {
            parameter: text("page"),
            first: 1,
            pages: Some(header("X-WP-TotalPages")),
        },
    }),
    result: Some(ResultTable {
        read: body(list![Path::ROOT]),
        shape: Shape::Object(list![
            field_at("total", header("X-WP-Total"), Shape::Integer),
            field_at(
                "posts",
                body(list![Path::ROOT]),
                list_of(const { &Shape::Named(text("Post")) })
            ),
        ]),
    }),
    ..Operation::BARE
};

pub(crate) static GET: Operation = Operation {
    id: text("posts.get"),
    request: Request {
        path: list![text_in_path("/wp/v2/posts/"), value_in_path("id")],
        query: list![parameter(entry("context", literal("edit")))],
        ..Request::GET
    },
    result: Some(POST),
    ..Operation::BARE
};

pub(crate) static CREATE: Operation = Operation {
    id: text("posts.create"),
    effect: Effect::Write,
    idempotent: false,
    request: Request {
        method: Method::Post,
        path: list![text_in_path("/wp/v2/posts")],
        body: Body::Json(object(list![
            entry("title", whole("title")),
            optional("content", whole("content")),
            entry("status", whole("status")),
        ])),
        ..Request::GET
    },
    result: Some(POST),
    ..Operation::BARE
};

static UPDATE: Operation = Operation {
    id: text("posts.update"),
    effect: Effect::Write,
    idempotent: false,
    first: list![Step {
        name: text("now"),
        optional: true,
        request: Request {
            path: list![text_in_path("/wp/v2/posts/"), value_in_path("id")],
            query: list![parameter(entry("context", literal("edit")))],
            ..Request::GET
        },
        pick: None,
        require: list![requires(path(list![name("modified_gmt")]), whole("if_match"))],
        otherwise: Code::Conflict,
    }],
    request: Request {
        method: Method::Post,
        path: list![text_in_path("/wp/v2/posts/"), value_in_path("id")],
        body: Body::Json(object(list![
            optional("title", whole("title")),
            optional("content", whole("content")),
        ])),
        ..Request::GET
    },
    result: Some(POST),
    ..Operation::BARE
};

static DELETE: Operation = Operation {
    id: text("posts.delete"),
    effect: Effect::Write,
    idempotent: false,
    request: Request {
        method: Method::Delete,
        path: list![text_in_path("/wp/v2/posts/"), value_in_path("id")],
        query: list![parameter(entry("force", whole("forever")))],
        ..Request::GET
    },
    result: Some(ResultTable {
        read: body(list![Path::ROOT]),
        shape: Shape::Object(list![field_at(
            "id",
            body(list![path(list![name("id")]), path(list![name("previous"), name("id")])]),
            Shape::Integer,
        )]),
    }),
    ..Operation::BARE
};

/// `anna` with her password.
pub(crate) const ANNA: &str = "Basic YW5uYTpzM2NyZXQtb2YtYWxs";

/// A site with three posts.
pub(crate) fn site() -> HttpServer {
    let posts = Mutex::new(vec![post(1, "One"), post(2, "Two"), post(3, "Three")]);
    HttpServer::answering(move |sent| {
        if sent.header("authorization") != Some(ANNA) {
            return answer(401, &json!({ "code": "incorrect_password", "message": "No." }));
        }
        let mut posts = posts.lock().unwrap();
        match (sent.method.as_str(), sent.path().strip_prefix("/api/wp/v2/").unwrap()) {
            ("GET", "users/me") => answer(200, &json!({ "slug": "anna" })),
            ("GET", "posts") => page(sent, &posts),
            ("POST", "posts") => {
                let made = post(posts.len() + 1, sent.json()["title"].as_str().unwrap());
                posts.push(made.clone());
                answer(201, &made)
            }
            (method, path) => one(method, path.strip_prefix("posts/").unwrap(), sent, &mut posts),
        }
    })
}

fn post(id: usize, title: &str) -> Value {
    json!({
        "id": id, "title": { "raw": title, "rendered": title }, "status": "publish",
        "modified_gmt": "2026-11-01T10:00:00", "guid": { "rendered": "x".repeat(500) },
        "content": { "raw": format!("About {title}"), "protected": false }, "_links": {},
    })
}

fn page(sent: &ReceivedRequest, posts: &[Value]) -> Vec<u8> {
    let number = |name: &str, default| {
        let query = sent.target.split_once('?').unwrap().1.split('&');
        let mut values = query.filter_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        values.next().map_or(default, |value| value.parse::<usize>().unwrap())
    };
    let (size, number) = (number("per_page", 10), number("page", 1));
    let pages = posts.len().div_ceil(size);
    if number > pages {
        let code = "rest_post_invalid_page_number";
        return answer(400, &json!({ "code": code, "message": "The page number is too large." }));
    }
    let page = posts.iter().skip(size * (number - 1)).take(size).cloned().collect::<Value>();
    let (total, pages) = (posts.len().to_string(), pages.to_string());
    response(
        200,
        &[("X-WP-Total", &total), ("X-WP-TotalPages", &pages)],
        page.to_string().as_bytes(),
    )
}

fn one(method: &str, id: &str, sent: &ReceivedRequest, posts: &mut [Value]) -> Vec<u8> {
    let found = id.parse::<usize>().ok().and_then(|id| posts.get_mut(id - 1));
    let Some(post) = found else {
        return answer(
            404,
            &json!({ "code": "rest_post_invalid_id", "message": "Invalid post ID." }),
        );
    };
    match method {
        "DELETE" if sent.target.ends_with("force=true") => {
            answer(200, &json!({ "deleted": true, "previous": post }))
        }
        "GET" | "DELETE" => answer(200, post),
        _ => {
            post["title"]["raw"] = sent.json()["title"].clone();
            post["modified_gmt"] = "2026-11-02T10:00:00".into();
            answer(200, post)
        }
    }
}

pub(crate) fn settings(server: &HttpServer) -> Value {
    json!({ "url": server.url("/api"), "user": "anna", "password": { "env": "SECRET" } })
}

#[tokio::test]
async fn posts_are_listed_read_created_changed_and_deleted() {
    let server = site();
    let blog = connect(&BLOG, &settings(&server));
    let listed = Calling { limit: Some(2), ..Calling::new(json!({ "status": "publish" })) };
    let first = listed.run(&blog, &LIST).await.unwrap();
    assert_eq!(first.total, Some(3));
    assert_eq!(first.value["total"], 3);
    let summary = |id, title: &str| {
        json!({ "id": id, "title": title, "status": "publish", "modified": "2026-11-01T10:00:00",
                "content": format!("About {title}") })
    };
    assert_eq!(first.value["posts"], json!([summary(1, "One"), summary(2, "Two")]));
    let second = Calling { cursor: first.next, ..listed }.run(&blog, &LIST).await.unwrap();
    assert_eq!(second.value["posts"], json!([summary(3, "Three")]));
    assert_eq!(second.next, None);
    assert_eq!(
        server.lines(),
        [
            "GET /api/wp/v2/posts?context=edit&_fields=id,title,status,modified_gmt&status=publish&per_page=2",
            "GET /api/wp/v2/posts?context=edit&_fields=id,title,status,modified_gmt&status=publish&per_page=2&page=2",
        ]
    );

    let made = json!({ "title": "Four", "status": "draft" });
    let made = call(&blog, &CREATE, made).await.unwrap().value;
    assert_eq!(made["id"], 4);
    assert_eq!(
        server.requests()[2].json(),
        json!({ "title": "Four", "status": "draft" }),
        "what is absent is left out"
    );
    let read = call(&blog, &GET, json!({ "id": 4 })).await.unwrap().value;
    assert_eq!(read, made);

    let stale = json!({ "id": 4, "title": "IV", "if_match": "2020-01-01T00:00:00" });
    let failure = call(&blog, &UPDATE, stale).await.unwrap_err();
    assert_eq!((failure.code, failure.sent), (Code::Conflict, false));
    assert_eq!(failure.got, Some("2026-11-01T10:00:00".into()));
    let current = json!({ "id": 4, "title": "IV", "if_match": "2026-11-01T10:00:00" });
    assert_eq!(call(&blog, &UPDATE, current).await.unwrap().value["title"], "IV");
    let unconditional = json!({ "id": 4, "title": "4" });
    assert_eq!(call(&blog, &UPDATE, unconditional).await.unwrap().value["title"], "4");
    let of_updates = server.lines().split_off(4);
    let (read, write) = ("GET /api/wp/v2/posts/4?context=edit", "POST /api/wp/v2/posts/4");
    assert_eq!(of_updates, [read, read, write, write], "the step is left out without `if_match`");

    for forever in [false, true] {
        let gone = call(&blog, &DELETE, json!({ "id": 4, "forever": forever })).await.unwrap();
        assert_eq!(gone.value, json!({ "id": 4 }));
    }
    let missing = call(&blog, &GET, json!({ "id": 99 })).await.unwrap_err();
    assert_eq!(missing.code, Code::NotFound);
    assert_eq!(missing.message, "wordpress answered with status 404: Invalid post ID.");
}

#[tokio::test]
async fn a_dry_run_shows_the_request_without_credentials_and_sends_nothing() {
    let server = site();
    let blog = connect(&BLOG, &settings(&server));
    let made = json!({ "title": "Four", "status": "draft" });
    let dry = Calling { dry_run: true, ..Calling::new(made.clone()) };
    let answer = dry.run(&blog, &CREATE).await.unwrap();
    let url = format!("{}/wp/v2/posts", server.url("/api"));
    assert_eq!(answer.value, json!({ "request": { "method": "POST", "url": url, "body": made } }));
    assert_eq!(server.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn rules_of_the_api_come_before_the_status() {
    let refused = json!({ "code": "term_exists", "message": "It exists." });
    let server = HttpServer::in_turn(vec![
        answer(400, &refused),
        answer(200, &refused),
        answer(400, &json!({ "code": "rest_post_invalid_page_number", "message": "Too far" })),
    ]);
    let blog = connect(&BLOG, &settings(&server));
    for _ in 0..2 {
        let failure = call(&blog, &GET, json!({ "id": 1 })).await.unwrap_err();
        assert_eq!(failure.code, Code::AlreadyExists);
    }
    let failure = call(&blog, &GET, json!({ "id": 1 })).await.unwrap_err();
    assert_eq!((failure.code, failure.path.as_deref()), (Code::ValidationError, Some("/cursor")));
}

#[tokio::test]
async fn a_field_that_the_api_refuses_is_named_by_its_argument() {
    let body = json!({
        "code": "rest_invalid_param", "message": "Invalid parameter(s): status",
        "data": { "params": {
            "status": "status is not one of publish, draft.", "title": ["Too long.", "Too dull."],
        } },
    });
    let server = HttpServer::answering(move |_| answer(400, &body));
    let blog = connect(&BLOG, &settings(&server));
    let made = json!({ "title": "Four", "status": "sold" });
    for (operation, arguments) in [(&CREATE, made), (&LIST, json!({ "status": "sold" }))] {
        let failure = call(&blog, operation, arguments).await.unwrap_err();
        assert_eq!(failure.code, Code::ValidationError);
        assert_eq!(failure.path.as_deref(), Some("/status"));
        let said = "(status: status is not one of publish, draft.; title: Too long.)";
        assert!(failure.message.contains(said), "{failure}");
        assert!(!failure.retryable);
    }
}
