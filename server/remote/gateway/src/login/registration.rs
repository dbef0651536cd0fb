//! Registers a client (RFC 7591).

use oauth2::http::Request;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use rmcp::transport::auth::AuthorizationMetadata;
use serde::Deserialize;
use serde_json::{Value, json};
use toolwrit_text::shorten::visible_line;

use super::discovery::endpoint;
use super::http::Http;
use super::kept::Kept;
use super::store::{Authentication, Client, Origin};

/// The name that users read where they log in.
const CLIENT_NAME: &str = "Toolwrit";
/// Length limit of what a server says, in characters.
const MAX_SAID: usize = 300;

/// What a server says about a new client.
#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<String>,
    /// 0 if it does not expire.
    client_secret_expires_at: Option<u64>,
    token_endpoint_auth_method: Option<String>,
}

/// Registers a client for a redirect and scopes. rmcp registers clients, too, but drops when their secrets expire.
///
/// # Errors
/// Why there is none, as a sentence.
pub(super) async fn register(
    http: &Http,
    metadata: &AuthorizationMetadata,
    (upstream, redirect): (&str, &str),
    scopes: &[String],
) -> Result<Client, String> {
    let address = metadata.registration_endpoint.as_deref().ok_or_else(|| {
        format!(
            "The authorization server registers no clients. Register one there by hand, and set `client_id` in `login` of \
             [upstreams.{upstream}]."
        )
    })?;
    let address = endpoint("registration_endpoint", address)?;
    let mut body = json!({
        "client_name": CLIENT_NAME,
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": preferred(metadata),
        "application_type": "native",
    });
    if !scopes.is_empty() {
        body["scope"] = scopes.join(" ").into();
    }
    let request = Request::post(address.as_str())
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json")
        .body(body.to_string().into_bytes())
        .map_err(|error| format!("{error}."))?;
    let answer = http.send(request).await.map_err(|error| {
        format!("The authorization server cannot be reached for a registration: {error}.")
    })?;
    if !answer.status().is_success() {
        let status = answer.status().as_u16();
        return Err(match said(answer.body()) {
            Some(said) => format!("The authorization server registers no client: {said}."),
            None => format!("The authorization server answers a registration with {status}."),
        });
    }
    let registered: Registered = serde_json::from_slice(answer.body()).map_err(|_| {
        "The authorization server answers a registration with something else.".to_owned()
    })?;
    let secret = registered.client_secret.filter(|secret| !secret.is_empty());
    let authentication = match registered.token_endpoint_auth_method.as_deref() {
        Some("none") => Authentication::None,
        Some("client_secret_post") => Authentication::ClientSecretPost,
        Some("client_secret_basic") => Authentication::ClientSecretBasic,
        _ if secret.is_none() => Authentication::None,
        _ => with_secret(metadata),
    };
    let secret = match secret.filter(|_| authentication != Authentication::None) {
        Some(secret) => Some(Kept::keep(format!("{upstream} client"), secret).await),
        None => None,
    };
    Ok(Client {
        id: registered.client_id,
        secret,
        secret_expires_at: registered.client_secret_expires_at.filter(|at| *at > 0),
        authentication,
        redirect: redirect.to_owned(),
        how: Origin::Registered,
    })
}

/// How a client with a secret says who it is: as the server supports it.
pub(super) fn with_secret(metadata: &AuthorizationMetadata) -> Authentication {
    let is_supported = |method| methods(metadata).any(|known| known == method);
    if is_supported("client_secret_post") && !is_supported("client_secret_basic") {
        Authentication::ClientSecretPost
    } else {
        Authentication::ClientSecretBasic
    }
}

/// How a new client shall say who it is. A secret on a user's machine protects little, so that it has none if the server
/// allows it.
fn preferred(metadata: &AuthorizationMetadata) -> Authentication {
    if methods(metadata).next().is_none() || methods(metadata).any(|known| known == "none") {
        Authentication::None
    } else {
        with_secret(metadata)
    }
}

/// The ways that the server supports.
fn methods(metadata: &AuthorizationMetadata) -> impl Iterator<Item = &str> {
    let methods = metadata.additional_fields.get("token_endpoint_auth_methods_supported");
    methods.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The error in an answer.
fn said(body: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let code = answer["error"].as_str()?;
    let more = answer["error_description"].as_str();
    let text = more.map_or_else(|| code.to_owned(), |more| format!("{code} ({more})"));
    Some(visible_line(text.trim_end_matches('.'), MAX_SAID))
}
