//! Tokens that a server issues for credentials, kept until they end, by account.

use std::time::{Duration, Instant};

use reqwest::Url;
use reqwest::header::HeaderMap;
use secrecy::SecretString;
use serde_json::Value;

use super::client_credentials::ClientCredentials;
use super::exchange::Exchange;
use super::quoted;
use crate::client::{Client, Credential, Received};
use crate::failure::{Failure, Result};
use crate::model::{Method, Setting};
use crate::options::ConnectionOptions;
use crate::render::{Rendered, RenderedBody};
use crate::settings::Settings;
use crate::slots::{Slot, Slots};
use crate::wanted::Wanted;

/// How long before its end a token is no longer used.
const MARGIN: Duration = Duration::from_secs(30);
/// How long a token is used if the server does not say.
const DEFAULT_AGE: Duration = Duration::from_mins(5);
/// How long a token is used at most.
const MAX_AGE: Duration = Duration::from_hours(24);

/// How a token is asked for.
pub(super) enum TokenRequest {
    ClientCredentials(ClientCredentials),
    Exchange(Exchange),
}

impl TokenRequest {
    /// The settings whose values are sent, in the order in which the request wants them.
    fn settings(&self) -> Vec<&Setting> {
        match self {
            Self::ClientCredentials(client) => vec![&client.id, &client.secret],
            Self::Exchange(exchange) => exchange.settings().collect(),
        }
    }

    /// What the request carries: its credential, and its body.
    fn carried(&self, secrets: &[SecretString]) -> Result<(Credential, RenderedBody)> {
        match self {
            Self::ClientCredentials(client) => client.carried(secrets),
            Self::Exchange(exchange) => Ok((Credential::none(), exchange.body(secrets))),
        }
    }

    /// The token in an answer, and how many seconds it is valid, if the server says so.
    fn issued<'a>(&self, answer: &'a Value) -> Option<(&'a str, Option<u64>)> {
        match self {
            Self::ClientCredentials(_) => ClientCredentials::issued(answer),
            Self::Exchange(exchange) => exchange.issued(answer),
        }
    }

    /// The scheme of the token in the header `Authorization`.
    fn scheme(&self) -> &str {
        match self {
            Self::ClientCredentials(_) => "Bearer",
            Self::Exchange(exchange) => &exchange.scheme,
        }
    }
}

/// The tokens of one API.
pub(super) struct IssuedTokens {
    provider: String,
    client: Client,
    url: Url,
    request: TokenRequest,
    /// By account.
    tokens: Slots<Option<String>, Token>,
}

struct Token {
    text: SecretString,
    until: Instant,
}

impl IssuedTokens {
    pub(super) fn new(
        provider: &str,
        url: &Url,
        request: TokenRequest,
        options: &ConnectionOptions,
    ) -> Result<Self> {
        let client = Client::new(provider, url, options)?;
        let (provider, url) = (provider.to_owned(), url.clone());
        Ok(Self { provider, client, url, request, tokens: Slots::default() })
    }

    fn slot(&self, account: Option<&str>) -> Slot<Token> {
        self.tokens.slot(account.map(str::to_owned))
    }

    /// Returns the credential of an account, with a new token if necessary.
    pub(super) async fn credential(
        &self,
        account: Option<&str>,
        settings: &Settings,
    ) -> Result<Credential> {
        Credential::token(self.request.scheme(), self.token(account, settings).await?)
    }

    /// Returns the token of an account, a new one if necessary.
    pub(super) async fn token(
        &self,
        account: Option<&str>,
        settings: &Settings,
    ) -> Result<SecretString> {
        // Only accounts that have credentials get a slot.
        let mut secrets = Vec::new();
        for setting in self.request.settings() {
            secrets.push(settings.credential(setting, account).await?);
        }
        let slot = self.slot(account);
        let mut kept = slot.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| Instant::now() < token.until) {
            return Ok(token.text.clone());
        }
        let token = self.issue(&secrets).await?;
        let text = token.text.clone();
        *kept = Some(token);
        Ok(text)
    }

    /// Forgets a token, unless another one has replaced it already.
    pub(super) async fn forget(
        &self,
        account: Option<&str>,
        refused: impl Fn(&SecretString) -> bool,
    ) {
        let slot = self.slot(account);
        let mut kept = slot.lock().await;
        if kept.as_ref().is_some_and(|token| refused(&token.text)) {
            *kept = None;
        }
    }

    async fn issue(&self, secrets: &[SecretString]) -> Result<Token> {
        let (credential, body) = self.request.carried(secrets)?;
        let request = Rendered {
            method: Method::Post,
            url: self.url.clone(),
            headers: HeaderMap::new(),
            body,
        };
        let received = self.client.send(&request, &credential, &Wanted::all()).await?;
        if !matches!(received.status, 200 | 201) {
            return Err(self.refused(&received));
        }
        let answer = received.json().unwrap_or(&Value::Null);
        let (text, seconds) = self.request.issued(answer).ok_or_else(|| {
            let provider = &self.provider;
            Failure::upstream(format!("The authorization server of {provider} issued no token."))
                .permanent()
        })?;
        let age = seconds.map_or(DEFAULT_AGE, Duration::from_secs);
        let until = Instant::now() + age.min(MAX_AGE).saturating_sub(MARGIN);
        Ok(Token { text: text.into(), until })
    }

    fn refused(&self, received: &Received) -> Box<Failure> {
        let (provider, status) = (&self.provider, received.status);
        let message =
            format!("The authorization server of {provider} answered with status {status}.");
        if !matches!(status, 400 | 401 | 403 | 422) {
            return Failure::upstream(message);
        }
        let settings = self.request.settings();
        let names: Vec<&str> = settings.iter().map(|setting| &*setting.name).collect();
        Failure::unavailable(message).hinting(format!("Check the settings {}.", quoted(&names)))
    }
}
