//! Refusals as pages, for people who open an address in a browser. Programs get JSON.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, VARY,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use toolwrit_docs::Notice;

use super::content_policy;
use super::refusal::ErrorBody;

const HEADERS: [(HeaderName, HeaderValue); 4] = [
    (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (VARY, HeaderValue::from_static("accept")),
    (CONTENT_SECURITY_POLICY, content_policy::REFUSAL),
];

/// A request of a browser for a page.
pub(super) struct BrowserRequest {
    /// Leads from the address of the page to that of the server, which may be mounted below another one.
    root: String,
    /// Whether the server has a page on which users sign in.
    signs_in: bool,
}

impl BrowserRequest {
    /// `None` for a request of a program.
    pub(super) fn from_request(request: &Request, signs_in: bool) -> Option<Self> {
        let wants_page =
            |accept: &HeaderValue| accept.to_str().is_ok_and(|accept| accept.contains("text/html"));
        if request.method() != Method::GET
            || !request.headers().get_all(ACCEPT).iter().any(wants_page)
        {
            return None;
        }
        let depth = request.uri().path().matches('/').count().saturating_sub(1);
        Some(Self { root: "../".repeat(depth), signs_in })
    }

    /// The answer as a page, if it refuses the user or has nothing.
    pub(super) fn render_refusal(&self, mut response: Response) -> Response {
        let Some(error) = response.extensions_mut().remove::<ErrorBody>() else { return response };
        let page = match response.status() {
            StatusCode::UNAUTHORIZED => {
                self.page("Sign in", &error, self.signs_in.then_some(("browser/", "Sign in")))
            }
            StatusCode::NOT_FOUND => {
                self.page("Not found", &error, Some(("docs/", "To the front page")))
            }
            _ => return response,
        };
        // The router has added the length of the JSON.
        response.headers_mut().remove(CONTENT_LENGTH);
        for (name, value) in HEADERS {
            response.headers_mut().insert(name, value);
        }
        *response.body_mut() = Body::from(page);
        response
    }

    fn page(&self, title: &str, error: &ErrorBody, link: Option<(&str, &str)>) -> String {
        let link = link.map(|(path, text)| (format!("{}{path}", self.root), text));
        let link = link.as_ref().map(|(address, text)| (address.as_str(), *text));
        Notice { title, words: &error.sentence(), link }.draw()
    }
}
