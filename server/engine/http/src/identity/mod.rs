//! Identifies the sender of an HTTP request. A credential gives an `Identity`: the account and its role.
//! Policy decides what that role may do.

mod accounts;
mod application;
mod file;
#[cfg(feature = "oauth")]
mod oauth;
#[cfg(not(feature = "oauth"))]
#[path = "no_oauth.rs"]
mod oauth;
mod secret;
mod unidentified;

pub use accounts::Accounts;
#[cfg(feature = "browser")]
pub use accounts::UserAccess;
pub(crate) use application::Authenticator;
pub use application::{Account, ApplicationAccounts};
pub(crate) use file::TokenFault;
pub use file::TokenFile;
pub use oauth::ResourceServer;
#[cfg(feature = "oauth")]
pub use oauth::{Address, Grant, Scope};
pub(crate) use secret::PREFIX as TOKEN_PREFIX;
pub(crate) use unidentified::Unidentified;
