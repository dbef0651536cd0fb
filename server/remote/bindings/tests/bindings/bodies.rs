//! Bodies other than JSON.

use serde_json::{Value, json};
use toolwrit_bindings::WrittenNumbers;
use toolwrit_bindings::model::{
    Body, Code, Effect, ListStyle, Method, Operation, Parameter, Part, PartContent, Request,
};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response as answer};

use crate::open::open;
use crate::tables::*;
use crate::{Calling, call};

const fn posting(body: Body) -> Operation {
    Operation {
        effect: Effect::Write,
        idempotent: false,
        request: Request { method: Method::Post, body, ..Request::GET },
        ..Operation::BARE
    }
}

static FORM: Operation = posting(Body::Form(list![
    parameter(entry("text", whole("text"))),
    parameter(optional("none", whole("none"))),
    Parameter { entry: entry("tags", whole("tags")), style: ListStyle::Brackets },
]));

static TEXT: Operation = posting(Body::Text(whole("text")));

static BYTES: Operation =
    posting(Body::Bytes { content: argument("content"), media_type: whole("type") });

static MULTIPART: Operation = posting(Body::Multipart(list![
    Part { name: text("title"), optional: false, content: PartContent::Text(whole("title")) },
    Part { name: text("none"), optional: true, content: PartContent::Text(whole("none")) },
    Part {
        name: text("file"),
        optional: false,
        content: PartContent::File {
            content: argument("content"),
            file_name: Some(entry("file_name", whole("name"))),
            media_type: Some(whole("type")),
        },
    },
]));

/// A form with a file that may be left out, and whose name may be.
static MAY_HAVE_FILE: Operation = posting(Body::Multipart(list![
    Part { name: text("title"), optional: false, content: PartContent::Text(whole("title")) },
    Part {
        name: text("file"),
        optional: true,
        content: PartContent::File {
            content: argument("content"),
            file_name: Some(optional("file_name", whole("name"))),
            media_type: None,
        },
    },
]));

async fn sent(operation: &Operation, arguments: Value) -> ReceivedRequest {
    let server = HttpServer::answering(|_| answer(201, &json!({})));
    call(&open(&server), operation, arguments).await.unwrap();
    server.only_request()
}

async fn refused(operation: &Operation, arguments: Value) -> Option<String> {
    let server = HttpServer::answering(|_| answer(201, &json!({})));
    let failure = call(&open(&server), operation, arguments).await.unwrap_err();
    assert_eq!(failure.code, Code::ValidationError);
    assert_eq!(server.lines(), Vec::<String>::new());
    failure.path
}

#[tokio::test]
async fn a_form_is_encoded() {
    let form = sent(&FORM, json!({ "text": "a&b=c d+é", "tags": [1, "x,y"] })).await;
    assert_eq!(form.header("content-type"), Some("application/x-www-form-urlencoded"));
    let body = String::from_utf8(form.body).unwrap();
    assert_eq!(body, "text=a%26b%3Dc%20d%2B%C3%A9&tags%5B%5D=1&tags%5B%5D=x%2Cy");
}

#[tokio::test]
async fn text_and_bytes_are_sent_as_they_are() {
    let text = sent(&TEXT, json!({ "text": "é\r\n" })).await;
    assert_eq!(text.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(text.body, "é\r\n".as_bytes());
    let bytes = sent(&BYTES, json!({ "content": "AP/+", "type": "image/png" })).await;
    assert_eq!(bytes.header("content-type"), Some("image/png"));
    assert_eq!(bytes.body, [0, 0xff, 0xfe]);
    assert_eq!(bytes.header("content-length"), Some("3"));
}

#[tokio::test]
async fn bytes_must_be_base64_of_a_type() {
    let arguments = |content: &str, ty: &str| json!({ "content": content, "type": ty });
    for content in ["AP/", "AP/+\n", "-_-_", "é"] {
        let path = refused(&BYTES, arguments(content, "image/png")).await;
        assert_eq!(path.as_deref(), Some("/content"), "{content}");
    }
    for ty in ["", "image", "image/png\r\nx: y", "image/png; x=y", "/png"] {
        let path = refused(&BYTES, arguments("AP/+", ty)).await;
        assert_eq!(path.as_deref(), Some("/type"), "{ty}");
    }
}

#[tokio::test]
async fn a_form_can_have_files() {
    let arguments =
        json!({ "title": "T\r\n--x", "content": "AP/+", "name": "é.png", "type": "image/png" });
    let form = sent(&MULTIPART, arguments.clone()).await;
    let boundary =
        form.header("content-type").unwrap().strip_prefix("multipart/form-data; boundary=");
    let delimiter = format!("--{}", boundary.unwrap());
    let body = String::from_utf8_lossy(&form.body).into_owned();
    let parts: Vec<&str> = body.split(&delimiter).collect();
    assert_eq!(parts.len(), 4, "{body}");
    assert!(
        parts[1].contains("name=\"title\"") && parts[1].ends_with("\r\n\r\nT\r\n--x\r\n"),
        "{body}"
    );
    assert!(
        parts[2].contains("name=\"file\"") && parts[2].contains("Content-Type: image/png"),
        "{body}"
    );
    assert!(form.body.windows(3).any(|bytes| bytes == [0, 0xff, 0xfe]));
    assert_eq!(parts[3], "--\r\n");

    for name in ["", "a/b", "a\\b", "a\"; x=\"y", "a\r\nb"] {
        let mut arguments = arguments.clone();
        arguments["name"] = name.into();
        assert_eq!(refused(&MULTIPART, arguments).await.as_deref(), Some("/name"), "{name}");
    }
}

#[tokio::test]
async fn a_file_needs_no_name_and_a_name_needs_a_file() {
    let form = |sent: ReceivedRequest| String::from_utf8(sent.body).unwrap();
    let with_both = json!({ "title": "T", "content": "aGk=", "name": "a.txt" });
    let body = form(sent(&MAY_HAVE_FILE, with_both).await);
    assert!(body.contains("name=\"file\"; filename=\"a.txt\"") && body.contains("hi"), "{body}");
    let body = form(sent(&MAY_HAVE_FILE, json!({ "title": "T", "content": "aGk=" })).await);
    assert!(body.contains("name=\"file\"; filename=\"file\"") && body.contains("hi"), "{body}");
    let body = form(sent(&MAY_HAVE_FILE, json!({ "title": "T" })).await);
    assert!(!body.contains("name=\"file\""), "{body}");
    let alone = json!({ "title": "T", "name": "a.txt" });
    assert_eq!(refused(&MAY_HAVE_FILE, alone).await.as_deref(), Some("/content"));
}

#[tokio::test]
async fn a_body_has_its_media_type() {
    let with = |media_type: &'static str, body| {
        let mut operation = posting(body);
        operation.request.media_type = Some(text(media_type));
        operation
    };
    for media_type in ["application/merge-patch+json", "application/vnd.api+json; ext=\"a\""] {
        let operation = with(media_type, Body::Json(whole("value")));
        let received = sent(&operation, json!({ "value": { "a": null } })).await;
        assert_eq!(received.header("content-type"), Some(media_type));
        assert_eq!(received.headers.iter().filter(|(name, _)| name == "content-type").count(), 1);
        assert_eq!(received.json(), json!({ "a": null }));
    }
    let xml = with("application/xml", Body::Text(whole("value")));
    let received = sent(&xml, json!({ "value": "<a>é</a>" })).await;
    assert_eq!(received.header("content-type"), Some("application/xml"));
    assert_eq!(received.body, "<a>é</a>".as_bytes());
}

#[tokio::test]
async fn numbers_are_sent_as_they_were_written() {
    static QUERY: Operation = Operation {
        request: Request {
            path: list![text_in_path("/n/"), value_in_path("n")],
            query: list![parameter(entry("n", whole("n")))],
            headers: list![entry("x-n", whole("n"))],
            ..Request::GET
        },
        ..Operation::BARE
    };
    static JSON: Operation = posting(Body::Json(whole("n")));
    static PARTS: Operation = posting(Body::Multipart(list![Part {
        name: text("n"),
        optional: false,
        content: PartContent::Text(whole("n")),
    }]));
    for written in [
        "10",
        "-3",
        "1.5",
        "10.0",
        "1.50",
        "1e3",
        "-2E-7",
        "9007199254740993",
        "18446744073709551615",
        "123456789012345678901234567890",
    ] {
        let sent = async |operation: &Operation| {
            let server = HttpServer::answering(|_| answer(201, &json!({})));
            let json = format!("{{\"n\":{written}}}");
            let arguments = serde_json::from_str(&json).unwrap();
            let numbers = WrittenNumbers::read(&json);
            let calling = Calling { numbers, ..Calling::new(arguments) };
            calling.run(&open(&server), operation).await.unwrap();
            server.only_request()
        };
        let received = sent(&QUERY).await;
        assert_eq!(received.target, format!("/api/n/{written}?n={written}"));
        assert_eq!(received.header("x-n"), Some(written));
        assert_eq!(sent(&JSON).await.body, written.as_bytes());
        let form = String::from_utf8(sent(&PARTS).await.body).unwrap();
        assert!(form.contains(&format!("\r\n\r\n{written}\r\n")), "{form}");
    }
}

#[tokio::test]
async fn a_part_that_is_an_object_is_json() {
    let arguments = json!({ "title": { "a": [1.5, null] }, "content": "AP/+", "name": "a", "type": "image/png" });
    let form = sent(&MULTIPART, arguments).await;
    let body = String::from_utf8_lossy(&form.body).into_owned();
    let part = "name=\"title\"\r\nContent-Type: application/json\r\n\r\n{\"a\":[1.5,null]}\r\n";
    assert!(body.contains(part), "{body}");
}

#[tokio::test]
async fn a_dry_run_shows_bodies_without_the_bytes_of_files() {
    let server = HttpServer::answering(|_| answer(201, &json!({})));
    let open = open(&server);
    let arguments =
        json!({ "title": "T", "content": "AP/+", "name": "a.png", "type": "image/png" });
    let dry = Calling { dry_run: true, ..Calling::new(arguments) };
    let body =
        async |operation| dry.run(&open, operation).await.unwrap().value["request"]["body"].clone();
    let file =
        json!({ "name": "file", "file_name": "a.png", "media_type": "image/png", "bytes": 3 });
    assert_eq!(body(&MULTIPART).await, json!([{ "name": "title", "text": "T" }, file]));
    assert_eq!(body(&BYTES).await, "3 bytes");
}
