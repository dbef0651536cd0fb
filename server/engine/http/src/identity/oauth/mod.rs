//! Access tokens of an authorization server: this server as an OAuth 2.1 resource server, after the [MCP
//! specification]. Tokens are JWTs ([RFC 9068]), verified with the keys that the authorization server
//! publishes.
//!
//! jsonwebtoken checks signatures, with its cryptography in Rust. The crate `rsa` below it has a timing leak in
//! operations with a private key; only public keys are used here. ureq fetches the keys, a few documents an hour, and
//! trusts the certificates of the system, because authorization servers may have private ones.
//!
//! [MCP specification]: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
//! [RFC 9068]: https://www.rfc-editor.org/rfc/rfc9068

mod address;
mod discovery;
mod keys;
mod scope;

use std::sync::Arc;

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header};
use serde::Deserialize;
#[cfg(feature = "browser")]
use serde_json::json;
use serde_json::{Map, Value};

pub use address::Address;
pub use scope::{Grant, Scope};

use crate::identity::unidentified::Unidentified;
use discovery::{MetadataSource, Unavailable};
use keys::{NoKeys, PublishedKeys};
use scope::ScopeClaim;
use toolwrit_core::caller::principal::{Attributes, Identity, Principal};

/// Asymmetric algorithms only: with a shared secret (`HS256`) or no signature, the verifier could also
/// make tokens.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
/// JWT types that may be access tokens. Many authorization servers still send `JWT`.
const TYPES: [&str; 3] = ["at+jwt", "application/at+jwt", "jwt"];
/// Tolerated clock difference, in seconds.
const LEEWAY: u64 = 30;
/// Length limit of a token, in bytes.
const MAX_BYTES: usize = 16 * 1024;
/// Length limit of a subject, in bytes, as in OIDC.
const MAX_SUBJECT: usize = 255;

/// Verifies access tokens, and maps their scopes to roles.
pub struct ResourceServer {
    issuer: Address,
    audience: Address,
    grants: Vec<Grant>,
    keys: PublishedKeys,
    /// The id of our pages at the authorization server, if the operator has registered them there.
    client: Option<String>,
}

/// The claims used here, besides those that [`Validation`] checks.
#[derive(Debug, Deserialize)]
struct Claims {
    /// A single issuer; a list is refused.
    iss: String,
    sub: String,
    #[serde(default)]
    scope: ScopeClaim,
    /// The same as `scope`, as Microsoft and Okta name it.
    #[serde(default)]
    scp: ScopeClaim,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Claims {
    /// Returns the claims and scopes that handlers may read.
    fn attributes(self) -> Attributes {
        let Self { iss, sub, scope, scp, mut others } = self;
        let scopes = scope.iter().chain(scp.iter()).map(str::to_owned).collect();
        others.insert("iss".to_owned(), iss.into());
        others.insert("sub".to_owned(), sub.into());
        Attributes { scopes, claims: others }
    }
}

impl ResourceServer {
    /// Accepts tokens of this issuer for this audience. `keys` is the URL of the issuer's keys; without it,
    /// the issuer's metadata names the URL. Fetches nothing yet.
    pub fn new(
        issuer: Address,
        audience: Address,
        keys: Option<Address>,
        grants: Vec<Grant>,
    ) -> Self {
        let source =
            keys.map_or_else(|| MetadataSource::Issuer(issuer.clone()), MetadataSource::Keys);
        Self { issuer, audience, grants, keys: PublishedKeys::new(source), client: None }
    }

    /// Sets the id of our pages at the authorization server, with which users sign in.
    #[must_use]
    pub fn with_client(mut self, client: Option<String>) -> Self {
        self.client = client;
        self
    }

    /// Scheme, host and port of the issuer.
    #[cfg(feature = "browser")]
    pub(crate) fn issuer_origin(&self) -> &str {
        self.issuer.origin()
    }

    /// What a page needs to know to sign users in: `{"issuer", "client"}`.
    #[cfg(feature = "browser")]
    pub(crate) fn offer(&self) -> Value {
        json!({ "issuer": self.issuer.as_str(), "client": self.client })
    }

    /// The issuer of the authorization server.
    pub fn issuer(&self) -> &Address {
        &self.issuer
    }

    /// The audience: the name of this server in tokens.
    pub fn audience(&self) -> &Address {
        &self.audience
    }

    /// The scopes that give a role, in the order of the configuration.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &str> {
        self.grants.iter().map(|grant| grant.scope.as_str())
    }

    /// Fetches the keys and returns how many are usable. Blocks the thread.
    ///
    /// # Errors
    /// If the keys cannot be fetched.
    pub fn count_keys(&self) -> Result<usize, Unavailable> {
        self.keys.count()
    }

    /// Returns the identity of the bearer of this token.
    ///
    /// # Errors
    /// If the token is invalid or expired, gives no role, or cannot be verified.
    pub(crate) async fn identify(&self, token: &str) -> Result<Identity, Unidentified> {
        let header = header(token)?;
        let key = self.keys.find(header.kid.as_deref(), header.alg).await;
        let key = key.map_err(|NoKeys| Unidentified::Unverifiable)?;
        let key = key.ok_or_else(|| invalid(&"there is no key with this id and algorithm"))?;
        let claims = decode::<Claims>(token, &key, &self.validation(header.alg));
        let claims = claims.map(|data| data.claims).map_err(|error| match error.kind() {
            ErrorKind::ExpiredSignature => Unidentified::Expired,
            ErrorKind::InvalidIssuer => Unidentified::WrongIssuer,
            ErrorKind::InvalidAudience => Unidentified::WrongAudience,
            _ => invalid(&error),
        })?;
        let principal = principal(&claims.iss, &claims.sub)?;
        let holds = |grant: &&Grant| {
            claims.scope.contains(&grant.scope) || claims.scp.contains(&grant.scope)
        };
        let grant = self.grants.iter().find(holds).ok_or(Unidentified::OutOfScope)?;
        let role = Some(grant.role.clone());
        Ok(Identity { principal, role, attributes: Some(Arc::new(claims.attributes())) })
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[self.issuer.as_str()]);
        validation.set_audience(&[self.audience.as_str()]);
        validation.validate_nbf = true;
        validation.leeway = LEEWAY;
        validation
    }
}

/// Parses and checks the token's header. Its content is not verified yet.
fn header(token: &str) -> Result<Header, Unidentified> {
    if token.len() > MAX_BYTES {
        return Err(invalid(&"the token is too long"));
    }
    let header = decode_header(token).map_err(|error| invalid(&error))?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(invalid(&"the algorithm is not accepted"));
    }
    let is_access_token =
        |token_type: &String| TYPES.iter().any(|known| token_type.eq_ignore_ascii_case(known));
    if !header.typ.as_ref().is_none_or(is_access_token) {
        return Err(invalid(&"the type is not that of an access token"));
    }
    // No critical header is supported (RFC 7515, section 4.1.11).
    if header.crit.is_some() {
        return Err(invalid(&"the token has critical headers"));
    }
    Ok(header)
}

/// Identifies a user by issuer and subject, joined by `#`: neither issuers nor the names of tokens made
/// here contain one.
fn principal(issuer: &str, subject: &str) -> Result<Principal, Unidentified> {
    let is_short = (1..=MAX_SUBJECT).contains(&subject.len());
    if is_short && is_visible(subject) {
        Ok(Principal::new(&format!("{issuer}#{subject}")))
    } else {
        Err(invalid(&"the subject is not a valid name"))
    }
}

/// Whether a text is unambiguous in a log or a table: no line breaks, direction marks or invisible
/// characters.
fn is_visible(text: &str) -> bool {
    // Quotes and backslashes are the only visible characters that are escaped.
    let text = text.replace(['\'', '"', '\\'], "_");
    text.escape_debug().eq(text.chars())
}

/// Logs the reason. The sender learns only that the token is invalid.
fn invalid(why: &dyn std::fmt::Display) -> Unidentified {
    tracing::debug!(%why, "access token refused");
    Unidentified::Invalid
}
