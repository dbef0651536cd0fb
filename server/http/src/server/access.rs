//! Who sends a request: `Authorization: Bearer`, after [RFC 6750].
//!
//! [RFC 6750]: https://www.rfc-editor.org/rfc/rfc6750

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};

use super::challenge::Challenger;
use super::places::Place;
use super::refusal::Refusal;
use super::refused::Refused;
use crate::identity::{Accounts, ApplicationAccounts, ResourceServer, TOKEN_PREFIX, Unidentified};
use crate::metrics::Metrics;
use toolwrit_core::principal::Identity;

/// Names under which clients have put tokens into addresses, where logs and histories keep them.
const IN_QUERY: [&str; 3] = ["access_token", "token", "api_key"];

/// Knows whose tokens are whose.
pub(super) struct Gate {
    /// Decides alone where there is one.
    application: Option<ApplicationAccounts>,
    accounts: Accounts,
    oauth: Option<ResourceServer>,
    challenger: Challenger,
    refused: Refused,
}

impl Gate {
    pub(super) fn new(
        application: Option<ApplicationAccounts>,
        accounts: Accounts,
        oauth: Option<ResourceServer>,
        server: &str,
        metrics: Arc<Metrics>,
    ) -> Self {
        let challenger = Challenger::new(server, oauth.as_ref());
        Self { application, accounts, oauth, challenger, refused: Refused::new(metrics) }
    }

    /// Lets a request on with the [`Identity`] that it has. A good credential is told to its place.
    ///
    /// # Errors
    /// 400 for a token in the wrong place, and the challenges of RFC 6750 where one is missing or wrong.
    pub(super) async fn check(
        &self,
        mut request: Request,
        place: &Place,
    ) -> Result<Request, Refusal> {
        if is_open(request.uri().path()) {
            return Ok(request);
        }
        let token = match self.application {
            Some(_) => None,
            None => token(&request)?.map(str::to_owned),
        };
        let found = self.identify(request.headers(), token.as_deref()).await;
        let identity = found.map_err(|why| {
            self.refused.note(why);
            self.challenger.refuse(why)
        })?;
        if token.is_some() || self.application.is_some() {
            place.known_as(&identity.principal);
        }
        request.extensions_mut().insert(identity);
        Ok(request)
    }

    /// Whether the credential of these headers, or none, still gives what it gave.
    pub(super) async fn still_knows(&self, headers: &HeaderMap, identity: &Identity) -> bool {
        let Ok(token) = bearer(headers) else { return false };
        self.identify(headers, token).await.is_ok_and(|now| now == *identity)
    }

    async fn identify(
        &self,
        headers: &HeaderMap,
        token: Option<&str>,
    ) -> Result<Identity, Unidentified> {
        if let Some(application) = &self.application {
            return Box::pin(application.identify(headers)).await;
        }
        match (&self.oauth, token) {
            (Some(oauth), Some(token)) if !token.starts_with(TOKEN_PREFIX) => {
                Box::pin(oauth.identify(token)).await
            }
            _ => self.accounts.identify(token),
        }
    }
}

/// Paths that tell nothing about what is served, and are asked before there is a token.
fn is_open(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz") || path.starts_with("/.well-known/")
}

/// The token of a request, which may be in one place only.
fn token(request: &Request) -> Result<Option<&str>, Refusal> {
    if names_token(request.uri().query().unwrap_or_default()) {
        let hint = "Send it in the header `Authorization: Bearer TOKEN`, and replace it: addresses \
                    are logged.";
        return Err(
            Refusal::new(StatusCode::BAD_REQUEST, "a token is no part of an address").hinting(hint)
        );
    }
    bearer(request.headers())
}

fn names_token(query: &str) -> bool {
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.any(|(key, value)| IN_QUERY.contains(&key) || value.starts_with(TOKEN_PREFIX))
}

/// The token of the one `Authorization` header that a request may have.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let malformed = || {
        Refusal::new(StatusCode::BAD_REQUEST, "the header Authorization is malformed")
            .hinting("Send it once: `Authorization: Bearer TOKEN`.")
    };
    if values.next().is_some() {
        return Err(malformed());
    }
    let (scheme, token) =
        value.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(malformed)?;
    // Other schemes are none that we ask for.
    Ok(scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()))
}
