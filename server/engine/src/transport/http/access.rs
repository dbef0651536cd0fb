//! Who sends a request: `Authorization: Bearer`, after [RFC 6750].
//!
//! [RFC 6750]: https://www.rfc-editor.org/rfc/rfc6750

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::refusal::Refusal;
use crate::identity::{Accounts, Identity, TOKEN_PREFIX, Unidentified};

/// Names under which clients have put tokens into addresses, where logs and histories keep them.
const IN_QUERY: [&str; 3] = ["access_token", "token", "api_key"];

/// Knows the accounts, and how to ask for a credential.
pub(super) struct Gate {
    accounts: Accounts,
    realm: &'static str,
}

impl Gate {
    pub(super) fn new(accounts: Accounts, realm: &'static str) -> Self {
        Self { accounts, realm }
    }

    fn identify(&self, request: &Request) -> Result<Identity, Refusal> {
        if names_token(request.uri().query().unwrap_or_default()) {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "a token is no part of an address")
                .hinting(
                    "Send it in the header `Authorization: Bearer TOKEN`, and replace it: \
                          addresses are logged.",
                ));
        }
        let token = bearer(request.headers())?;
        self.accounts.identify(token).map_err(|why| self.challenge(why))
    }

    fn challenge(&self, why: Unidentified) -> Refusal {
        let (message, error) = match why {
            Unidentified::Missing => ("this server needs an access token", ""),
            Unidentified::Invalid => {
                ("this access token is unknown here, or revoked", ", error=\"invalid_token\"")
            }
        };
        let challenge = format!("Bearer realm=\"{}\"{error}", self.realm);
        let refusal = Refusal::new(StatusCode::UNAUTHORIZED, message).hinting(
            "Send `Authorization: Bearer TOKEN`. The operator makes one with `token new`.",
        );
        match HeaderValue::try_from(challenge) {
            Ok(challenge) => refusal.with(WWW_AUTHENTICATE, challenge),
            Err(_) => refusal.with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
        }
    }
}

/// Lets a request on with the [`Identity`] that it has, or refuses it.
pub(super) async fn check(
    State(gate): State<Arc<Gate>>,
    mut request: Request,
    next: Next,
) -> Response {
    if is_open(request.uri().path()) {
        return next.run(request).await;
    }
    match gate.identify(&request) {
        Ok(identity) => {
            request.extensions_mut().insert(identity);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// Paths that tell nothing about what is served, and are asked before there is a token.
fn is_open(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz") || path.starts_with("/.well-known/")
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
