//! Fetches what an authorization server publishes about itself: metadata ([RFC 8414] or OIDC discovery)
//! and keys ([RFC 7517]).
//!
//! [RFC 8414]: https://www.rfc-editor.org/rfc/rfc8414
//! [RFC 7517]: https://www.rfc-editor.org/rfc/rfc7517

use std::net::IpAddr;
use std::time::Duration;

use axum::http::Uri;
use jsonwebtoken::jwk::Jwk;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::Agent;
use ureq::config::Config;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use super::address::{Address, BadAddress};
use crate::outgoing;

/// Time to fetch one document.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
/// Size limit of one document, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// Length limit of remote text in our messages, in characters.
const MAX_SHOWN: usize = 200;

/// Where to find the keys.
#[derive(Debug, Clone)]
pub(super) enum MetadataSource {
    /// At the `jwks_uri` in the metadata of this issuer.
    Issuer(Address),
    /// At this URL.
    Keys(Address),
}

/// The metadata that this server uses.
#[derive(Debug, Deserialize)]
struct ServerMetadata {
    issuer: String,
    jwks_uri: String,
}

/// A JWK set. Keys are parsed one by one, so that one invalid key does not invalidate the others.
#[derive(Debug, Deserialize)]
struct Published {
    keys: Vec<Value>,
}

/// Why the keys cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    #[error("{url}: {}", escaped(error))]
    Http { url: String, error: Box<ureq::Error> },
    #[error("{url} has an unexpected format: {}", escaped(error))]
    Shape { url: String, error: serde_json::Error },
    #[error("{url} names the issuer `{}`; expected `{wanted}`", escaped(found))]
    Issuer { url: String, found: String, wanted: String },
    #[error("{url} gives the invalid `jwks_uri` `{}`: {error}", escaped(keys))]
    Address { url: String, keys: String, error: BadAddress },
}

/// Makes remote text safe for one line of a log: short, without line breaks and direction marks.
fn escaped(found: &impl ToString) -> String {
    found.to_string().escape_debug().take(MAX_SHOWN).collect()
}

/// HTTP clients for these documents. They follow no redirects.
pub(super) struct Agents {
    /// For URLs that the operator configured.
    named: Agent,
    /// For URLs that an authorization server published. It refuses loopback addresses, so that a remote
    /// server cannot make us call other programs on this machine.
    published: Agent,
}

impl Agents {
    pub(super) fn new() -> Self {
        let config = || outgoing::client(FETCH_TIMEOUT).max_redirects(0).build();
        let published =
            Agent::with_parts(config(), DefaultConnector::default(), RemoteResolver::default());
        Self { named: config().into(), published }
    }
}

/// Resolves host names, except those that lead to this machine.
#[derive(Debug, Default)]
struct RemoteResolver(DefaultResolver);

/// The host of the keys resolves to this machine.
#[derive(Debug, thiserror::Error)]
#[error(
    "the host is this machine, and the port is not the issuer's own; name the keys with --oauth-jwks"
)]
struct LoopbackHost;

impl Resolver for RemoteResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        let is_proxy =
            config.proxy().is_some_and(|proxy| proxy.uri().authority() == uri.authority());
        let is_own = |ip: IpAddr| ip.is_loopback() || ip.is_unspecified();
        if !is_proxy && found.iter().any(|address| is_own(address.ip().to_canonical())) {
            return Err(ureq::Error::Other(Box::new(LoopbackHost)));
        }
        Ok(found)
    }
}

/// Fetches the keys. Blocks the thread.
///
/// # Errors
/// If the keys cannot be fetched or parsed.
pub(super) fn keys(agents: &Agents, source: &MetadataSource) -> Result<Vec<Jwk>, Unavailable> {
    let Agents { named, published } = agents;
    let Published { keys } = match source {
        MetadataSource::Keys(address) => get(named, address.as_str())?,
        MetadataSource::Issuer(issuer) => {
            let found = find_keys(named, issuer)?;
            let agent = if found.origin() == issuer.origin() { named } else { published };
            get(agent, found.as_str())?
        }
    };
    Ok(keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect())
}

/// Tries the metadata URLs in the order of the MCP specification.
fn find_keys(agent: &Agent, issuer: &Address) -> Result<Address, Unavailable> {
    const OPENID: &str = "openid-configuration";
    let first = issuer.well_known("oauth-authorization-server");
    let mut others = vec![issuer.well_known(OPENID)];
    if !issuer.path().is_empty() {
        others.push(format!("{}{}/.well-known/{OPENID}", issuer.origin(), issuer.path()));
    }
    let first = metadata(agent, first, issuer);
    others.into_iter().fold(first, |found, url| {
        // Report the first failure: the specification prefers that URL.
        found.or_else(|failure| metadata(agent, url, issuer).map_err(|_| failure))
    })
}

fn metadata(agent: &Agent, url: String, issuer: &Address) -> Result<Address, Unavailable> {
    let ServerMetadata { issuer: found, jwks_uri: keys } = get(agent, &url)?;
    if found != issuer.as_str() {
        return Err(Unavailable::Issuer { url, found, wanted: issuer.as_str().to_owned() });
    }
    keys.parse().map_err(|error| Unavailable::Address { url, keys, error })
}

fn get<T: DeserializeOwned>(agent: &Agent, url: &str) -> Result<T, Unavailable> {
    let read = || {
        let mut response = agent.get(url).header("accept", "application/json").call()?;
        response.body_mut().with_config().limit(MAX_BYTES).read_to_vec()
    };
    let failed = |error| Unavailable::Http { url: url.to_owned(), error: Box::new(error) };
    serde_json::from_slice(&read().map_err(failed)?)
        .map_err(|error| Unavailable::Shape { url: url.to_owned(), error })
}
