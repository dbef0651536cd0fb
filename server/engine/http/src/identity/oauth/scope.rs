//! Scopes of access tokens, and the roles that they give.

use std::str::FromStr;
use std::sync::Arc;

use serde::Deserialize;

/// The name of a scope, after [RFC 6749, section 3.3].
///
/// [RFC 6749, section 3.3]: https://www.rfc-editor.org/rfc/rfc6749#section-3.3
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope(String);

/// Text that is not a [`Scope`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a scope: printable ASCII without spaces, quotes or backslashes")]
pub struct BadScope;

/// Gives a role to tokens that have a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The scope.
    pub scope: Scope,
    /// The role that it gives.
    pub role: Arc<str>,
}

/// The scopes of a token: a space-separated text, or a list.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum ScopeClaim {
    Text(String),
    List(Vec<String>),
}

impl Scope {
    /// The scope as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Scope {
    type Err = BadScope;

    fn from_str(text: &str) -> Result<Self, BadScope> {
        let fits = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\');
        let is_scope = !text.is_empty() && text.chars().all(fits);
        if is_scope { Ok(Self(text.to_owned())) } else { Err(BadScope) }
    }
}

impl ScopeClaim {
    pub(super) fn contains(&self, scope: &Scope) -> bool {
        self.iter().any(|word| word == scope.as_str())
    }

    /// The scopes, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let (text, list) = match self {
            Self::Text(text) => (text.as_str(), &[][..]),
            Self::List(words) => ("", words.as_slice()),
        };
        let of_text = text.split(' ').filter(|word| !word.is_empty());
        of_text.chain(list.iter().map(String::as_str))
    }
}

impl Default for ScopeClaim {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}
