//! The program that sends a request, and what it calls the request.

use std::fmt;
use std::sync::Arc;

/// The program that sends a request, as it describes itself. Nothing vouches for it. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientInfo {
    name: Arc<str>,
    version: Arc<str>,
}

impl ClientInfo {
    /// The program of this name, in this version.
    pub fn new(name: &str, version: &str) -> Self {
        Self { name: name.into(), version: version.into() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version. Clients may leave it empty.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The name, to keep.
    pub(crate) fn shared_name(&self) -> Arc<str> {
        self.name.clone()
    }
}

/// The id of a JSON-RPC request. Its client chooses it, and may use it again. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// A number.
    Number(i64),
    /// A text.
    Text(Arc<str>),
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}
