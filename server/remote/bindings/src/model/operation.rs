use serde::Deserialize;

use super::{Effect, List, Page, Request, ResultTable, Step, Text};

/// How an operation is bound to an API.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub struct Operation {
    /// Its id, such as `posts.get`.
    pub id: Text,
    /// Whether it changes something.
    pub effect: Effect,
    /// Whether a second request does nothing that the first has not done.
    pub idempotent: bool,
    /// Reads that come before the request, in their order.
    pub first: List<Step>,
    pub request: Request,
    /// How a list is read in pages; `None` if it is not.
    pub page: Option<Page>,
    /// How the result is read from the answer; `None` if the answer does not matter.
    pub result: Option<ResultTable>,
}

impl Operation {
    /// A `GET` of the base that has no result. Tables are written as changes of this one.
    pub const BARE: Self = Self {
        id: Text::Borrowed(""),
        effect: Effect::Read,
        idempotent: true,
        first: List::Borrowed(&[]),
        request: Request::GET,
        page: None,
        result: None,
    };
}

impl Default for Operation {
    /// [`Self::BARE`].
    fn default() -> Self {
        Self::BARE
    }
}
