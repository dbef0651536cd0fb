//! What the handlers of operations with `page` may give back.

use std::future::Future;

use serde_json::{Map, Value, json};

use crate::arg_value::IntoJson;
use crate::fault::Result;
use crate::toolset::HandlerFuture;

/// Where a result tells what is behind its items. No declared result has a field of this name.
pub(crate) const NEXT: &str = "next_cursor";

/// One page of a list, from a handler that finds pages by itself, as a query with `LIMIT` does.
///
/// The handler gets the cursor of the page in its parameter `cursor`, none for the first page, and in
/// `limit` how many items are wanted. A handler that gives all items at once needs no `Page`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The result that the operation declares: a list, or what has one list in it.
    pub items: T,
    /// The cursor of the next page, such as the key of the last item on this one; none on the last page.
    pub next: Option<String>,
    /// How many items there are on all pages, where that is known.
    pub total: Option<u64>,
}

impl<T: IntoJson> IntoJson for Page<T> {
    /// What is behind the items stands in one field, until the engine has made the page of it.
    fn into_json(self) -> Value {
        let mut object = match self.items.into_json() {
            Value::Object(object) => object,
            list => Map::from_iter([("result".to_owned(), list)]),
        };
        object.insert(NEXT.to_owned(), json!({ "next": self.next, "total": self.total }));
        Value::Object(object)
    }
}

/// What a page says of the list behind it.
#[derive(Debug, Default)]
pub(crate) struct Behind {
    pub(crate) next: Option<String>,
    pub(crate) total: Option<u64>,
}

impl Behind {
    /// Takes it out of a result, where there is any.
    pub(crate) fn take(object: &mut Map<String, Value>) -> Self {
        let Some(told) = object.shift_remove(NEXT) else { return Self::default() };
        let next = told.get("next").and_then(Value::as_str).map(str::to_owned);
        Self { next, total: told.get("total").and_then(Value::as_u64) }
    }
}

/// An operation's result, or a [`Page`] of it.
#[diagnostic::on_unimplemented(
    message = "the handler of an operation with `page` returns the declared result, or a `Page` of it",
    label = "neither `{R}` nor `toolwrit::Page<{R}>`"
)]
pub trait IntoPage<R>: IntoJson {}

impl<R: IntoJson> IntoPage<R> for R {}

impl<R: IntoJson> IntoPage<R> for Page<R> {}

/// The future of a handler that gives an operation's result, or a [`Page`] of it.
pub trait Paged<R>: Future<Output = Result<Self::Answer>> + HandlerFuture {
    /// Which of the two it gives.
    type Answer: IntoPage<R>;
}

impl<R, T: IntoPage<R>, F: Future<Output = Result<T>>> Paged<R> for F {
    type Answer = T;
}
