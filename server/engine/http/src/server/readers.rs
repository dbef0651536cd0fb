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
use toolwrit_core::audit::storage::{State, StorageFailed};
use toolwrit_core::shared::Kept;
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
/// token. Replicas share both.
pub(super) struct Readers {
    tokens: Cache<String, String>,
    state: State,
}

impl Readers {
    pub(super) fn new(state: &State) -> Self {
        let tokens = Cache::builder().max_capacity(MOST).time_to_live(LIFE).build();
        Self { tokens, state: state.clone() }
    }

    /// Returns the cookies of a request for a page.
    pub(super) fn cookies(request: &Request) -> Vec<String> {
        let path = request.uri().path();
        let is_page = path == "/docs" || path.starts_with("/docs/");
        let may = is_page && request.method() == Method::GET;
        cookies(request.headers()).filter(|_| may).map(str::to_owned).collect()
    }

    /// Returns the access token of the user of one of these cookies.
    pub(super) async fn find(&self, cookies: &[String]) -> Option<String> {
        let shared = self.state.shared();
        if shared.replica().is_none() {
            return cookies.iter().find_map(|cookie| self.tokens.get(cookie));
        }
        for cookie in cookies {
            if let Ok(Some(token)) = shared.kept(Kept::Page, cookie).await {
                return Some(token);
            }
        }
        None
    }

    /// Makes a cookie for the user of an access token.
    ///
    /// # Errors
    /// If the system provides no random bytes, or the replicas cannot be told.
    pub(super) async fn begin(&self, token: &str) -> io::Result<String> {
        let mut bytes = [0; ENTROPY];
        getrandom::fill(&mut bytes)?;
        let cookie = Hex(&bytes).to_string();
        if self.state.shared().replica().is_some() {
            let told = self.tell(&cookie, token).await;
            told.map_err(|StorageFailed| io::Error::other("the database does not answer"))?;
        } else {
            self.tokens.insert(cookie.clone(), token.to_owned());
        }
        Ok(cookie)
    }

    /// Tells the replicas of a cookie.
    async fn tell(&self, cookie: &str, token: &str) -> Result<(), StorageFailed> {
        let shared = self.state.shared();
        shared.keep(Kept::Page, cookie, token.to_owned(), LIFE).await?;
        shared.add(Kept::PagesOfToken, token, cookie.to_owned(), LIFE).await
    }

    /// Forgets all cookies of the user of an access token.
    pub(super) async fn end(&self, token: &str) {
        let of_token = self.tokens.iter().filter(|(_, owner)| owner == token);
        let cookies: Vec<Arc<String>> = of_token.map(|(cookie, _)| cookie).collect();
        for cookie in cookies {
            self.tokens.invalidate(&*cookie);
        }
        let shared = self.state.shared();
        let cookies = shared.collect(Kept::PagesOfToken, token).await;
        for cookie in cookies.unwrap_or_default() {
            // What cannot be removed ends with its lifetime.
            let _ = shared.collect(Kept::Page, &cookie).await;
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
