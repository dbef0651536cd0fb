//! Tokens for which an API exchanges credentials in its own way, such as by a request that logs in.

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use super::form::form;
use super::setting;
use crate::failure::Result;
use crate::model::{Api, ExchangeBody, ExchangeField, Path, Setting, SettingOrText, TokenExchange};
use crate::render::{RenderedBody, encode};

/// How a token is asked for.
pub(super) struct Exchange {
    body: ExchangeBody,
    fields: Vec<(String, Sent)>,
    token: Path,
    lifetime: Option<Path>,
    pub(super) scheme: String,
}

/// The value of a field.
enum Sent {
    Setting(Setting),
    Text(String),
}

impl Exchange {
    /// # Errors
    /// `INTERNAL` if the table names a setting that does not exist.
    pub(super) fn new(api: &Api, table: &TokenExchange) -> Result<Self> {
        let field = |field: &ExchangeField| {
            let value = match &field.value {
                SettingOrText::Setting(name) => Sent::Setting(setting(api, name)?),
                SettingOrText::Text(text) => Sent::Text(text.to_string()),
            };
            Ok((field.name.to_string(), value))
        };
        Ok(Self {
            body: table.body,
            fields: table.fields.iter().map(field).collect::<Result<_>>()?,
            token: table.token.clone(),
            lifetime: table.lifetime.clone(),
            scheme: table.scheme.to_string(),
        })
    }

    /// The URL of the request, which continues the base.
    pub(super) fn url(base: &Url, path: &str) -> Url {
        let mut url = base.clone();
        url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
        url
    }

    pub(super) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.fields.iter().filter_map(|(_, value)| match value {
            Sent::Setting(setting) => Some(setting),
            Sent::Text(_) => None,
        })
    }

    /// The body with the values of the settings.
    pub(super) fn body(&self, secrets: &[SecretString]) -> RenderedBody {
        let mut secrets = secrets.iter();
        let fields = self.fields.iter().map(|(name, value)| {
            let value = match value {
                Sent::Setting(_) => secrets.next().map(ExposeSecret::expose_secret),
                Sent::Text(text) => Some(text.as_str()),
            };
            (name.as_str(), value.unwrap_or_default())
        });
        match self.body {
            ExchangeBody::Json => RenderedBody::json(Value::Object(
                fields.map(|(name, value)| (name.to_owned(), value.into())).collect::<Map<_, _>>(),
            )),
            ExchangeBody::Form => {
                let pairs =
                    fields.map(|(name, value)| format!("{}={}", encode(name), encode(value)));
                form(pairs.collect::<Vec<_>>().join("&"))
            }
        }
    }

    /// The token in an answer, and how many seconds it is valid.
    pub(super) fn issued<'a>(&self, answer: &'a Value) -> Option<(&'a str, Option<u64>)> {
        let text = self.token.find(answer)?.as_str().filter(|text| !text.is_empty())?;
        let seconds = self.lifetime.as_ref().and_then(|path| path.find(answer)?.as_u64());
        Some((text, seconds))
    }
}
