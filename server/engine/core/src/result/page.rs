//! What handlers of operations with `page` may return.

use std::future::Future;

use serde_json::{Map, Value, json};

use crate::arguments::value::IntoJson;
use crate::fault::Result;
use crate::result::running::HandlerFuture;

/// The field for the next cursor. No declared result has a field of this name.
pub(crate) const NEXT: &str = "next_cursor";

/// One page of a list, from a handler that computes pages itself, as a query with `LIMIT` does.
///
/// The handler gets the cursor of the page in its parameter `cursor` (absent for the first page), and the
/// number of wanted items in `limit`. A handler that returns all items at once needs no `Page`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The result that the operation declares: a list, or an object that contains one list.
    pub items: T,
    /// The cursor of the next page, such as the key of the last item on this page; `None` on the last page.
    pub next: Option<String>,
    /// How many items there are on all pages; `None` if unknown.
    pub total: Option<u64>,
}

impl<T: IntoJson> IntoJson for Page<T> {
    /// Puts `next` and `total` in one field. The engine replaces it with the encoded cursor.
    fn into_json(self) -> Value {
        let mut object = match self.items.into_json() {
            Value::Object(object) => object,
            Value::Null => Map::new(),
            list => Map::from_iter([("result".to_owned(), list)]),
        };
        object.insert(NEXT.to_owned(), json!({ "next": self.next, "total": self.total }));
        Value::Object(object)
    }
}

/// What a handler's page says about the rest of the list.
#[derive(Debug, Default)]
pub(crate) struct Behind {
    pub(crate) next: Option<String>,
    pub(crate) total: Option<u64>,
}

impl Behind {
    /// Removes the field that [`Page`] added from a result. The default if there is none.
    pub(crate) fn take(object: &mut Map<String, Value>) -> Self {
        let Some(rest) = object.shift_remove(NEXT) else { return Self::default() };
        let next = rest.get("next").and_then(Value::as_str).map(str::to_owned);
        Self { next, total: rest.get("total").and_then(Value::as_u64) }
    }
}

/// Removes the cursor of the next page, which only its handler understands. The total stays.
pub(crate) fn without_cursor(mut result: Value) -> Value {
    if let Value::Object(object) = &mut result
        && let Some(total) = Behind::take(object).total
    {
        object.entry("total").or_insert_with(|| total.into());
    }
    result
}

/// An operation's result, or a [`Page`] of it.
#[diagnostic::on_unimplemented(
    message = "the handler of an operation with `page` returns the declared result, or a `Page` of it",
    label = "neither `{R}` nor `toolwrit::Page<{R}>`"
)]
pub trait IntoPage<R>: IntoJson {}

impl<R: IntoJson> IntoPage<R> for R {}

impl<R: IntoJson> IntoPage<R> for Page<R> {}

/// The future of a handler that returns an operation's result, or a [`Page`] of it.
pub trait Paged<R>: Future<Output = Result<Self::Answer>> + HandlerFuture {
    /// Which of the two it returns.
    type Answer: IntoPage<R>;
}

impl<R, T: IntoPage<R>, F: Future<Output = Result<T>>> Paged<R> for F {
    type Answer = T;
}
