//! A server that is reached over HTTP.

use std::collections::BTreeMap;

use secrecy::SecretString;
use toolwrit_network::Network;

/// A server that is reached over streamable HTTP.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Its address.
    pub url: String,
    /// Headers of each request, such as `Authorization`.
    pub headers: BTreeMap<String, SecretString>,
    /// Networks that may be reached although they are not public.
    pub networks: Vec<Network>,
}

impl Remote {
    /// Creates a server at a public address, without headers.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), headers: BTreeMap::new(), networks: Vec::new() }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into().into());
        self
    }

    /// Allows connections to a network that is not public.
    #[must_use]
    pub fn within(mut self, network: Network) -> Self {
        self.networks.push(network);
        self
    }
}
