//! Access tokens for a server that no manifest describes: the operator says where tokens are issued, and who asks for them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use super::client_credentials::ClientCredentials;
use super::issued::{IssuedTokens, TokenRequest};
use crate::client::{Client, Credential};
use crate::failure::{Failure, Result};
use crate::model::{Code, Method, Setting, Text};
use crate::options::ConnectionOptions;
use crate::render::{Rendered, RenderedBody};
use crate::secret::{Environment, SecretSource};
use crate::settings::Settings;
use crate::wanted::Wanted;

/// How long a token may take to be issued.
const PATIENCE: Duration = Duration::from_secs(20);
const CLIENT_ID: &str = "client_id";
static SECRET: Setting =
    Setting { name: Text::Borrowed("client_secret"), sensitive: true, ..Setting::TEXT };

/// How a client gets tokens for its own credentials: RFC 6749, section 4.4.
#[derive(Debug, Clone)]
pub struct ClientGrant {
    /// Where tokens are issued.
    pub server: TokenServer,
    /// The client's id.
    pub client_id: ClientId,
    /// Where the client's secret is.
    pub client_secret: SecretSource,
    /// The scope to ask for.
    pub scope: Option<String>,
    /// The audience to ask for, as some authorization servers want it.
    pub audience: Option<String>,
    /// The server that the tokens are for: RFC 8707.
    pub resource: Option<String>,
}

/// Where tokens are issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenServer {
    /// At the address that the metadata of this issuer name: RFC 8414, or `OpenID` Connect Discovery.
    Issuer(Url),
    /// At this address.
    TokenUrl(Url),
}

impl TokenServer {
    /// Parses the address of an issuer; `None` if it is none.
    pub fn issuer(text: &str) -> Option<Self> {
        address(text).filter(|url| url.query().is_none()).map(Self::Issuer)
    }

    /// Parses the address at which tokens are issued; `None` if it is none.
    pub fn token_url(text: &str) -> Option<Self> {
        address(text).map(Self::TokenUrl)
    }
}

fn address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.fragment().is_none()
    })
}

/// The id of a client, which some operators keep as a secret.
#[derive(Debug, Clone)]
pub enum ClientId {
    /// The id itself.
    Text(String),
    /// Where it is.
    Secret(SecretSource),
}

/// The tokens of a client, kept until they end.
pub struct ClientTokens {
    name: String,
    grant: ClientGrant,
    settings: Settings,
    options: ConnectionOptions,
    issued: OnceCell<IssuedTokens>,
}

impl fmt::Debug for ClientTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTokens").field("server", &self.grant.server).finish_non_exhaustive()
    }
}

impl ClientTokens {
    /// Connects to nothing yet. `name` is that of the server that the tokens are for.
    pub fn new(
        name: impl Into<String>,
        grant: ClientGrant,
        environment: Environment,
        options: ConnectionOptions,
    ) -> Self {
        let name = name.into();
        let mut plain = Map::new();
        let secret = (SECRET.name.to_string(), grant.client_secret.clone());
        let mut secrets = BTreeMap::from([secret]);
        match &grant.client_id {
            ClientId::Text(text) => drop(plain.insert(CLIENT_ID.to_owned(), text.clone().into())),
            ClientId::Secret(source) => drop(secrets.insert(CLIENT_ID.to_owned(), source.clone())),
        }
        let settings = Settings::of_values(&name, plain, secrets, environment);
        Self { name, grant, settings, options, issued: OnceCell::new() }
    }

    /// Returns a token that has not ended, a new one if necessary.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if the credentials are missing or refused, `UPSTREAM_ERROR` or `TIMEOUT` if the authorization
    /// server fails.
    pub async fn token(&self) -> Result<SecretString> {
        let token = async {
            let issued = self.issued.get_or_try_init(|| self.connect()).await?;
            issued.token(None, &self.settings).await
        };
        let late = || Failure::timed_out(&format!("The authorization server of {}", self.name));
        let token = tokio::time::timeout(PATIENCE, token).await.unwrap_or_else(|_| Err(late()));
        if token.as_ref().is_err_and(|failure| failure.code == Code::ProviderUnavailable) {
            // The next attempt reads secrets again that are kept.
            self.settings.forget(&SECRET, None, |_| true).await;
        }
        token
    }

    /// Forgets a token that was refused, unless another one has replaced it already.
    pub async fn forget(&self, refused: &SecretString) {
        let is_same = |kept: &SecretString| kept.expose_secret() == refused.expose_secret();
        if let Some(issued) = self.issued.get() {
            issued.forget(None, is_same).await;
        }
    }

    async fn connect(&self) -> Result<IssuedTokens> {
        let url = match &self.grant.server {
            TokenServer::TokenUrl(url) => url.clone(),
            TokenServer::Issuer(issuer) => self.discover(issuer).await?,
        };
        let grant = &self.grant;
        let sensitive = matches!(grant.client_id, ClientId::Secret(_));
        let id = Setting { name: Text::Borrowed(CLIENT_ID), sensitive, ..Setting::TEXT };
        let extra = [
            ("scope", grant.scope.as_deref()),
            ("audience", grant.audience.as_deref()),
            ("resource", grant.resource.as_deref()),
        ];
        let request = ClientCredentials::new((id, SECRET.clone()), extra);
        let request = TokenRequest::ClientCredentials(request);
        IssuedTokens::new(&self.name, &url, request, &self.options)
    }

    /// Reads the metadata of an issuer.
    async fn discover(&self, issuer: &Url) -> Result<Url> {
        let client = Client::new(&self.name, issuer, &self.options)?;
        for url in metadata(issuer) {
            let request = Rendered {
                method: Method::Get,
                url,
                headers: HeaderMap::new(),
                body: RenderedBody::None,
            };
            let received = client.send(&request, &Credential::none(), &Wanted::all()).await?;
            if let (200, Some(found)) = (received.status, received.json()) {
                return self.token_url(issuer, found);
            }
        }
        Err(Failure::upstream(format!("{issuer} has no metadata of an authorization server.")))
    }

    fn token_url(&self, issuer: &Url, metadata: &Value) -> Result<Url> {
        let named = metadata["issuer"].as_str().unwrap_or_default();
        if named.trim_end_matches('/') != issuer.as_str().trim_end_matches('/') {
            let message = format!("The metadata of {issuer} are those of another issuer.");
            return Err(Failure::unavailable(message));
        }
        let url = metadata["token_endpoint"].as_str().and_then(|url| Url::parse(url).ok());
        // A secret must not leave TLS because metadata say so.
        url.filter(|url| url.scheme() == "https" || url.scheme() == issuer.scheme()).ok_or_else(
            || {
                let name = &self.name;
                Failure::unavailable(format!(
                    "The metadata of the issuer of {name} have no `token_endpoint` that can be used."
                ))
            },
        )
    }
}

/// Where the metadata of an issuer may be: RFC 8414, and `OpenID` Connect with both positions of the path.
fn metadata(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let paths = [
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ];
    let mut urls: Vec<Url> = paths.iter().filter_map(|path| issuer.join(path).ok()).collect();
    urls.dedup();
    urls
}
