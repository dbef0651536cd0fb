//! An API without credentials, whose answers are taken as they are.

use std::borrow::Cow;

use serde_json::{Value, json};
use toolwrit_bindings::model::{
    Api, Base, Body, Effect, ErrorRules, Method, Operation, Path, Request, ResultTable, Shape,
};
use toolwrit_bindings::{Connection, ConnectionOptions, Settings};
use toolwrit_test_servers::http::HttpServer;

use crate::tables::*;
use crate::{connect_with, object as object_of, options, secrets};

pub(crate) static OPEN: Api = Api {
    name: text("open"),
    settings: list![setting("url")],
    base: Base::Setting(text("url")),
    errors: ErrorRules { message: Some(path(list![name("message")])), ..ErrorRules::NONE },
    ..Api::BARE
};

pub(crate) const ANYTHING: ResultTable =
    ResultTable { read: body(list![Path::ROOT]), shape: Shape::Any };

pub(crate) static READ: Operation = Operation {
    id: text("items.read"),
    request: Request { path: list![text_in_path("/items")], ..Request::GET },
    result: Some(ANYTHING),
    ..Operation::BARE
};

/// A write that does more each time.
pub(crate) static ADD: Operation = Operation {
    id: text("items.add"),
    effect: Effect::Write,
    idempotent: false,
    request: Request {
        method: Method::Post,
        path: list![text_in_path("/items")],
        body: Body::Json(object(list![entry("name", literal("new"))])),
        ..Request::GET
    },
    result: Some(ANYTHING),
    ..Operation::BARE
};

/// A write that may be repeated.
pub(crate) static SET: Operation = Operation {
    id: text("items.set"),
    effect: Effect::Write,
    request: Request {
        method: Method::Put,
        path: list![text_in_path("/items/1")],
        body: Body::Json(object(list![entry("name", literal("new"))])),
        ..Request::GET
    },
    result: Some(ANYTHING),
    ..Operation::BARE
};

pub(crate) fn url(server: &HttpServer) -> Value {
    json!({ "url": server.url("/api") })
}

pub(crate) fn open(server: &HttpServer) -> Connection {
    open_with(server, &options())
}

/// A connection to the API with other properties.
pub(crate) fn open_as(api: Api, server: &HttpServer) -> Connection {
    let settings =
        Settings::parse(&api.name, &api.settings, object_of(&url(server)), secrets()).unwrap();
    Connection::new(Cow::Owned(api), settings, &options()).unwrap()
}

pub(crate) fn open_with(server: &HttpServer, options: &ConnectionOptions) -> Connection {
    connect_with(&OPEN, &url(server), options)
}
