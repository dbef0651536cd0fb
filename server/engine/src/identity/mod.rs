//! Who asks over the network. A credential gives an [`Identity`]: the account, and the role that it
//! has. Policy decides what that may do.

mod accounts;
mod file;
mod oauth;
mod principal;
mod secret;

pub(crate) use accounts::Accounts;
pub(crate) use file::TokenFile;
pub(crate) use oauth::{Address, Grant, ResourceServer, Scope};
pub(crate) use principal::Principal;
pub(crate) use secret::PREFIX as TOKEN_PREFIX;

/// The account behind a credential.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The name of the account.
    pub(crate) principal: Principal,
    /// The role that the credential gives. Without a credential the operator's choice stands.
    pub(crate) role: Option<&'static str>,
}

/// Why a request has no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unidentified {
    /// It carries no token, and needs one.
    Missing,
    /// No account has this token, or it is not meant for this server.
    Invalid,
    /// The token was good once.
    Expired,
    /// The token is good, and has no scope that gives a role here.
    OutOfScope,
    /// The keys that would tell cannot be fetched.
    Unverifiable,
}

impl Unidentified {
    /// The reason in a word, for logs and metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Invalid => "invalid",
            Self::Expired => "expired",
            Self::OutOfScope => "out_of_scope",
            Self::Unverifiable => "unverifiable",
        }
    }
}
