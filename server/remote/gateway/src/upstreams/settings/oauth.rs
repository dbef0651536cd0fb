//! The key `oauth`: an authorization server that issues access tokens for an upstream.

use serde_json::{Map, Value};
use toolwrit_bindings::{ClientGrant, ClientId, SecretSource, TokenServer};

const KEYS: [&str; 6] = ["audience", "client_id", "client_secret", "issuer", "scope", "token_url"];
const FORM: &str =
    "expected { issuer = \"https://..\", client_id = \"..\", client_secret = { env = \"NAME\" } }";

/// Reads the key. The upstream's address is added when its tokens are needed.
///
/// # Errors
/// What is wrong. No value is repeated, because it may be a secret.
pub(super) fn grant(value: &Value) -> Result<ClientGrant, String> {
    let table = value.as_object().ok_or(FORM)?;
    if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let keys = KEYS.join(", ");
        return Err(format!("unknown key `{unknown}`; expected one of: {keys}"));
    }
    let server = match (text(table, "issuer")?, text(table, "token_url")?) {
        (Some(issuer), None) => TokenServer::issuer(&issuer),
        (None, Some(url)) => TokenServer::token_url(&url),
        _ => return Err("expected one of `issuer` and `token_url`".to_owned()),
    };
    let server =
        server.ok_or("`issuer` or `token_url` is not an address, such as https://login.example")?;
    let client_id = match table.get("client_id") {
        Some(Value::String(text)) if !text.is_empty() => ClientId::Text(text.clone()),
        other => ClientId::Secret(
            other
                .and_then(SecretSource::parse)
                .ok_or("`client_id`: expected a text, or where it is")?,
        ),
    };
    let client_secret = table.get("client_secret").and_then(SecretSource::parse).ok_or(
        "`client_secret`: expected { env = \"NAME\" }, { file = \"PATH\" }, { keyring = \"SERVICE/USER\" } or { command = [..] }",
    )?;
    let (scope, audience) = (text(table, "scope")?, text(table, "audience")?);
    Ok(ClientGrant { server, client_id, client_secret, scope, audience, resource: None })
}

fn text(table: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}`: expected a text")),
    }
}
