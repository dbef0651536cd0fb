//! Results have what their shape declares, and nothing else.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use toolwrit_bindings::Connection;
use toolwrit_bindings::model::{
    Api, Base, Body, Code, Element, Field, Method, NamedShape, Operation, Path, Read, Request,
    ResultTable, Segment, Shape,
};
use toolwrit_test_servers::http::{HttpServer, json_response as answer, response};

use crate::open::{OPEN, open, open_as, url};
use crate::tables::*;
use crate::{call, connect, value};

fn reading(shape: Shape) -> Operation {
    Operation {
        request: Request { path: list![text_in_path("/items")], ..Request::GET },
        result: Some(ResultTable { read: body(list![Path::ROOT]), shape }),
        ..Operation::BARE
    }
}

/// An operation as it is loaded at run time.
fn object_of(fields: Vec<Field>) -> Operation {
    reading(Shape::Object(Cow::Owned(fields)))
}

async fn read(operation: &Operation, body: Value) -> toolwrit_bindings::Result<Value> {
    let server = HttpServer::answering(move |_| answer(200, &body));
    value(&open(&server), operation).await
}

/// More values than may be read, and deeper than JSON is read.
#[tokio::test]
async fn what_no_table_names_is_not_read() {
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let items = "{\"id\":1},".repeat(900_000);
    let text_of_body =
        format!("{{\"deep\":{deep},\"items\":[{items}2],\"id\":1,\"more\":{{\"name\":\"x\"}}}}");
    let field =
        |name: &'static str, read, shape| Field { name: text(name), optional: false, read, shape };
    let path = |segments| Some(Read::Body(Cow::Owned(vec![Path(Cow::Owned(segments))])));
    let in_more = path(vec![Segment::Name(text("more")), Segment::Name(text("name"))]);
    let second =
        path(vec![Segment::Name(text("items")), Segment::Index(1), Segment::Name(text("id"))]);
    let wanted = object_of(vec![
        field("id", None, Shape::Integer),
        field("name", in_more, Shape::Text),
        field("second", second, Shape::Integer),
    ]);
    let server = HttpServer::answering(move |_| response(200, &[], text_of_body.as_bytes()));
    let read = value(&open(&server), &wanted).await;
    assert_eq!(read, Ok(json!({ "id": 1, "name": "x", "second": 1 })));
    let all = object_of(vec![field("items", None, list_of(const { &Shape::Any }))]);
    let failure = value(&open(&server), &all).await.unwrap_err();
    assert_eq!(failure.code, Code::ResultTooLarge);
}

#[tokio::test]
async fn values_have_their_types() {
    let cases = [
        (Shape::Text, json!("a"), vec![json!(1), json!(true), json!(["a"])]),
        (Shape::Integer, json!(-7), vec![json!("7"), json!(7.5), json!(1e20), json!(false)]),
        (Shape::Number, json!(7.5), vec![json!("7.5"), json!([])]),
        (Shape::Boolean, json!(false), vec![json!("false"), json!(0)]),
        (
            list_of(const { &Shape::Text }),
            json!(["a", "b"]),
            vec![json!("a"), json!([1]), json!({})],
        ),
        (
            Shape::Map(Element::Loaded(Arc::new(Shape::Integer))),
            json!({ "a": 1 }),
            vec![json!([1]), json!({ "a": "1" })],
        ),
        (Shape::Any, json!({ "a": [1, null] }), vec![]),
        (
            Shape::Object(list![Field {
                name: text("a"),
                optional: true,
                read: None,
                shape: Shape::Text
            }]),
            json!({}),
            vec![json!([]), json!("a"), json!(1)],
        ),
    ];
    for (shape, right, wrong) in cases {
        let operation = reading(shape);
        assert_eq!(read(&operation, right.clone()).await, Ok(right));
        for wrong in wrong {
            let failure = read(&operation, wrong.clone()).await.unwrap_err();
            assert_eq!(failure.code, Code::UpstreamError, "{wrong}");
            assert!(failure.expected.is_some() && failure.message.contains('$'), "{failure}");
        }
    }
}

#[tokio::test]
async fn headers_are_read_as_their_types() {
    let operation = object_of(vec![
        field_at("total", header("X-Total"), Shape::Integer),
        field_at("exact", header("x-exact"), Shape::Number),
        field_at("more", header("x-more"), Shape::Boolean),
        field_at("etag", header("ETag"), Shape::Text),
        optional_at("none", header("x-none"), Shape::Text),
    ]);
    let server = HttpServer::in_turn(vec![
        response(
            200,
            &[("x-total", " 12 "), ("x-exact", "1.5"), ("x-more", "true"), ("etag", "\"a\"")],
            b"{}",
        ),
        response(
            200,
            &[("x-total", "many"), ("x-exact", "1.5"), ("x-more", "true"), ("etag", "x")],
            b"{}",
        ),
    ]);
    let open = open(&server);
    let found = json!({ "total": 12, "exact": 1.5, "more": true, "etag": "\"a\"" });
    assert_eq!(value(&open, &operation).await, Ok(found));
    let failure = value(&open, &operation).await.unwrap_err();
    assert_eq!(failure.message, "The answer of open has a text at the header X-Total.");
}

#[tokio::test]
async fn the_first_place_with_a_value_counts() {
    let at = |segments: Vec<Segment>| Path(Cow::Owned(segments));
    let paths = vec![at(vec![name("a")]), at(vec![name("b"), Segment::Index(1)])];
    let operation =
        object_of(vec![optional_at("x", Read::Body(Cow::Owned(paths)), Shape::Integer)]);
    for (answer, found) in [
        (json!({ "a": 1, "b": [2, 3] }), json!({ "x": 1 })),
        (json!({ "a": null, "b": [2, 3] }), json!({ "x": 3 })),
        (json!({ "b": [2] }), json!({})),
        (json!({ "b": { "1": 2 } }), json!({})),
        (json!(["a"]), json!({})),
    ] {
        assert_eq!(read(&operation, answer.clone()).await, Ok(found), "{answer}");
    }
}

#[tokio::test]
async fn the_values_of_an_object_can_be_a_list() {
    let each = body(list![path(list![Segment::Each])]);
    let shape = list_of(&Shape::Object(list![field("slug", Shape::Text)]));
    let operation =
        Operation { result: Some(ResultTable { read: each, shape }), ..reading(Shape::Any) };
    let types = json!({ "post": { "slug": "post", "x": 1 }, "page": { "slug": "page" } });
    assert_eq!(read(&operation, types).await, Ok(json!([{ "slug": "post" }, { "slug": "page" }])));
}

#[tokio::test]
async fn a_type_may_contain_itself() {
    let replies = Shape::List(Element::Loaded(Arc::new(named_shape("Comment"))));
    let loop_ = field_at("again", body(list![Path::ROOT]), named_shape("Loop"));
    let shapes = vec![
        NamedShape {
            name: text("Comment"),
            shape: Shape::Object(Cow::Owned(vec![
                field("text", Shape::Text),
                Field { optional: true, ..field("replies", replies) },
            ])),
        },
        NamedShape { name: text("Loop"), shape: Shape::Object(Cow::Owned(vec![loop_])) },
    ];
    let api = Api { shapes: Cow::Owned(shapes), ..OPEN.clone() };
    let comment =
        json!({ "text": "a", "replies": [{ "text": "b", "replies": [{ "text": "c" }] }] });
    let mut answered = comment.clone();
    answered["replies"][0]["secret"] = 1.into();
    let server = HttpServer::answering(move |_| answer(200, &answered));
    let loaded = open_as(api, &server);
    assert_eq!(value(&loaded, &reading(named_shape("Comment"))).await, Ok(comment));
    let failure = value(&loaded, &reading(named_shape("Loop"))).await.unwrap_err();
    assert_eq!(failure.code, Code::Internal, "a mistake of the table, which must not hang");
    let failure = value(&loaded, &reading(named_shape("None"))).await.unwrap_err();
    assert_eq!(failure.code, Code::Internal);
}

#[tokio::test]
async fn an_operation_without_a_result_ignores_the_answer() {
    let ignoring = Operation { result: None, ..reading(Shape::Any) };
    for body in [&b""[..], b"<html>", b"{}"] {
        let server = HttpServer::answering(move |_| response(200, &[], body));
        assert_eq!(value(&open(&server), &ignoring).await, Ok(Value::Null));
    }
}

#[tokio::test]
async fn a_result_can_be_the_text_of_the_answer() {
    let text_of = Operation {
        result: Some(ResultTable { read: Read::Text, shape: Shape::Text }),
        ..reading(Shape::Any)
    };
    let server = HttpServer::in_turn(vec![
        response(200, &[("content-type", "text/plain")], "{é\r\n".as_bytes()),
        response(204, &[], b""),
        response(200, &[], b"\xff"),
    ]);
    let open = open(&server);
    assert_eq!(value(&open, &text_of).await, Ok("{é\r\n".into()));
    assert_eq!(value(&open, &text_of).await, Ok("".into()));
    assert_eq!(value(&open, &text_of).await.unwrap_err().code, Code::UpstreamError);
}

/// JSON with names that the shape declares, and others.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let names = proptest::sample::select(vec!["id", "tags", "child", "other", "_meta"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map(names, inner, 0..5).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<Map<_, _>>()
                    .into()
            }),
        ]
    })
}

fn is_declared(value: &Value) -> bool {
    value.as_object().is_some_and(|object| {
        object.iter().all(|(name, value)| match name.as_str() {
            "id" => value.is_i64(),
            "tags" => value.as_array().is_some_and(|tags| tags.iter().all(Value::is_string)),
            "child" => is_declared(value),
            _ => false,
        })
    })
}

static NODE: Api = Api {
    shapes: list![NamedShape {
        name: text("Node"),
        shape: Shape::Object(list![
            Field { name: text("id"), optional: true, read: None, shape: Shape::Integer },
            Field {
                name: text("tags"),
                optional: true,
                read: None,
                shape: list_of(const { &Shape::Text })
            },
            Field { name: text("child"), optional: true, read: None, shape: named_shape("Node") },
        ]),
    }],
    name: text("open"),
    base: Base::Setting(text("url")),
    settings: list![setting("url")],
    ..Api::BARE
};

/// Sends its argument, which the server answers.
static ECHO: LazyLock<Operation> = LazyLock::new(|| Operation {
    request: Request { method: Method::Post, body: Body::Json(whole("body")), ..Request::GET },
    ..reading(named_shape("Node"))
});

/// With the server, which would end without it.
static WORLD: LazyLock<(Runtime, Connection, HttpServer)> = LazyLock::new(|| {
    let server = HttpServer::answering(|sent| response(200, &[], &sent.body));
    (Runtime::new().unwrap(), connect(&NODE, &url(&server)), server)
});

proptest! {
    #[test]
    fn whatever_an_api_answers_only_declared_values_survive(body in any_json()) {
        let (runtime, node, _) = &*WORLD;
        match runtime.block_on(call(node, &ECHO, json!({ "body": body }))) {
            Ok(answer) => prop_assert!(is_declared(&answer.value), "{}", answer.value),
            Err(failure) => prop_assert_eq!(failure.code, Code::UpstreamError),
        }
    }
}
