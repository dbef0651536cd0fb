//! Identifies the sender of a request: `Authorization: Bearer`, after [RFC 6750].
//!
//! [RFC 6750]: https://www.rfc-editor.org/rfc/rfc6750

use std::sync::Arc;

use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};

use super::challenge::Challenger;
#[cfg(feature = "browser")]
use super::readers::Readers;
use super::refusal::Refusal;
use super::refused::Refused;
use super::slots::ConnectionSlot;
use crate::identity::{Accounts, ApplicationAccounts, ResourceServer, TOKEN_PREFIX, Unidentified};
use crate::metrics::Metrics;
#[cfg(feature = "browser")]
use toolwrit_core::audit::storage::State;
use toolwrit_core::caller::principal::Identity;

/// Query parameters in which clients have sent tokens. URLs end up in logs and browser histories.
const IN_QUERY: [&str; 3] = ["access_token", "token", "api_key"];

/// Authenticates requests.
pub(super) struct Gate {
    /// If present, it replaces all other accounts.
    application: Option<ApplicationAccounts>,
    accounts: Accounts,
    oauth: Option<ResourceServer>,
    challenger: Challenger,
    refused: Refused,
    /// Users who read pages.
    #[cfg(feature = "browser")]
    pub(super) readers: Readers,
}

impl Gate {
    pub(super) fn new(
        application: Option<ApplicationAccounts>,
        accounts: Accounts,
        oauth: Option<ResourceServer>,
        server: &str,
        metrics: Arc<Metrics>,
        #[cfg(feature = "browser")] state: &State,
    ) -> Self {
        let challenger = Challenger::new(server, oauth.as_ref());
        Self {
            application,
            accounts,
            oauth,
            challenger,
            refused: Refused::new(metrics),
            #[cfg(feature = "browser")]
            readers: Readers::new(state),
        }
    }

    /// Whether every request needs an access token; `None` if only the application knows.
    #[cfg(feature = "browser")]
    pub(super) fn requires_token(&self) -> Option<bool> {
        match self.application {
            Some(_) => None,
            None => Some(self.oauth.is_some() || self.accounts.are_required()),
        }
    }

    /// Returns the token for the code with which `browse` opens a page; `None` for a wrong or used one.
    #[cfg(feature = "browser")]
    pub(super) fn redeem(&self, code: &str) -> Option<String> {
        self.accounts.redeem(code)
    }

    /// The command that calls operations; `None` on a server for others, whom its paths do not concern.
    #[cfg(feature = "browser")]
    pub(super) fn user_command(&self) -> Option<&str> {
        self.accounts.user_command()
    }

    /// The authorization server whose tokens are accepted, and at which users of pages sign in.
    #[cfg(feature = "browser")]
    pub(super) fn sign_in(&self) -> Option<&ResourceServer> {
        self.oauth.as_ref().filter(|_| self.application.is_none())
    }

    /// Adds the sender's [`Identity`] to a request, and reports a valid credential to the connection's slot.
    ///
    /// # Errors
    /// 400 for a token in the wrong place; the challenges of RFC 6750 for a missing or wrong one.
    pub(super) async fn check(
        &self,
        mut request: Request,
        slot: &ConnectionSlot,
    ) -> Result<Request, Refusal> {
        if is_public(request.uri().path()) {
            return Ok(request);
        }
        let token = match self.application {
            Some(_) => None,
            None => token(&request)?.map(str::to_owned),
        };
        #[cfg(feature = "browser")]
        let token = match token {
            None if self.application.is_none() => {
                let cookies = Readers::cookies(&request);
                self.readers.find(&cookies).await
            }
            token => token,
        };
        let found = self.identify(request.headers(), token.as_deref()).await;
        let identity = found.map_err(|why| {
            self.refused.note(why);
            self.challenger.refuse(why)
        })?;
        if token.is_some() || self.application.is_some() {
            slot.known_as(&identity.principal);
        }
        request.extensions_mut().insert(identity);
        Ok(request)
    }

    /// Whether a stream that stays open for these headers may go on: they still give this account and role.
    pub(super) async fn may_listen(&self, headers: &HeaderMap, identity: &Identity) -> bool {
        let Ok(token) = bearer(headers) else { return false };
        self.identify(headers, token).await.is_ok_and(|now| is_same_account(&now, identity))
    }

    /// Whether the answer to a request with these headers may go on. The call may be done already, so only a refusal of the
    /// credential ends it. An application is not asked, because it may accept the same headers only once.
    pub(super) async fn may_answer(&self, headers: &HeaderMap, identity: &Identity) -> bool {
        if self.application.is_some() {
            return true;
        }
        let Ok(token) = bearer(headers) else { return false };
        match self.identify(headers, token).await {
            Ok(now) => is_same_account(&now, identity),
            Err(why) => why == Unidentified::Unverifiable,
        }
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

/// Whether two identities are the same account in the same role. Claims may change from one moment to the next.
fn is_same_account(now: &Identity, before: &Identity) -> bool {
    now.principal == before.principal && now.role == before.role
}

/// Paths that need no credential: health checks, and metadata that clients read to get a token.
fn is_public(path: &str) -> bool {
    #[cfg(feature = "browser")]
    if toolwrit_browser::is_public(path) {
        return true;
    }
    matches!(path, "/healthz" | "/readyz") || path.starts_with("/.well-known/")
}

/// Returns the token of a request. Refuses one in the query.
fn token(request: &Request) -> Result<Option<&str>, Refusal> {
    if names_token(request.uri().query().unwrap_or_default()) {
        let hint = "Send it in the header `Authorization: Bearer TOKEN`, and replace it: URLs are \
                    logged.";
        return Err(
            Refusal::new(StatusCode::BAD_REQUEST, "a URL must not contain a token").hinting(hint)
        );
    }
    bearer(request.headers())
}

fn names_token(query: &str) -> bool {
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.any(|(key, value)| IN_QUERY.contains(&key) || value.starts_with(TOKEN_PREFIX))
}

/// Returns the bearer token of the only `Authorization` header. `None` without a bearer token.
pub(super) fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
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
    // Ignore other schemes: this server never asks for them.
    Ok(scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()))
}
