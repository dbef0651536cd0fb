//! Who asks over the network. A credential gives an [`Identity`]: the account, and the role that it
//! has. Policy decides what that may do.

mod accounts;
mod file;
mod principal;
mod secret;

pub(crate) use accounts::{Accounts, Unidentified};
pub(crate) use file::TokenFile;
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
