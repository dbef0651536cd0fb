//! Pages of lists.

use serde_json::{Value, json};
use toolwrit_bindings::model::{
    Body, Code, Method, Operation, Page, Paging, Read, Request, ResultTable, Segment, Shape,
};
use toolwrit_bindings::{ConnectionOptions, CursorKey};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response as answer, response};

use crate::Calling;
use crate::open::{open, open_with};
use crate::options;
use crate::tables::*;

const fn listing(paging: Paging, total: Option<Read>) -> Operation {
    Operation {
        id: text("items.list"),
        request: Request {
            path: list![text_in_path("/items")],
            query: list![parameter(optional("q", whole("q")))],
            ..Request::GET
        },
        page: Some(Page { size: Some(text("size")), max: 50, total, paging }),
        result: Some(ResultTable {
            read: body(list![
                path(list![name("items"), Segment::Each]),
                path(list![Segment::Each])
            ]),
            shape: Shape::Any,
        }),
        ..Operation::BARE
    }
}

static BY_NUMBER: Operation =
    listing(Paging::Number { parameter: text("page"), first: 0, pages: None }, None);
static BY_COUNT: Operation = listing(
    Paging::Number {
        parameter: text("page"),
        first: 1,
        pages: Some(body(list![path(list![name("pages")])])),
    },
    None,
);
static BY_OFFSET: Operation = listing(Paging::Offset { parameter: text("skip") }, None);
static BY_TOTAL: Operation = listing(
    Paging::Offset { parameter: text("skip") },
    Some(body(list![path(list![name("total")])])),
);
pub(crate) static BY_LINK: Operation = listing(Paging::Link, None);
static BY_CURSOR: Operation = listing(
    Paging::Cursor { parameter: text("after"), next: body(list![path(list![name("next")])]) },
    None,
);

fn query(sent: &ReceivedRequest, name: &str) -> Option<usize> {
    let query = sent.target.split_once('?')?.1;
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Five items, read by all kinds of pages.
fn items() -> HttpServer {
    HttpServer::answering(|sent| {
        let size = query(sent, "size").unwrap();
        let skip = query(sent, "skip").or_else(|| Some(query(sent, "page")? * size)).unwrap_or(0);
        let skip = query(sent, "after").unwrap_or(skip);
        let items: Vec<usize> = (0..5).skip(skip).take(size).collect();
        let end = skip + items.len();
        let next = (end < 5).then_some(end);
        let link = format!("</api/items?size={size}&after={end}>; rel=\"next\"");
        let link = if end < 5 { link } else { "</api/items>; rel=prev".to_owned() };
        let body = json!({ "items": items, "total": 5, "next": next });
        response(200, &[("link", &link)], body.to_string().as_bytes())
    })
}

/// The sizes of all pages.
async fn walk(operation: &Operation, server: &HttpServer, limit: u32) -> Vec<usize> {
    let open = open(server);
    let (mut sizes, mut seen) = (Vec::new(), Vec::new());
    let mut calling = Calling { limit: Some(limit), ..Calling::new(json!({})) };
    loop {
        let page = calling.run(&open, operation).await.unwrap();
        let items = page.value.as_array().unwrap().clone();
        sizes.push(items.len());
        seen.extend(items);
        assert!(sizes.len() < 10, "{sizes:?}");
        calling.cursor = page.next;
        if calling.cursor.is_none() {
            assert_eq!(Value::from(seen), json!([0, 1, 2, 3, 4]));
            return sizes;
        }
    }
}

#[tokio::test]
async fn each_kind_of_page_reads_all_items_once() {
    for (operation, ends_exactly) in [
        (&BY_NUMBER, false),
        (&BY_OFFSET, false),
        (&BY_TOTAL, true),
        (&BY_CURSOR, true),
        (&BY_LINK, true),
    ] {
        let server = items();
        assert_eq!(walk(operation, &server, 2).await, [2, 2, 1]);
        assert_eq!(walk(operation, &server, 50).await, [5]);
        // Without a total, only an empty page tells that the full one was the last.
        let exact = if ends_exactly { vec![5] } else { vec![5, 0] };
        assert_eq!(walk(operation, &server, 5).await, exact);
    }
}

#[tokio::test]
async fn a_total_is_returned() {
    let answer = Calling { limit: Some(2), ..Calling::new(json!({})) };
    let answer = answer.run(&open(&items()), &BY_TOTAL).await.unwrap();
    assert_eq!(answer.total, Some(5));
}

#[tokio::test]
async fn the_number_of_pages_decides_if_the_api_says_it() {
    let server = HttpServer::answering(|_| answer(200, &json!({ "items": [1], "pages": 2 })));
    let open = open(&server);
    let first = Calling { limit: Some(10), ..Calling::new(json!({})) };
    let page = first.run(&open, &BY_COUNT).await.unwrap();
    assert!(page.next.is_some(), "a short page is not the last one");
    let second = Calling { cursor: page.next, ..first }.run(&open, &BY_COUNT).await.unwrap();
    assert_eq!(second.next, None);
    assert_eq!(server.lines()[1], "GET /api/items?size=10&page=2");
}

#[tokio::test]
async fn a_page_is_asked_for_in_a_body_of_json() {
    let operation = Operation {
        request: Request {
            method: Method::Post,
            body: Body::Json(object(list![entry("filter", literal("all"))])),
            ..Request::GET
        },
        ..BY_CURSOR.clone()
    };
    let server = HttpServer::in_turn(vec![
        answer(200, &json!({ "items": [1], "next": "a&b" })),
        answer(200, &json!({ "items": [2] })),
    ]);
    let open = open(&server);
    let first = Calling { limit: Some(1), ..Calling::new(json!({})) };
    let cursor = first.run(&open, &operation).await.unwrap().next;
    Calling { cursor, ..first }.run(&open, &operation).await.unwrap();
    let sent: Vec<Value> = server.requests().iter().map(ReceivedRequest::json).collect();
    assert_eq!(sent[0], json!({ "filter": "all", "size": 1 }));
    assert_eq!(sent[1], json!({ "filter": "all", "size": 1, "after": "a&b" }));
    assert_eq!(server.lines(), ["POST /api", "POST /api"]);
}

#[tokio::test]
async fn numbers_of_pages_keep_their_size() {
    let server = items();
    let open = open(&server);
    let first = Calling { limit: Some(2), ..Calling::new(json!({})) };
    let next = first.run(&open, &BY_NUMBER).await.unwrap().next;
    let larger = Calling { limit: Some(40), cursor: next, ..first };
    assert_eq!(larger.run(&open, &BY_NUMBER).await.unwrap().value, json!([2, 3]));
}

#[tokio::test]
async fn no_more_items_are_asked_for_than_the_api_accepts() {
    let server = items();
    for limit in [0, 51, u32::MAX] {
        let calling = Calling { limit: Some(limit), ..Calling::new(json!({})) };
        calling.run(&open(&server), &BY_OFFSET).await.unwrap();
    }
    let sizes: Vec<usize> =
        server.requests().iter().map(|request| query(request, "size").unwrap()).collect();
    assert_eq!(sizes, [1, 50, 50]);
}

#[tokio::test]
async fn cursors_cannot_be_made_or_used_elsewhere() {
    let other = Operation { id: text("items.others"), ..BY_CURSOR.clone() };
    let server = items();
    let options = options();
    let connection = open_with(&server, &options);
    let first = Calling { limit: Some(2), ..Calling::new(json!({})) };
    let cursor = first.run(&connection, &BY_CURSOR).await.unwrap().next.unwrap();
    let with = |cursor: String| Calling {
        cursor: Some(cursor),
        limit: Some(2),
        ..Calling::new(json!({}))
    };
    let refused = |failure: toolwrit_bindings::Result<_>| {
        let failure: Box<toolwrit_bindings::Failure> =
            failure.map(|_: toolwrit_bindings::Answer| ()).unwrap_err();
        assert_eq!(
            (failure.code, failure.path.as_deref()),
            (Code::ValidationError, Some("/cursor"))
        );
    };
    let mut changed = cursor.clone().into_bytes();
    for at in 0..changed.len() {
        changed[at] ^= 1;
        let text = String::from_utf8_lossy(&changed).into_owned();
        refused(with(text).run(&connection, &BY_CURSOR).await);
        changed[at] ^= 1;
    }
    for made in ["", "2", "c2", "é", &cursor[1..], &format!("{cursor}AA")] {
        refused(with(made.to_owned()).run(&connection, &BY_CURSOR).await);
    }
    refused(with(cursor.clone()).run(&connection, &other).await);
    let other_key = ConnectionOptions { cursor_key: CursorKey::random(), ..options.clone() };
    refused(with(cursor.clone()).run(&open_with(&server, &other_key), &BY_CURSOR).await);
    assert_eq!(server.lines().len(), 1);

    let renewed = open_with(&server, &options);
    assert_eq!(with(cursor).run(&renewed, &BY_CURSOR).await.unwrap().value, json!([2, 3]));
}

#[tokio::test]
async fn a_link_to_another_place_is_not_followed() {
    let other = HttpServer::answering(|_| answer(200, &json!([])));
    for target in [
        format!("{}/items", other.url("/api")),
        "/other/items".to_owned(),
        "/api/../admin".to_owned(),
        "https://evil.example/api/items".to_owned(),
    ] {
        let link = format!("<{target}>; rel=next");
        let server = HttpServer::answering(move |_| response(200, &[("link", &link)], b"[1]"));
        let calling = Calling { limit: Some(1), ..Calling::new(json!({})) };
        let failure = calling.run(&open(&server), &BY_LINK).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError, "{target}");
    }
    assert_eq!(other.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn pages_without_end_end() {
    let same = json!({ "items": [1], "next": "again", "pages": 5 });
    let server = HttpServer::answering(move |_| answer(200, &same));
    let open = open(&server);
    let mut calling = Calling { limit: Some(1), ..Calling::new(json!({})) };
    calling.cursor = calling.run(&open, &BY_CURSOR).await.unwrap().next;
    let failure = calling.run(&open, &BY_CURSOR).await.unwrap_err();
    assert_eq!(failure.code, Code::UpstreamError);

    let empty = json!({ "items": [], "next": "more", "pages": 5 });
    let server = HttpServer::answering(move |_| answer(200, &empty));
    let open = crate::open::open(&server);
    for operation in [&BY_COUNT, &BY_NUMBER, &BY_OFFSET] {
        let first = Calling { limit: Some(1), ..Calling::new(json!({})) };
        assert_eq!(first.run(&open, operation).await.unwrap().next, None);
    }
    let first = Calling { limit: Some(1), ..Calling::new(json!({})) };
    let filtered = first.run(&open, &BY_CURSOR).await.unwrap();
    assert!(filtered.next.is_some(), "an API may filter after it has made a page");

    let huge = json!({ "items": [1], "next": "x".repeat(10_000), "pages": u64::MAX });
    let server = HttpServer::answering(move |_| answer(200, &huge));
    let open = crate::open::open(&server);
    let failure = first.run(&open, &BY_CURSOR).await.unwrap_err();
    assert_eq!(failure.code, Code::UpstreamError);
    assert!(first.run(&open, &BY_COUNT).await.unwrap().next.is_some());
}
