//! The account on whose behalf a call is made.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// The account on whose behalf a call is made: that of a credential, or the user who started the server.
/// Limits, idempotency keys and the audit refer to it. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// The account of this name.
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Returns the name, as the audit shows it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of an account; `None` for the user who started the server.
    pub(crate) fn account(&self) -> Option<&str> {
        (*self != Self::default()).then_some(self.as_str())
    }
}

impl Default for Principal {
    /// The user who started the server, or the command.
    fn default() -> Self {
        Self::new("local")
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The account of a credential, with its role and further claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// The name of the account.
    pub principal: Principal,
    /// The role of the credential; `None` without a credential, when the operator's choice applies.
    pub role: Option<Arc<str>>,
    /// Further claims of the credential; `None` if it has none.
    pub attributes: Option<Arc<Attributes>>,
}

/// The claims of a credential beyond name and role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    /// Scopes, in the order of the credential.
    pub scopes: Vec<String>,
    /// Claims by name: those of an access token, except its scopes.
    pub claims: Map<String, Value>,
}
