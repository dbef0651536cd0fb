//! Who a call is made for.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// Who a call is made for: the account behind a credential, or the user who started the server.
/// Limits, idempotency keys and the audit go by it. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// The account of this name.
    pub fn named(name: &str) -> Self {
        Self(name.into())
    }

    /// The name, as the audit shows it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Principal {
    /// The user who started the server, or the command.
    fn default() -> Self {
        Self::named("local")
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The account behind a credential.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// The name of the account.
    pub principal: Principal,
    /// The role that the credential gives. Without a credential the operator's choice stands.
    pub role: Option<Arc<str>>,
    /// What else the credential says, if it says more.
    pub attributes: Option<Arc<Attributes>>,
}

/// What a credential says about its holder beyond name and role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    /// Scopes, in the order of the credential.
    pub scopes: Vec<String>,
    /// Claims by name: those of an access token, except its scopes.
    pub claims: Map<String, Value>,
}
