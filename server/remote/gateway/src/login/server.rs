//! Requests to an authorization server: for tokens, and to revoke them.

use std::time::Duration;

use oauth2::basic::{BasicClient, BasicErrorResponse, BasicErrorResponseType, BasicTokenResponse};
use oauth2::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, EndpointNotSet, EndpointSet, HttpRequest,
    PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, RevocationUrl,
    StandardRevocableToken, TokenResponse as _, TokenUrl,
};
use reqwest::Url;
use secrecy::ExposeSecret as _;
use toolwrit_bindings::{Environment, SecretSource};
use toolwrit_text::Secrets;
use toolwrit_text::shorten::visible_line;

use super::LoginTarget;
use super::discovery::endpoint;
use super::http::{Http, HttpError};
use super::store::{Access, Authentication, Client, Issued, Login, Origin};

/// Length limit of what a server says, in characters.
const MAX_SAID: usize = 300;
/// How long a revocation may take.
const REVOKING: Duration = Duration::from_secs(5);

/// A client that can ask for tokens.
pub(super) type TokenClient =
    BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// The authorization server of a login, and the client of the login.
pub(super) struct Server {
    http: Http,
    pub(super) client: TokenClient,
    revocation: Option<Url>,
    resource: Option<String>,
    /// What was sent, which no error may repeat.
    secrets: Secrets,
}

/// Why there is no token, as a sentence.
pub(super) enum Refused {
    /// The code or the refresh token is not valid.
    Grant(String),
    /// The server does not know the client, or its secret is another one.
    Client(String),
    /// Anything else, which may be over later.
    Other(String),
}

impl Refused {
    /// Drops from a login what is no longer valid. Returns whether there was anything.
    pub(super) fn drop_from(&self, login: &mut Login) -> bool {
        match self {
            Self::Other(_) => return false,
            Self::Grant(_) => {}
            Self::Client(_) => login.client = None,
        }
        (login.access, login.refresh) = (None, None);
        true
    }

    pub(super) fn into_reason(self) -> String {
        match self {
            Self::Grant(why) | Self::Client(why) | Self::Other(why) => why,
        }
    }
}

fn issued(answer: &BasicTokenResponse) -> Issued {
    let lifetime = answer.expires_in().map(|lifetime| lifetime.as_secs());
    let scopes = answer.scopes();
    Issued {
        access: Access::new(answer.access_token().secret().clone(), lifetime),
        refresh: answer.refresh_token().map(|token| token.secret().clone()),
        scopes: scopes.map(|all| all.iter().map(|scope| scope.to_string()).collect()),
    }
}

impl Server {
    /// Reads the secret of the client.
    pub(super) async fn new(target: &LoginTarget, login: &Login) -> Result<Self, String> {
        let client = login.client.as_ref().ok_or("The login has no client.")?;
        let secret = secret(client, target.settings.client_secret.clone()).await?;
        let metadata = &login.metadata;
        let token_url = endpoint("token_endpoint", &metadata.token_endpoint)?;
        let revocation = metadata.revocation_endpoint.as_deref();
        let revocation = revocation.map(|url| endpoint("revocation_endpoint", url)).transpose()?;
        let redirect = RedirectUrl::new(client.redirect.clone());
        let redirect = redirect.map_err(|error| format!("The redirect is wrong: {error}."))?;
        let secrets = Secrets::default();
        let mut asking = BasicClient::new(ClientId::new(client.id.clone()))
            .set_token_uri(TokenUrl::from_url(token_url))
            .set_redirect_uri(redirect);
        if let Some(secret) = secret {
            secrets.add(&secret.clone().into());
            asking = asking.set_client_secret(ClientSecret::new(secret));
        }
        if client.authentication == Authentication::ClientSecretPost {
            asking = asking.set_auth_type(AuthType::RequestBody);
        }
        let (http, resource) = (target.http(), login.resource.clone());
        Ok(Self { http, client: asking, revocation, resource, secrets })
    }

    /// Exchanges a code for tokens.
    pub(super) async fn exchange(
        &self,
        code: String,
        verifier: PkceCodeVerifier,
    ) -> Result<Issued, Refused> {
        self.secrets.add(&code.clone().into());
        let mut request = self.client.exchange_code(AuthorizationCode::new(code));
        request = request.set_pkce_verifier(verifier);
        if let Some(resource) = &self.resource {
            request = request.add_extra_param("resource", resource);
        }
        let answer = request.request_async(&self.http).await;
        answer.map(|answer| issued(&answer)).map_err(|error| self.refused(error))
    }

    /// Exchanges a refresh token for tokens of the same scopes. Many servers refuse the parameter `scope`.
    pub(super) async fn renew(&self, refresh: String) -> Result<Issued, Refused> {
        self.secrets.add(&refresh.clone().into());
        let refresh = RefreshToken::new(refresh);
        let mut request = self.client.exchange_refresh_token(&refresh);
        if let Some(resource) = &self.resource {
            request = request.add_extra_param("resource", resource);
        }
        let answer = request.request_async(&self.http).await;
        answer.map(|answer| issued(&answer)).map_err(|error| self.refused(error))
    }

    /// Revokes a token.
    ///
    /// # Errors
    /// Why it is still valid, as a sentence.
    pub(super) async fn revoke(&self, token: StandardRevocableToken) -> Result<(), String> {
        let none = "The server does not say where tokens are revoked.";
        let address = self.revocation.as_ref().ok_or(none)?;
        // The library refuses http also on this machine, where servers in development are.
        let mut secure = address.clone();
        let _ = secure.set_scheme("https");
        let client = self.client.clone().set_revocation_url(RevocationUrl::from_url(secure));
        let request = client.revoke_token(token).map_err(|error| format!("{error}."))?;
        let send = |mut request: HttpRequest| {
            if let Ok(address) = address.as_str().parse() {
                *request.uri_mut() = address;
            }
            self.http.send(request)
        };
        let revocation = request.request_async(&send);
        let revoked = tokio::time::timeout(REVOKING, revocation).await;
        let revoked = revoked.map_err(|_| "The server did not answer in time.".to_owned())?;
        revoked.map_err(|error| match error {
            RequestTokenError::Request(error) => format!("The server cannot be reached: {error}."),
            error => format!("The server refuses to revoke it: {}.", self.said(&error.to_string())),
        })
    }

    fn refused(&self, error: RequestTokenError<HttpError, BasicErrorResponse>) -> Refused {
        let answer = match error {
            RequestTokenError::ServerResponse(answer) => answer,
            RequestTokenError::Request(error) => {
                return Refused::Other(format!(
                    "The authorization server cannot be reached: {error}."
                ));
            }
            // Some servers say so with the status 200.
            RequestTokenError::Parse(_, body) => {
                let Ok(answer) = serde_json::from_slice(&body) else {
                    let why = "The answer of the authorization server is no token.";
                    return Refused::Other(why.to_owned());
                };
                answer
            }
            RequestTokenError::Other(why) => {
                let why = self.said(&why);
                return Refused::Other(format!("The authorization server failed: {why}."));
            }
        };
        let kind = match answer.error() {
            BasicErrorResponseType::InvalidGrant => Refused::Grant,
            BasicErrorResponseType::InvalidClient | BasicErrorResponseType::UnauthorizedClient => {
                Refused::Client
            }
            _ => Refused::Other,
        };
        let code = self.said(answer.error().as_ref());
        let more = answer.error_description().map(|text| format!(" ({})", self.said(text)));
        kind(format!("The authorization server says {code}{}.", more.unwrap_or_default()))
    }

    /// What a server says, on one line and without secrets.
    fn said(&self, text: &str) -> String {
        visible_line(self.secrets.mask(text).trim_end_matches('.'), MAX_SAID)
    }
}

/// The secret of a client, if it has one. That of a configured client is read from its source.
async fn secret(client: &Client, source: Option<SecretSource>) -> Result<Option<String>, String> {
    match (&client.secret, source) {
        (Some(kept), _) => kept.read().await.map(Some),
        (None, Some(source)) if client.how == Origin::Configured => {
            let secret = source.read(&Environment::process()).await;
            let secret = secret.map_err(|why| format!("`client_secret`: {why}."))?;
            Ok(Some(secret.expose_secret().to_owned()))
        }
        (None, _) => Ok(None),
    }
}
