//! The key `login` of an upstream.

use std::collections::BTreeMap;
use std::net::IpAddr;

use reqwest::Url;
use serde_json::{Map, Value};
use toolwrit_bindings::SecretSource;

const KEYS: [&str; 7] =
    ["client_id", "client_secret", "issuer", "params", "redirect", "resource", "scope"];

/// How the user logs in. Without anything, the server says it all.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoginSettings {
    /// The id of a client that is registered by hand.
    pub(super) client_id: Option<String>,
    pub(super) client_secret: Option<SecretSource>,
    /// The authorization server of a server that names none.
    pub(super) issuer: Option<Url>,
    /// Further parameters of the address at which the user logs in.
    pub(super) params: BTreeMap<String, String>,
    /// Where the browser is sent at the end, on this machine.
    pub(super) redirect: Option<Url>,
    pub(super) resource: ResourceSetting,
    pub(super) scopes: Vec<String>,
}

/// What the parameter `resource` says (RFC 8707).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum ResourceSetting {
    /// What the server says about itself, else its address.
    #[default]
    Discovered,
    Text(String),
    /// It is not sent, because the authorization server refuses it.
    Omitted,
}

impl LoginSettings {
    /// Reads the key; `None` if it is false.
    ///
    /// # Errors
    /// What is wrong. No value is repeated, because it may be a secret.
    pub(crate) fn parse(value: &Value) -> Result<Option<Self>, String> {
        match value {
            Value::Bool(false) => Ok(None),
            Value::Bool(true) => Ok(Some(Self::default())),
            Value::Object(table) => Self::of_table(table).map(Some),
            _ => Err("expected true, or a table such as { scope = \"..\" }".to_owned()),
        }
    }

    fn of_table(table: &Map<String, Value>) -> Result<Self, String> {
        if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let keys = KEYS.join(", ");
            return Err(format!("unknown key `{unknown}`; expected one of: {keys}"));
        }
        let client_secret = table.get("client_secret").map(|source| {
            SecretSource::parse(source).ok_or(
                "`client_secret`: expected { env = \"NAME\" }, { file = \"PATH\" }, { keyring = \"SERVICE/USER\" } or { command = [..] }",
            )
        });
        let resource = match table.get("resource") {
            Some(Value::Bool(false)) => ResourceSetting::Omitted,
            _ => {
                text(table, "resource")?.map_or(ResourceSetting::Discovered, ResourceSetting::Text)
            }
        };
        let settings = Self {
            client_id: text(table, "client_id")?,
            client_secret: client_secret.transpose()?,
            issuer: text(table, "issuer")?.map(|issuer| issuer_url(&issuer)).transpose()?,
            params: params(table)?,
            redirect: text(table, "redirect")?.map(|url| redirect_url(&url)).transpose()?,
            resource,
            scopes: text(table, "scope")?.as_deref().map(scopes).unwrap_or_default(),
        };
        if settings.client_secret.is_some() && settings.client_id.is_none() {
            return Err("`client_secret` belongs to a `client_id`".to_owned());
        }
        Ok(settings)
    }
}

/// The scopes in a text, which are separated by spaces.
pub(super) fn scopes(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Whether the host of an address is this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Whether credentials may be sent to an address, and a browser may open it: over TLS, or on this machine.
pub(super) fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)
}

fn issuer_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok().filter(|url| is_safe(url) && url.query().is_none());
    url.ok_or_else(|| "`issuer`: expected an address such as https://login.example".to_owned())
}

fn redirect_url(text: &str) -> Result<Url, String> {
    let is_ours = |url: &Url| {
        url.scheme() == "http"
            && is_loopback(url)
            && url.port().is_some()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    Url::parse(text).ok().filter(is_ours).ok_or_else(|| {
        "`redirect`: expected an address of this machine with a port, such as http://localhost:3118/callback"
            .to_owned()
    })
}

fn params(table: &Map<String, Value>) -> Result<BTreeMap<String, String>, String> {
    let expected = || "`params`: expected a table of texts".to_owned();
    let Some(params) = table.get("params") else { return Ok(BTreeMap::new()) };
    let params = params.as_object().ok_or_else(expected)?;
    let param = |(name, value): (&String, &Value)| {
        Ok((name.clone(), value.as_str().ok_or_else(expected)?.to_owned()))
    };
    params.iter().map(param).collect()
}

fn text(table: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}`: expected a text")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_mistake_is_told_and_no_value_is_repeated() {
        for (value, said) in [
            (json!("yes"), "expected true, or a table"),
            (json!({ "secret": "s3cret" }), "unknown key `secret`"),
            (json!({ "client_id": "a", "client_secret": "s3cret" }), "`client_secret`: expected {"),
            (json!({ "client_secret": { "env": "A" } }), "belongs to a `client_id`"),
            (json!({ "issuer": "http://login.example" }), "`issuer`: expected an address"),
            (json!({ "issuer": "javascript:alert(1)" }), "`issuer`: expected an address"),
            (json!({ "redirect": "https://example.org/callback" }), "`redirect`: expected an"),
            (json!({ "redirect": "http://127.0.0.1/callback" }), "with a port"),
            (json!({ "params": { "a": 1 } }), "`params`: expected a table of texts"),
            (json!({ "resource": true }), "`resource`: expected a text"),
            (json!({ "scope": " " }), "`scope`: expected a text"),
        ] {
            let why = LoginSettings::parse(&value).unwrap_err();
            assert!(why.contains(said) && !why.contains("s3cret"), "{value}: {why}");
        }
    }

    #[test]
    fn a_switch_and_a_table_are_read() {
        assert!(LoginSettings::parse(&json!(false)).unwrap().is_none());
        let plain = LoginSettings::parse(&json!(true)).unwrap().unwrap();
        assert_eq!(plain.resource, ResourceSetting::Discovered);
        let table =
            json!({ "resource": false, "scope": "a  b", "redirect": "http://localhost:1/c" });
        let table = LoginSettings::parse(&table).unwrap().unwrap();
        assert_eq!(table.resource, ResourceSetting::Omitted);
        assert_eq!(table.scopes, ["a", "b"]);
    }
}
