//! Access tokens that an authorization server issues for client credentials: RFC 6749, section 4.4.

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::form::form;
use crate::client::Credential;
use crate::failure::{Failure, Result};
use crate::model::Setting;
use crate::render::{RenderedBody, encode};

/// How a token is asked for.
pub(super) struct ClientCredentials {
    pub(super) id: Setting,
    pub(super) secret: Setting,
    form: String,
}

impl ClientCredentials {
    /// `extra` are further fields of the request.
    pub(super) fn new<'a>(
        (id, secret): (Setting, Setting),
        extra: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Self {
        let mut form = "grant_type=client_credentials".to_owned();
        for (name, value) in extra {
            if let Some(value) = value {
                form.extend(["&", name, "=", &encode(value)]);
            }
        }
        Self { id, secret, form }
    }

    /// Id and secret, and the body. RFC 6749, section 2.3.1, encodes both before Basic does.
    pub(super) fn carried(&self, secrets: &[SecretString]) -> Result<(Credential, RenderedBody)> {
        let [id, secret] = secrets else {
            return Err(Failure::defect("client credentials are an id and a secret"));
        };
        let id = SecretString::from(encode(id.expose_secret()));
        let secret = SecretString::from(encode(secret.expose_secret()));
        Ok((Credential::basic(&id, secret)?, form(self.form.clone())))
    }

    /// The bearer token in an answer, and how many seconds it is valid.
    pub(super) fn issued(answer: &Value) -> Option<(&str, Option<u64>)> {
        let is_bearer =
            answer["token_type"].as_str().is_none_or(|ty| ty.eq_ignore_ascii_case("bearer"));
        let text = answer["access_token"].as_str().filter(|text| is_bearer && !text.is_empty())?;
        Some((text, answer["expires_in"].as_u64()))
    }
}
