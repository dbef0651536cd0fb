use serde::Deserialize;

use super::{Read, Text};

/// How a list is read in pages. Its parameters are parts of the query, or members of the body if that is a JSON
/// object.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Page {
    /// The parameter for the number of items on a page.
    pub size: Option<Text>,
    /// The largest number of items that the API accepts.
    pub max: u32,
    /// Where the API says how many items there are on all pages.
    pub total: Option<Read>,
    /// How the next page is asked for.
    pub paging: Paging,
}

/// How the next page is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paging {
    Number {
        parameter: Text,
        /// The number of the first page.
        first: u32,
        /// Where the API says how many pages there are. Otherwise a page with fewer items is the last one.
        pages: Option<Read>,
    },
    /// By the number of items before it. The last page is the one that reaches the total of [`Page::total`], or
    /// has fewer items.
    Offset { parameter: Text },
    /// By a text in the previous answer.
    Cursor {
        parameter: Text,
        /// Where the text is.
        next: Read,
    },
    /// By the link `next` in the header `Link` of the previous answer: RFC 8288.
    Link,
}
