//! Tells clients which credential is missing, and how to get one: `WWW-Authenticate`, after [RFC 6750,
//! section 3], with the parameter of [RFC 9728, section 5.1].
//!
//! [RFC 6750, section 3]: https://www.rfc-editor.org/rfc/rfc6750#section-3
//! [RFC 9728, section 5.1]: https://www.rfc-editor.org/rfc/rfc9728#section-5.1

use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};

#[cfg(feature = "oauth")]
use super::metadata;
use super::refusal::Refusal;
use crate::identity::{ResourceServer, Unidentified};

/// Builds the refusal of requests without a valid credential.
pub(super) struct Challenger {
    realm: String,
    /// Parameters of the challenge that lead to a token; empty without an authorization server.
    parameters: String,
    hint: String,
}

impl Challenger {
    pub(super) fn new(realm: &str, oauth: Option<&ResourceServer>) -> Self {
        if let Some(oauth) = oauth {
            return Self::to_issuer(realm, oauth);
        }
        let hint = "Send `Authorization: Bearer TOKEN`. The operator creates one with `token new`.";
        Self { realm: realm.to_owned(), parameters: String::new(), hint: hint.to_owned() }
    }

    #[cfg(not(feature = "oauth"))]
    fn to_issuer(_: &str, oauth: &ResourceServer) -> Self {
        match *oauth {}
    }

    #[cfg(feature = "oauth")]
    fn to_issuer(realm: &str, oauth: &ResourceServer) -> Self {
        let scopes: Vec<&str> = oauth.scopes().collect();
        let scopes = scopes.join(" ");
        let document = oauth.audience().well_known(metadata::NAME);
        Self {
            realm: realm.to_owned(),
            parameters: format!(", scope=\"{scopes}\", resource_metadata=\"{document}\""),
            hint: format!(
                "Send `Authorization: Bearer TOKEN`, with a token of {} for {} that has one of the \
                 scopes: {scopes}.",
                oauth.issuer().as_str(),
                oauth.audience().as_str()
            ),
        }
    }

    pub(super) fn refuse(&self, why: Unidentified) -> Refusal {
        let (status, message, error) = match why {
            Unidentified::Missing => {
                (StatusCode::UNAUTHORIZED, "this server requires an access token", None)
            }
            Unidentified::Invalid | Unidentified::WrongIssuer | Unidentified::WrongAudience => (
                StatusCode::UNAUTHORIZED,
                "this access token is invalid, revoked or not for this server",
                Some("invalid_token"),
            ),
            Unidentified::Expired => {
                (StatusCode::UNAUTHORIZED, "this access token has expired", Some("invalid_token"))
            }
            Unidentified::OutOfScope => (
                StatusCode::FORBIDDEN,
                "this access token has no scope that gives a role here",
                Some("insufficient_scope"),
            ),
            Unidentified::Unknown => {
                let message = "the application cannot identify the sender of this request";
                return Refusal::new(StatusCode::UNAUTHORIZED, message)
                    .hinting("Send the credentials that the application requires.")
                    .with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Unidentified::Unverifiable => {
                let message = "the keys of the authorization server cannot be fetched";
                return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, message)
                    .hinting("The token was not checked. Send the request again.")
                    .with(RETRY_AFTER, HeaderValue::from_static("10"));
            }
        };
        let error = error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
        let challenge = format!("Bearer realm=\"{}\"{error}{}", self.realm, self.parameters);
        // All parts are valid in a header: the server's name, checked URLs and checked scopes.
        let challenge =
            HeaderValue::try_from(challenge).unwrap_or_else(|_| HeaderValue::from_static("Bearer"));
        Refusal::new(status, message).hinting(self.hint.clone()).with(WWW_AUTHENTICATE, challenge)
    }
}
