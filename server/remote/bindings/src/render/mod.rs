//! From tables and arguments to requests. Arguments become values in the slots that the tables have for them: they
//! change neither method, host, path structure, number of headers nor the shape of JSON.

mod body;
mod parameters;
mod scope;
mod segment;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use toolwrit_words::headers::is_set_by_engine;

use crate::failure::{Failure, Result};
use crate::model::{Entry, List, Method, Request};

pub(crate) use body::{RenderedBody, RenderedContent};
pub(crate) use parameters::encode;
pub(crate) use scope::{Absent, Scope, literal_value, same, scalar_text};

/// A request that can be sent, still without credentials.
#[derive(Debug, Clone)]
pub(crate) struct Rendered {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: RenderedBody,
}

/// Why a request cannot be rendered.
#[derive(Debug)]
pub(crate) enum RenderError {
    /// A value is absent, and nothing optional is around it.
    Absent(Absent),
    /// A value does not fit its slot.
    Refused(Box<Failure>),
}

impl From<Box<Failure>> for RenderError {
    fn from(failure: Box<Failure>) -> Self {
        Self::Refused(failure)
    }
}

impl From<Absent> for RenderError {
    fn from(absent: Absent) -> Self {
        Self::Absent(absent)
    }
}

impl From<RenderError> for Box<Failure> {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Absent(absent) => absent.into_failure(),
            RenderError::Refused(failure) => failure,
        }
    }
}

impl Rendered {
    /// Renders a request below a base URL.
    ///
    /// # Errors
    /// If a value does not fit its slot, or a value that is not optional is absent.
    pub(crate) fn new(
        request: &Request,
        base: &Url,
        scope: &Scope<'_>,
    ) -> std::result::Result<Self, RenderError> {
        let path = segment::path(&request.path, scope)?;
        let mut url = continued(base, &path)?;
        let query = parameters::encoded(&request.query, scope)?;
        url.set_query((!query.is_empty()).then_some(&query));
        Ok(Self {
            method: request.method,
            url,
            headers: headers(&request.headers, scope)?,
            body: RenderedBody::new(request, scope)?,
        })
    }

    /// Adds a parameter: a member of the body if that is a JSON object, otherwise a part of the query.
    pub(crate) fn add_parameter(&mut self, name: &str, value: Value) {
        if let RenderedBody::Json { value: Value::Object(body), .. } = &mut self.body {
            body.insert(name.to_owned(), value);
            return;
        }
        let value = scalar_text(&value).unwrap_or_default();
        let added = format!("{}={}", encode(name), encode(&value));
        let query = match self.url.query() {
            Some(query) if !query.is_empty() => format!("{query}&{added}"),
            _ => added,
        };
        self.url.set_query(Some(&query));
    }

    /// Describes the request. Credentials are no part of it yet.
    pub(crate) fn describe(&self) -> Value {
        let mut described = Map::new();
        described.insert("method".to_owned(), self.method.as_str().into());
        described.insert("url".to_owned(), self.url.as_str().into());
        if !self.headers.is_empty() {
            let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
            let headers = self.headers.iter();
            let headers: Map<String, Value> =
                headers.map(|(name, value)| (name.to_string(), text(value).into())).collect();
            described.insert("headers".to_owned(), headers.into());
        }
        described.extend(self.body.describe().map(|body| ("body".to_owned(), body)));
        json!({ "request": described })
    }
}

/// Returns the URL below the base that has this path, whose values are encoded.
///
/// # Errors
/// If the URL would be another one: a URL parser removes segments such as `..`.
fn continued(base: &Url, path: &str) -> Result<Url> {
    let whole = format!("{}{path}", base.path().trim_end_matches('/'));
    let mut url = base.clone();
    url.set_path(&whole);
    if url.path() == whole || (whole.is_empty() && url.path() == "/") {
        Ok(url)
    } else {
        Err(Failure::defect(format_args!("`{path}` is not a path in its normal form")))
    }
}

fn headers(
    entries: &List<Entry>,
    scope: &Scope<'_>,
) -> std::result::Result<HeaderMap, RenderError> {
    let mut headers = HeaderMap::new();
    for entry in &**entries {
        let Some(value) = scope.entry(entry)? else { continue };
        let name = entry.name.as_ref();
        let header = HeaderName::from_bytes(name.as_bytes())
            .ok()
            .filter(|header| !is_set_by_engine(header.as_str()))
            .ok_or_else(|| Failure::defect(format_args!("`{name}` is not a header to set")))?;
        let refused = || scope.refused(&entry.value, "a text without line breaks for a header");
        let text = scope.text(&value).ok_or_else(refused)?;
        let value = HeaderValue::from_str(text.trim_matches([' ', '\t'])).map_err(|_| refused())?;
        headers.insert(header, value);
    }
    Ok(headers)
}
