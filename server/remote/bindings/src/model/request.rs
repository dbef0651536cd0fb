use std::fmt;

use serde::Deserialize;

use super::{Entry, List, Reference, Template, Text};

/// A request, with slots for values.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub struct Request {
    pub method: Method,
    /// The path, which continues the base.
    pub path: List<PathPart>,
    pub query: List<Parameter>,
    /// Headers besides those that are always sent.
    pub headers: List<Entry>,
    pub body: Body,
    /// The media type of the body, if it is not the usual one of its kind. [`Body::Bytes`] has its own.
    pub media_type: Option<Text>,
}

impl Request {
    /// A `GET` of the base. Tables are written as changes of this one.
    pub const GET: Self = Self {
        method: Method::Get,
        path: List::Borrowed(&[]),
        query: List::Borrowed(&[]),
        headers: List::Borrowed(&[]),
        body: Body::None,
        media_type: None,
    };
}

impl Default for Request {
    /// [`Self::GET`].
    fn default() -> Self {
        Self::GET
    }
}

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathPart {
    /// The path itself, such as `/wp/v2/posts/`.
    Text(Text),
    /// A segment, or the part of one, that is a value.
    Value(Reference),
    /// One or more segments that are a value, with `/` between them.
    Segments(Reference),
}

/// A parameter of a query, or a field of a form.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Parameter {
    /// Its name and value. A list is written in the style.
    pub entry: Entry,
    /// How a list is written.
    #[serde(default)]
    pub style: ListStyle,
}

/// How a list is written in a query or form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListStyle {
    /// `a=1,2`
    #[default]
    Comma,
    /// `a=1&a=2`
    Repeat,
    /// `a[]=1&a[]=2`
    Brackets,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    None,
    /// JSON, as `application/json` unless said otherwise.
    Json(Template),
    /// The fields of a form, as `application/x-www-form-urlencoded`.
    Form(List<Parameter>),
    /// The parts of a form, as `multipart/form-data`.
    Multipart(List<Part>),
    /// Text, as `text/plain` unless said otherwise.
    Text(Template),
    Bytes {
        /// The bytes as Base64.
        content: Reference,
        media_type: Template,
    },
}

/// A part of a form with several parts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Part {
    /// The name of the field.
    pub name: Text,
    /// Whether the part is left out if its value is absent.
    pub optional: bool,
    /// What it contains.
    pub content: PartContent,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartContent {
    /// A text, or JSON if the value is an object or a list.
    Text(Template),
    File {
        /// The bytes as Base64.
        content: Reference,
        /// The name; `file` if absent. If it is optional, a call that gives it gives the content, too.
        file_name: Option<Entry>,
        /// The media type; `application/octet-stream` if absent.
        media_type: Option<Template>,
    },
}
