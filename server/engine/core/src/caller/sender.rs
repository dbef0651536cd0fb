//! The program that sends a request, and the id of the request.

use std::fmt;
use std::sync::Arc;

/// The program that sends a request, as it describes itself, unverified. Cheap to clone.
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

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its version. Clients may leave it empty.
    pub fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn shared_name(&self) -> Arc<str> {
        self.name.clone()
    }
}

/// The id of a JSON-RPC request. The client chooses it, and may use the same id again. Cheap to clone.
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
