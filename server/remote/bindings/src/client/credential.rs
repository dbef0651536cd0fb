//! What a request carries to prove who sends it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use toolwrit_text::Secrets;

use crate::failure::{Failure, Result};
use crate::render::encode;

/// What a request carries. Has no `Debug` that shows it.
pub(crate) struct Credential {
    headers: Vec<(HeaderName, HeaderValue)>,
    parameters: Vec<(String, SecretString)>,
    /// Texts that no result and no failure may repeat.
    secrets: Vec<SecretString>,
}

impl Credential {
    pub(crate) fn none() -> Self {
        Self { headers: Vec::new(), parameters: Vec::new(), secrets: Vec::new() }
    }

    /// Adds another credential, which is carried, too.
    pub(crate) fn extend(&mut self, other: Self) {
        self.headers.extend(other.headers);
        self.parameters.extend(other.parameters);
        self.secrets.extend(other.secrets);
    }

    pub(crate) fn basic(user: &SecretString, password: SecretString) -> Result<Self> {
        let pair = format!("{}:{}", user.expose_secret(), password.expose_secret());
        let encoded = SecretString::from(BASE64_STANDARD.encode(pair));
        let value = format!("Basic {}", encoded.expose_secret());
        Self::header("authorization", &value, vec![password, encoded])
    }

    pub(crate) fn bearer(token: SecretString) -> Result<Self> {
        Self::token("Bearer", token)
    }

    /// A token with its scheme, in the header `Authorization`.
    pub(crate) fn token(scheme: &str, token: SecretString) -> Result<Self> {
        let value = format!("{scheme} {}", token.expose_secret());
        Self::header("authorization", value.trim_start(), vec![token])
    }

    pub(crate) fn header_key(header: &str, key: SecretString) -> Result<Self> {
        let value = key.expose_secret().to_owned();
        Self::header(header, &value, vec![key])
    }

    pub(crate) fn query_key(parameter: &str, key: SecretString) -> Self {
        let secrets = vec![key.clone()];
        Self { parameters: vec![(parameter.to_owned(), key)], secrets, ..Self::none() }
    }

    fn header(name: &str, value: &str, secrets: Vec<SecretString>) -> Result<Self> {
        let (name, value) = HeaderName::from_bytes(name.as_bytes())
            .ok()
            .zip(HeaderValue::from_str(value).ok())
            .map(|(name, mut value)| {
                value.set_sensitive(true);
                (name, value)
            })
            .ok_or_else(|| {
                Failure::unavailable("The credentials contain a character that no header can have.")
            })?;
        Ok(Self { headers: vec![(name, value)], secrets, ..Self::none() })
    }

    /// Adds the credential to a request.
    pub(crate) fn apply(&self, url: &mut Url, headers: &mut HeaderMap) -> Result<()> {
        for (name, value) in &self.headers {
            if headers.insert(name, value.clone()).is_some() {
                return Err(Failure::defect(format_args!(
                    "a template sets the header `{name}` of the key"
                )));
            }
        }
        for (name, value) in &self.parameters {
            let added = format!("{}={}", encode(name), encode(value.expose_secret()));
            let query = url.query().filter(|query| !query.is_empty());
            let query = query.map_or(added.clone(), |query| format!("{query}&{added}"));
            url.set_query(Some(&query));
        }
        Ok(())
    }

    /// Whether this is what the request carries.
    pub(crate) fn contains(&self, secret: &SecretString) -> bool {
        self.secrets.iter().any(|known| known.expose_secret() == secret.expose_secret())
    }

    /// Whether another credential has the same secrets.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.secrets.len() == other.secrets.len()
            && self.secrets.iter().all(|secret| other.contains(secret))
    }

    /// What texts of the API must not repeat.
    pub(crate) fn secrets(&self) -> Secrets {
        Secrets::from_secrets(&self.secrets)
    }
}
