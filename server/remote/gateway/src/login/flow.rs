//! A login: the user says in a browser what the upstream may be used for.

use std::sync::Arc;
use std::time::Duration;

use oauth2::{AuthUrl, CsrfToken, PkceCodeChallenge, PkceCodeVerifier, Scope};
use reqwest::Url;
use rmcp::transport::auth::AuthorizationMetadata;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::LoginTarget;
use super::callback::{Expected, Unusable};
use super::discovery::{Discovered, discover, further_endpoint};
use super::listener::{Found, Listener};
use super::registration::{register, with_secret};
use super::server::{Refused, Server};
use super::settings::scopes;
use super::store::{Authentication, Client, Endpoints, Login, Logins, Origin};

/// What a login asks for beside what the configuration says.
#[derive(Debug, Clone, Default)]
pub struct LoginOptions {
    /// Scopes beside those that were granted before, separated by spaces.
    pub scope: Option<String>,
    /// The id of a client without a secret.
    pub client_id: Option<String>,
}

/// A login that waits for the user.
pub struct PendingLogin {
    /// The address that the user opens.
    pub address: Url,
    target: LoginTarget,
    logins: Logins,
    login: Login,
    server: Server,
    verifier: PkceCodeVerifier,
    expected: Arc<Expected>,
    found: mpsc::Receiver<Found>,
    _listening: AbortOnDropHandle<()>,
}

/// A login that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedIn {
    /// The scopes that were granted.
    pub scopes: Vec<String>,
    /// When the access token expires, in seconds since 1970, if the server has said so.
    pub expires_at: Option<u64>,
    /// Whether it can be renewed without the user.
    pub is_renewable: bool,
}

impl LoginTarget {
    /// Begins a login: asks the server how, registers a client if necessary, and listens for the browser.
    ///
    /// # Errors
    /// Why that is not possible, as a sentence.
    pub async fn log_in(&self, options: &LoginOptions) -> Result<PendingLogin, String> {
        let logins = Logins::of_user()?;
        let found = discover(self).await?;
        // What cannot be read is replaced.
        let before = logins.read(self).ok().flatten();
        let before = before.filter(|before| before.issuer == found.issuer);
        let scopes = wanted(&found, before.as_ref(), options.scope.as_deref());
        let known = before.and_then(|before| before.client).filter(Client::is_usable);
        let id = self.own_client(options, known.as_ref());
        let (listener, known) = self.listen(known).await?;
        let client = match (id, known) {
            (Some((id, how)), _) => self.client(&found.metadata, id, how, &listener.redirect),
            (None, Some(known)) => known,
            (None, None) => {
                let names = (self.upstream.as_str(), listener.redirect.as_str());
                register(&self.http(), &found.metadata, names, &scopes).await?
            }
        };
        let revocation = further_endpoint(&found.metadata, "revocation_endpoint")?;
        let metadata = Endpoints {
            token_endpoint: found.metadata.token_endpoint.clone(),
            revocation_endpoint: revocation.map(String::from),
        };
        let about = (found.resource.clone(), found.issuer.clone());
        let login = Login { scopes, ..Login::new(self, about, metadata, client) };
        let server = Server::new(self, &login).await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (address, state) = self.address(&found, &login, &server, challenge);
        let expected = Arc::new(Expected {
            redirect: listener.redirect.clone(),
            state,
            names_issuer: found.names_issuer(),
            issuer: found.issuer,
        });
        let (sender, found) = mpsc::channel(1);
        let listening = tokio::spawn(listener.serve(expected.clone(), sender));
        Ok(PendingLogin {
            address,
            target: self.clone(),
            logins,
            login,
            server,
            verifier,
            expected,
            found,
            _listening: AbortOnDropHandle::new(listening),
        })
    }

    /// The id of a client that need not be registered, and where it comes from.
    fn own_client(
        &self,
        options: &LoginOptions,
        known: Option<&Client>,
    ) -> Option<(String, Origin)> {
        let given = known.filter(|client| client.how == Origin::Given);
        let given = options.client_id.clone().or_else(|| Some(given?.id.clone()));
        let configured = self.settings.client_id.clone().map(|id| (id, Origin::Configured));
        configured.or_else(|| Some((given?, Origin::Given)))
    }

    fn client(
        &self,
        metadata: &AuthorizationMetadata,
        id: String,
        how: Origin,
        redirect: &Url,
    ) -> Client {
        let has_secret = how == Origin::Configured && self.settings.client_secret.is_some();
        let authentication = if has_secret { with_secret(metadata) } else { Authentication::None };
        let redirect = redirect.to_string();
        Client { id, secret: None, secret_expires_at: None, authentication, redirect, how }
    }

    /// Listens where the known client is registered for. On another port, it is not known.
    async fn listen(&self, known: Option<Client>) -> Result<(Listener, Option<Client>), String> {
        if let Some(redirect) = &self.settings.redirect {
            let is_same = |client: &Client| client.redirect == redirect.as_str();
            return Ok((Listener::at(redirect).await?, known.filter(is_same)));
        }
        let redirect = known.as_ref().and_then(|client| Url::parse(&client.redirect).ok());
        if let Some(redirect) = redirect
            && let Ok(listener) = Listener::at(&redirect).await
        {
            return Ok((listener, known));
        }
        Ok((Listener::anywhere().await?, None))
    }

    /// The address at which the user logs in.
    fn address(
        &self,
        found: &Discovered,
        login: &Login,
        server: &Server,
        challenge: PkceCodeChallenge,
    ) -> (Url, CsrfToken) {
        let client = server.client.clone();
        let client = client.set_auth_uri(AuthUrl::from_url(found.authorization.clone()));
        let mut request = client
            .authorize_url(CsrfToken::new_random)
            .set_pkce_challenge(challenge)
            .add_scopes(login.scopes.iter().cloned().map(Scope::new));
        if let Some(resource) = &login.resource {
            request = request.add_extra_param("resource", resource);
        }
        for (name, value) in &self.settings.params {
            request = request.add_extra_param(name, value);
        }
        request.url()
    }
}

impl PendingLogin {
    /// Waits for the browser, or for an address that the user pastes, and keeps the login. `say` tells the user what did not
    /// end it.
    ///
    /// # Errors
    /// Why nobody is logged in, as a sentence.
    pub async fn finish(
        self,
        pasted: mpsc::Receiver<String>,
        patience: Duration,
        say: impl Fn(&str),
    ) -> Result<LoggedIn, String> {
        let Self { target, logins, mut login, server, verifier, expected, found, .. } = self;
        let code = tokio::time::timeout(patience, code(found, pasted, &expected, say)).await;
        let code = code.map_err(|_| {
            let name = &target.upstream;
            format!(
                "Nobody logged in within {patience:?}. If the browser shows that the client is unknown, `upstream logout {name}` \
                 forgets it, and the next login registers another one."
            )
        })??;
        let issued = match server.exchange(code, verifier).await {
            Ok(issued) => issued,
            Err(refused) => {
                if let Refused::Client(_) = refused {
                    forget_client(&target, &logins, &login).await?;
                }
                return Err(refused.into_reason());
            }
        };
        let locked = logins.lock(&login.upstream).await?;
        login.take(issued).await;
        logins.write(&login, &locked)?;
        Ok(LoggedIn {
            expires_at: login.access.as_ref().and_then(|access| access.expires_at),
            is_renewable: login.refresh.is_some(),
            scopes: login.scopes,
        })
    }
}

/// Forgets a client of an earlier login that the server does not know, with its tokens, so that the next login registers another
/// one.
async fn forget_client(
    target: &LoginTarget,
    logins: &Logins,
    failed: &Login,
) -> Result<(), String> {
    let id = |login: &Login| login.client.as_ref().map(|client| client.id.clone());
    let locked = logins.lock(&target.upstream).await?;
    match logins.read(target)? {
        Some(before) if id(&before) == id(failed) => logins.remove(before, &locked).await,
        _ => Ok(()),
    }
}

/// Waits for the code.
async fn code(
    mut found: mpsc::Receiver<Found>,
    mut pasted: mpsc::Receiver<String>,
    expected: &Expected,
    say: impl Fn(&str),
) -> Result<String, String> {
    loop {
        let read = tokio::select! {
            Some(found) = found.recv() => found,
            Some(text) = pasted.recv() => expected.read_pasted(&text),
            else => return Err("The login has ended.".to_owned()),
        };
        match read {
            Ok(code) => return Ok(code),
            Err(Unusable::Ended(why)) => return Err(why),
            Err(Unusable::Other(why)) => say(&why),
        }
    }
}

/// The scopes to ask for: with those that were granted before, because a grant replaces the one before.
fn wanted(found: &Discovered, before: Option<&Login>, more: Option<&str>) -> Vec<String> {
    let mut all = found.scopes.clone();
    let granted = before.map(|before| before.scopes.clone()).unwrap_or_default();
    for scope in granted.into_iter().chain(more.map(scopes).unwrap_or_default()) {
        if !all.contains(&scope) {
            all.push(scope);
        }
    }
    all
}
