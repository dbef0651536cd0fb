//! What an authorization server publishes about itself: metadata ([RFC 8414], or in the form of
//! OIDC) and keys ([RFC 7517]).
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

/// For one document.
const PATIENCE: Duration = Duration::from_secs(5);
/// Largest document, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;
/// What is shown at most of a text in a document, in characters.
const MOST_SHOWN: usize = 200;

/// Where the keys are.
#[derive(Debug, Clone)]
pub(super) enum MetadataSource {
    /// Wherever the metadata of this issuer says.
    Issuer(Address),
    /// Here.
    Keys(Address),
}

/// What of the metadata is needed here.
#[derive(Debug, Deserialize)]
struct ServerMetadata {
    issuer: String,
    jwks_uri: String,
}

/// A set of keys. Each is read for itself: one that makes no sense takes nothing from the others.
#[derive(Debug, Deserialize)]
struct Published {
    keys: Vec<Value>,
}

/// Why there are no keys.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    #[error("{url}: {}", shown(error))]
    Http { url: String, error: Box<ureq::Error> },
    #[error("{url} is not what was expected: {}", shown(error))]
    Shape { url: String, error: serde_json::Error },
    #[error("{url} speaks for the issuer `{}`, and not for `{wanted}`", shown(said))]
    Issuer { url: String, said: String, wanted: String },
    #[error("{url} says that the keys are at `{}`: {error}", shown(keys))]
    Address { url: String, keys: String, error: BadAddress },
}

/// What another server said, for a line of a log: short, and nothing in it ends the line or turns it round.
fn shown(said: &impl ToString) -> String {
    said.to_string().escape_debug().take(MOST_SHOWN).collect()
}

/// Clients for these documents. They follow no redirects.
pub(super) struct Agents {
    /// For addresses that the operator names.
    named: Agent,
    /// For addresses that an authorization server names. What it says must not make us ask other programs
    /// of this machine.
    elsewhere: Agent,
}

impl Agents {
    pub(super) fn new() -> Self {
        let config = || outgoing::client(PATIENCE).max_redirects(0).build();
        let elsewhere =
            Agent::with_parts(config(), DefaultConnector::default(), Elsewhere::default());
        Self { named: config().into(), elsewhere }
    }
}

/// Finds the addresses of hosts, except those of this machine.
#[derive(Debug, Default)]
struct Elsewhere(DefaultResolver);

/// The host of the keys is this machine.
#[derive(Debug, thiserror::Error)]
#[error(
    "the host is this machine, of which an issuer may name its own port alone; --oauth-jwks can name the keys"
)]
struct ThisMachine;

impl Resolver for Elsewhere {
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
            return Err(ureq::Error::Other(Box::new(ThisMachine)));
        }
        Ok(found)
    }
}

/// Fetches the keys. Blocks.
///
/// # Errors
/// When they cannot be reached, or what is there makes no sense.
pub(super) fn keys(agents: &Agents, source: &MetadataSource) -> Result<Vec<Jwk>, Unavailable> {
    let Agents { named, elsewhere } = agents;
    let Published { keys } = match source {
        MetadataSource::Keys(address) => get(named, address.as_str())?,
        MetadataSource::Issuer(issuer) => {
            let found = find_keys(named, issuer)?;
            let agent = if found.origin() == issuer.origin() { named } else { elsewhere };
            get(agent, found.as_str())?
        }
    };
    Ok(keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect())
}

/// Tries the places in the order of the MCP specification.
fn find_keys(agent: &Agent, issuer: &Address) -> Result<Address, Unavailable> {
    const OPENID: &str = "openid-configuration";
    let first = issuer.well_known("oauth-authorization-server");
    let mut others = vec![issuer.well_known(OPENID)];
    if !issuer.path().is_empty() {
        others.push(format!("{}{}/.well-known/{OPENID}", issuer.origin(), issuer.path()));
    }
    let first = metadata(agent, first, issuer);
    others.into_iter().fold(first, |found, url| {
        // Of several failures the first is told: it is the place that the specification prefers.
        found.or_else(|failure| metadata(agent, url, issuer).map_err(|_| failure))
    })
}

fn metadata(agent: &Agent, url: String, issuer: &Address) -> Result<Address, Unavailable> {
    let ServerMetadata { issuer: said, jwks_uri: keys } = get(agent, &url)?;
    if said != issuer.as_str() {
        return Err(Unavailable::Issuer { url, said, wanted: issuer.as_str().to_owned() });
    }
    keys.parse().map_err(|error| Unavailable::Address { url, keys, error })
}

fn get<T: DeserializeOwned>(agent: &Agent, url: &str) -> Result<T, Unavailable> {
    let read = || {
        let mut response = agent.get(url).header("accept", "application/json").call()?;
        response.body_mut().with_config().limit(MOST_BYTES).read_to_vec()
    };
    let failed = |error| Unavailable::Http { url: url.to_owned(), error: Box::new(error) };
    serde_json::from_slice(&read().map_err(failed)?)
        .map_err(|error| Unavailable::Shape { url: url.to_owned(), error })
}
