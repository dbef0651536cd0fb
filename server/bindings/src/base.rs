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
    let (text, place) = match base {
        Base::Url(url) => (url.as_ref(), "The URL".to_owned()),
        Base::Setting(name) => {
            let value = settings.plain(None).get(&**name).and_then(Value::as_str);
            (value.unwrap_or_default(), format!("The setting `{name}`"))
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
        Failure::unavailable(format!("{place} of {provider} is not the URL of an API."))
            .expecting("http:// or https://, a host and a path, without user, query and fragment")
    })
}
