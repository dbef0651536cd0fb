//! Logins of a user to upstreams: OAuth 2.1 with a browser.
//!
//! A [`LoginTarget`] is an upstream with the key `login`. `flow` is the login itself: `discovery` finds the authorization
//! server, `registration` registers a client there, `listener` waits for the browser, `callback` reads what it brings, and
//! `server` sends the requests for tokens. `store` keeps the result in a private file, from which `tokens` serves and renews access tokens.
//!
//! rmcp only discovers. It would drop the secrets of clients, tell errors of servers as texts, and write `resource` in another
//! form than the server.

mod callback;
mod discovery;
mod flow;
mod http;
mod kept;
mod listener;
mod registration;
mod server;
mod settings;
mod store;
mod tokens;

use oauth2::{AccessToken, RefreshToken};
use reqwest::Url;
use toolwrit_upstreams::Network;

pub use flow::{LoggedIn, LoginOptions, PendingLogin};
use http::Http;
use server::Server;
pub(crate) use settings::LoginSettings;
pub(crate) use store::Logins;
use store::{Access, Login};
pub(crate) use tokens::LoginTokens;

/// An upstream to which the user logs in.
#[derive(Debug, Clone)]
pub struct LoginTarget {
    pub(crate) upstream: String,
    pub(crate) url: String,
    pub(crate) networks: Vec<Network>,
    pub(crate) settings: LoginSettings,
}

/// What is known of a login without asking anyone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginState {
    /// Whether there is an access token, or one can be had without the user.
    pub is_usable: bool,
    /// When the access token expires, in seconds since 1970, if the server has said so.
    pub expires_at: Option<u64>,
    /// Whether it can be renewed.
    pub is_renewable: bool,
    /// When the secret of the client expires, in seconds since 1970, if it does.
    pub secret_expires_at: Option<u64>,
    /// Whether its file or the folder of the file is open to other users.
    pub is_exposed: bool,
}

/// What became of the tokens at a logout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoggedOut {
    /// There were none.
    NotLoggedIn,
    /// The server has revoked them.
    Revoked,
    /// The server still knows them until they expire, for this reason.
    NotRevoked(String),
}

impl LoginTarget {
    /// What is known of the login; `None` if nobody has logged in.
    ///
    /// # Errors
    /// Why that is not known, as a sentence.
    pub fn state(&self) -> Result<Option<LoginState>, String> {
        let logins = Logins::of_user()?;
        let Some(login) = logins.read(self)? else { return Ok(None) };
        let secret_expires_at = login.client.as_ref().and_then(|client| client.secret_expires_at);
        let expires_at = login.access.as_ref().and_then(|access| access.expires_at);
        let is_renewable = login.refresh.is_some();
        Ok(Some(LoginState {
            is_usable: is_renewable || login.access.is_some() && Access::is_valid(expires_at),
            expires_at,
            is_renewable,
            secret_expires_at,
            is_exposed: logins.is_exposed(&self.upstream),
        }))
    }

    /// Revokes the tokens (RFC 7009), and deletes what is kept of the login.
    ///
    /// # Errors
    /// If it cannot be deleted, as a sentence.
    pub async fn log_out(&self) -> Result<LoggedOut, String> {
        let logins = Logins::of_user()?;
        let locked = logins.lock(&self.upstream).await?;
        let Some(login) = logins.read_any(&self.upstream)? else {
            return Ok(LoggedOut::NotLoggedIn);
        };
        let revoked = self.revoke(&login).await;
        logins.remove(login, &locked).await?;
        Ok(match revoked {
            Ok(()) => LoggedOut::Revoked,
            Err(why) => LoggedOut::NotRevoked(why),
        })
    }

    async fn revoke(&self, login: &Login) -> Result<(), String> {
        let server = Server::new(self, login).await?;
        let token = match (&login.refresh, &login.access) {
            (Some(refresh), _) => RefreshToken::new(refresh.read().await?).into(),
            (None, Some(access)) => AccessToken::new(access.token.clone()).into(),
            (None, None) => return Err("There is no token.".to_owned()),
        };
        server.revoke(token).await
    }

    /// The name of the upstream's host.
    pub fn host(&self) -> String {
        let url = Url::parse(&self.url).ok();
        url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
    }

    fn http(&self) -> Http {
        Http::new(&self.networks)
    }
}
