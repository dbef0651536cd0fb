//! Users who read pages with a cookie, because links carry no credential. The cookie is accepted for `GET` below `/docs`
//! only, so that no page can make calls with it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::{COOKIE, HOST};
use axum::http::{HeaderMap, Method};
use moka::sync::Cache;

use super::origin::Host;
use toolwrit_text::hex::Hex;

/// The start of the name of each cookie. Cookies of one host are shared by all its ports, so the port of the server
/// follows.
const NAME: &str = "toolwrit-pages";
/// How long a cookie is accepted.
pub(super) const LIFE: Duration = Duration::from_hours(12);
/// The most cookies that are accepted at a time.
const MOST: u64 = 1024;
/// Random bytes in a cookie.
const ENTROPY: usize = 32;

/// The access token of each user, by cookie. The token is checked for each request, so that a cookie ends with its
/// token.
pub(super) struct Readers(Cache<String, String>);

impl Default for Readers {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(MOST).time_to_live(LIFE).build())
    }
}

impl Readers {
    /// Returns the access token of a request for a page that has a cookie.
    pub(super) fn token(&self, request: &Request) -> Option<String> {
        let path = request.uri().path();
        let is_page = path == "/docs" || path.starts_with("/docs/");
        let may = is_page && request.method() == Method::GET;
        cookies(request.headers()).filter(|_| may).find_map(|cookie| self.0.get(cookie))
    }

    /// Makes a cookie for the user of an access token.
    ///
    /// # Errors
    /// If the system provides no random bytes.
    pub(super) fn begin(&self, token: &str) -> io::Result<String> {
        let mut bytes = [0; ENTROPY];
        getrandom::fill(&mut bytes)?;
        let cookie = Hex(&bytes).to_string();
        self.0.insert(cookie.clone(), token.to_owned());
        Ok(cookie)
    }

    /// Forgets all cookies of the user of an access token.
    pub(super) fn end(&self, token: &str) {
        let of_token = self.0.iter().filter(|(_, owner)| owner == token);
        let cookies: Vec<Arc<String>> = of_token.map(|(cookie, _)| cookie).collect();
        for cookie in cookies {
            self.0.invalidate(&*cookie);
        }
    }
}

/// The name of the cookie of the server that a request names.
pub(super) fn name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let port = host.and_then(|host| host.parse::<Host>().ok()).and_then(|host| host.port());
    port.map_or_else(|| NAME.to_owned(), |port| format!("{NAME}-{port}"))
}

/// Returns the values of the cookies of this and other servers of the host. No other server makes the same value.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let fields = headers.get_all(COOKIE).iter().filter_map(|field| field.to_str().ok());
    let pairs = fields.flat_map(|field| field.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.filter(|(name, _)| name.trim().starts_with(NAME)).map(|(_, value)| value.trim())
}
