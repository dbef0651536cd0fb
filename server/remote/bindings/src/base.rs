//! Where an API is.

use reqwest::Url;
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::model::Base;
use crate::settings::Settings;

/// Returns the URL of a base.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` if it is not the URL of an API.
pub(crate) fn base_url(provider: &str, base: &Base, settings: &Settings) -> Result<Url> {
    let (text, setting, who) = match base {
        Base::Url(url) => {
            (url.as_ref(), "The URL".to_owned(), "The author of the manifest writes it".to_owned())
        }
        Base::Setting(name) => {
            let value = settings.plain(None).get(&**name).and_then(Value::as_str);
            let who = format!("The operator of this server sets `providers.{provider}.{name}`");
            (value.unwrap_or_default(), format!("The setting `{name}`"), who)
        }
    };
    let url = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    });
    url.ok_or_else(|| {
        // The text may contain a password, so it is not repeated.
        let expected = "http:// or https://, a host and a path, without user, query and fragment";
        Failure::unavailable(format!("{setting} of {provider} is not the URL of an API."))
            .expecting(expected)
            .hinting(format!("{who} with {expected}."))
    })
}
