//! A server that is reached over HTTP.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::Url;
use secrecy::SecretString;
use toolwrit_network::Network;
use toolwrit_text::{Secrets, names_secret};

/// A server that is reached over streamable HTTP, or over the HTTP with events of the first version of MCP.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Its address.
    pub url: String,
    /// Headers of each request, such as `Authorization`.
    pub headers: BTreeMap<String, SecretString>,
    /// Issues the access tokens of requests, if it has any.
    pub tokens: Option<Arc<dyn TokenSource>>,
    /// Networks that may be reached although they are not public.
    pub networks: Vec<Network>,
}

/// Issues access tokens, which are sent in the header `Authorization`.
pub trait TokenSource: fmt::Debug + Send + Sync + 'static {
    /// Returns a token that has not ended.
    ///
    /// # Errors
    /// Why there is none.
    fn token(&self) -> BoxFuture<'_, Result<SecretString, NoToken>>;

    /// Forgets a token that the server has refused, so that the next one is another.
    fn forget<'a>(&'a self, refused: &'a SecretString) -> BoxFuture<'a, ()>;
}

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NoToken {
    /// In a sentence.
    pub reason: String,
    /// Whether the credentials are missing or refused, so that the operator must change them.
    pub refused: bool,
}

impl Remote {
    /// Creates a server at a public address, without headers.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), headers: BTreeMap::new(), tokens: None, networks: Vec::new() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into().into());
        self
    }

    /// Sends tokens of a source.
    #[must_use]
    pub fn with_tokens(mut self, tokens: Arc<dyn TokenSource>) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// The headers and the parts of the address whose names say that they are secrets.
    pub(super) fn secrets(&self) -> Secrets {
        let secrets = Secrets::default();
        for (_, value) in self.headers.iter().filter(|(name, _)| names_secret(name)) {
            secrets.add_header(value);
        }
        if let Ok(url) = Url::parse(&self.url) {
            let named = url.query_pairs().filter(|(name, _)| names_secret(name));
            let values = named.map(|(_, value)| value.into_owned());
            // A password in the address is percent-encoded, which is a form of it.
            for value in values.chain(url.password().map(str::to_owned)) {
                secrets.add(&value.into());
            }
        }
        secrets
    }

    /// Allows connections to a network that is not public.
    #[must_use]
    pub fn within(mut self, network: Network) -> Self {
        self.networks.push(network);
        self
    }
}
