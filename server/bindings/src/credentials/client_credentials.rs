//! Access tokens that an authorization server issues for client credentials: RFC 6749, section 4.4.

use std::time::{Duration, Instant};

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::token_refused;
use crate::client::{Client, Credential, Received};
use crate::failure::{Failure, Result};
use crate::model::{Method, Setting, Text};
use crate::options::ConnectionOptions;
use crate::render::{Rendered, RenderedBody, encode};
use crate::settings::Settings;
use crate::slots::{Slot, Slots};

/// How long before its end a token is no longer used.
const MARGIN: Duration = Duration::from_secs(30);
/// How long a token is used if the server does not say.
const DEFAULT_AGE: Duration = Duration::from_mins(5);
/// How long a token is used at most.
const MAX_AGE: Duration = Duration::from_hours(24);

/// The tokens of one API.
pub(super) struct ClientCredentials {
    provider: String,
    client: Client,
    url: Url,
    id: Setting,
    secret: Setting,
    form: String,
    /// By account.
    tokens: Slots<Option<String>, Token>,
}

struct Token {
    text: SecretString,
    until: Instant,
}

impl ClientCredentials {
    pub(super) fn new(
        provider: &str,
        url: &Url,
        (id, secret): (Setting, Setting),
        extra: [(&str, &Option<Text>); 2],
        options: &ConnectionOptions,
    ) -> Result<Self> {
        let mut form = "grant_type=client_credentials".to_owned();
        for (name, value) in extra {
            if let Some(value) = value {
                form.extend(["&", name, "=", &encode(value)]);
            }
        }
        let client = Client::new(provider, url, options)?;
        let (provider, url) = (provider.to_owned(), url.clone());
        Ok(Self { provider, client, url, id, secret, form, tokens: Slots::default() })
    }

    fn slot(&self, account: Option<&str>) -> Slot<Token> {
        self.tokens.of(account.map(str::to_owned))
    }

    /// Returns the token of an account, a new one if necessary.
    pub(super) async fn token(
        &self,
        account: Option<&str>,
        settings: &Settings,
    ) -> Result<Credential> {
        // Only accounts that have credentials get a slot.
        let id = settings.credential(&self.id, account).await?;
        let secret = settings.credential(&self.secret, account).await?;
        let slot = self.slot(account);
        let mut kept = slot.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| Instant::now() < token.until) {
            return Credential::bearer(token.text.clone());
        }
        let token = self.issue(&id, &secret).await?;
        let credential = Credential::bearer(token.text.clone());
        *kept = Some(token);
        credential
    }

    /// Forgets a token, unless another one has replaced it already.
    pub(super) async fn forget(&self, account: Option<&str>, refused: &Credential) {
        let slot = self.slot(account);
        let mut kept = slot.lock().await;
        if kept.as_ref().is_some_and(|token| refused.contains(&token.text)) {
            *kept = None;
        }
    }

    async fn issue(&self, id: &SecretString, secret: &SecretString) -> Result<Token> {
        // RFC 6749, section 2.3.1, encodes both before Basic does.
        let id = SecretString::from(encode(id.expose_secret()));
        let secret = SecretString::from(encode(secret.expose_secret()));
        let credential = Credential::basic(&id, secret)?;
        let request = Rendered {
            method: Method::Post,
            url: self.url.clone(),
            headers: HeaderMap::new(),
            body: RenderedBody::Bytes {
                media_type: HeaderValue::from_static("application/x-www-form-urlencoded"),
                bytes: self.form.clone().into_bytes(),
            },
        };
        let received = self.client.send(&request, &credential).await?;
        if received.status != 200 {
            let names = format!("`{}` and `{}`", self.id.name, self.secret.name);
            return Err(token_refused(&self.provider, &names, &received));
        }
        self.parse(&received)
    }

    fn parse(&self, received: &Received) -> Result<Token> {
        let answer = received.json().unwrap_or(&Value::Null);
        let is_bearer =
            answer["token_type"].as_str().is_none_or(|ty| ty.eq_ignore_ascii_case("bearer"));
        let text = answer["access_token"].as_str().filter(|text| is_bearer && !text.is_empty());
        let text = text.ok_or_else(|| {
            let provider = &self.provider;
            Failure::upstream(format!(
                "The authorization server of {provider} issued no bearer token."
            ))
            .permanent()
        })?;
        let age = answer["expires_in"].as_u64().map_or(DEFAULT_AGE, Duration::from_secs);
        let until = Instant::now() + age.min(MAX_AGE).saturating_sub(MARGIN);
        Ok(Token { text: text.into(), until })
    }
}
