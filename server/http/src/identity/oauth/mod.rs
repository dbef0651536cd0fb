//! Access tokens of an authorization server: this server as a resource server of OAuth 2.1, after the
//! [MCP specification]. Tokens are JWTs ([RFC 9068]); the keys that the authorization server publishes
//! tell which are its own.
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
use serde_json::{Map, Value};

pub use address::Address;
pub use scope::{Grant, Scope};

use crate::identity::unidentified::Unidentified;
use discovery::{MetadataSource, Unavailable};
use keys::{Keys, NoKeys};
use scope::Words;
use toolwrit_core::principal::{Attributes, Identity, Principal};

/// Signatures that anybody can check and only the authorization server can make: with a shared secret
/// (`HS256`), or with none at all, the verifier could also sign.
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
/// Types of JWT that may be access tokens. Many authorization servers still say `JWT`.
const TYPES: [&str; 3] = ["at+jwt", "application/at+jwt", "jwt"];
/// How far clocks may be apart, in seconds.
const LEEWAY: u64 = 30;
/// Longest token, in bytes.
const MOST_BYTES: usize = 16 * 1024;
/// Longest name of a user, in bytes, as OIDC has it.
const MOST_SUBJECT: usize = 255;

/// Which tokens are accepted, and what they give.
pub struct ResourceServer {
    issuer: Address,
    audience: Address,
    grants: Vec<Grant>,
    keys: Keys,
}

/// The claims that are needed here, besides those that [`Validation`] checks.
#[derive(Debug, Deserialize)]
struct Claims {
    /// One issuer, and not a list of them.
    iss: String,
    sub: String,
    #[serde(default)]
    scope: Words,
    /// The same by another name, with Microsoft and Okta.
    #[serde(default)]
    scp: Words,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Claims {
    /// What handlers may know of them.
    fn attributes(self) -> Attributes {
        let Self { iss, sub, scope, scp, mut others } = self;
        let scopes = scope.iter().chain(scp.iter()).map(str::to_owned).collect();
        others.insert("iss".to_owned(), iss.into());
        others.insert("sub".to_owned(), sub.into());
        Attributes { scopes, claims: others }
    }
}

impl ResourceServer {
    /// Accepts tokens of this issuer that are meant for this audience. `keys` is where the issuer's
    /// keys are, unless its metadata says. Fetches nothing yet.
    pub fn new(
        issuer: Address,
        audience: Address,
        keys: Option<Address>,
        grants: Vec<Grant>,
    ) -> Self {
        let source =
            keys.map_or_else(|| MetadataSource::Issuer(issuer.clone()), MetadataSource::Keys);
        Self { issuer, audience, grants, keys: Keys::of(source) }
    }

    /// The authorization server.
    pub fn issuer(&self) -> &Address {
        &self.issuer
    }

    /// This server, as tokens name it.
    pub fn audience(&self) -> &Address {
        &self.audience
    }

    /// The scopes that give a role, in the operator's order.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &str> {
        self.grants.iter().map(|grant| grant.scope.as_str())
    }

    /// Fetches the keys now, and says how many are of use here. Blocks.
    ///
    /// # Errors
    /// When they cannot be fetched.
    pub fn count_keys(&self) -> Result<usize, Unavailable> {
        self.keys.count()
    }

    /// Who presents this token.
    ///
    /// # Errors
    /// When the request is refused.
    pub(crate) async fn identify(&self, token: &str) -> Result<Identity, Unidentified> {
        let header = header(token)?;
        let key = self.keys.find(header.kid.as_deref(), header.alg).await;
        let key = key.map_err(|NoKeys| Unidentified::Unverifiable)?;
        let key = key.ok_or_else(|| invalid(&"no key of this id signs with this algorithm"))?;
        let claims = decode::<Claims>(token, &key, &self.validation(header.alg));
        let claims = claims.map(|data| data.claims).map_err(|error| match error.kind() {
            ErrorKind::ExpiredSignature => Unidentified::Expired,
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

/// The head of a token that may be an access token, before anything in it can be believed.
fn header(token: &str) -> Result<Header, Unidentified> {
    if token.len() > MOST_BYTES {
        return Err(invalid(&"it is too long"));
    }
    let header = decode_header(token).map_err(|error| invalid(&error))?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(invalid(&"its algorithm is not accepted"));
    }
    let is_access_token = |own: &String| TYPES.iter().any(|known| own.eq_ignore_ascii_case(known));
    if !header.typ.as_ref().is_none_or(is_access_token) {
        return Err(invalid(&"it is no access token"));
    }
    // What must be understood, and is not: RFC 7515, section 4.1.11.
    if header.crit.is_some() {
        return Err(invalid(&"it has critical headers"));
    }
    Ok(header)
}

/// Users are told apart by issuer and subject. Names of access tokens made here have no `#`, and
/// issuers neither.
fn principal(issuer: &str, subject: &str) -> Result<Principal, Unidentified> {
    let is_short = (1..=MOST_SUBJECT).contains(&subject.len());
    if is_short && is_visible(subject) {
        Ok(Principal::named(&format!("{issuer}#{subject}")))
    } else {
        Err(invalid(&"its subject is no name"))
    }
}

/// Whether a text shows what it says in a log or a table: nothing in it ends a line, turns the direction of
/// text round, or cannot be seen.
fn is_visible(text: &str) -> bool {
    // Quotes and backslashes are the only visible characters that are escaped.
    let text = text.replace(['\'', '"', '\\'], "_");
    text.escape_debug().eq(text.chars())
}

/// The log has the reason; the sender learns only that the token is invalid.
fn invalid(why: &dyn std::fmt::Display) -> Unidentified {
    tracing::debug!(%why, "an access token is refused");
    Unidentified::Invalid
}
