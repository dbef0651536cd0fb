//! Finds the authorization server of an upstream: RFC 9728, RFC 8414 and `OpenID` Connect Discovery.

use std::error::Error;
use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource,
    OAuthClientConfig,
};
use serde_json::Value;
use toolwrit_text::shorten::visible_line;

use super::LoginTarget;
use super::settings::{ResourceSetting, is_safe};

/// What an upstream and its authorization server say about logins.
pub(super) struct Discovered {
    pub(super) metadata: AuthorizationMetadata,
    pub(super) issuer: String,
    /// Where the user logs in.
    pub(super) authorization: Url,
    /// The value of the parameter `resource`, if it is sent.
    pub(super) resource: Option<String>,
    /// The scopes to ask for.
    pub(super) scopes: Vec<String>,
}

impl Discovered {
    /// Whether answers name the issuer (RFC 9207).
    pub(super) fn names_issuer(&self) -> bool {
        let name = "authorization_response_iss_parameter_supported";
        self.metadata.additional_fields.get(name) == Some(&Value::Bool(true))
    }
}

/// Asks the upstream, and then its authorization server.
///
/// # Errors
/// Why a login is not possible, as a sentence.
pub(super) async fn discover(target: &LoginTarget) -> Result<Discovered, String> {
    let settings = &target.settings;
    let url = Url::parse(&target.url).map_err(|error| format!("The address is wrong: {error}."))?;
    for base in bases(&url, settings.issuer.as_ref()) {
        let http = Arc::new(target.http());
        let manager = AuthorizationManager::new_with_oauth_http_client(base.clone(), http);
        let mut manager = manager.await.map_err(|error| sentence(&error))?;
        let found = manager.resolve_metadata().await.map_err(|error| sentence(&error))?;
        // Without metadata, rmcp invents addresses on the server, as the first version of MCP did.
        if !found.source.is_discovered() {
            continue;
        }
        let metadata = found.metadata;
        check_methods(&metadata)?;
        let authorization = endpoint("authorization_endpoint", &metadata.authorization_endpoint)?;
        endpoint("token_endpoint", &metadata.token_endpoint)?;
        manager.set_metadata(metadata.clone());
        let scopes = match &settings.scopes {
            scopes if scopes.is_empty() => manager.select_initial_scopes(&[]).await,
            scopes => scopes.clone(),
        };
        let is_told = found.source == AuthorizationMetadataSource::ProtectedResourceMetadata;
        let resource = match &settings.resource {
            ResourceSetting::Omitted => None,
            ResourceSetting::Text(text) => Some(text.clone()),
            ResourceSetting::Discovered if is_told => Some(told_resource(&mut manager).await?),
            // As the operator wrote it: servers compare it as a text.
            ResourceSetting::Discovered => Some(target.url.clone()),
        };
        let issuer = metadata.issuer.clone().unwrap_or_else(|| base.to_string());
        return Ok(Discovered { metadata, issuer, authorization, resource, scopes });
    }
    Err(format!(
        "{} says nothing about logins: neither it nor its host has metadata of an authorization server. `login = {{ issuer = \
         \"https://..\" }}` names one.",
        url.host_str().unwrap_or_default()
    ))
}

/// Where metadata are looked for. Those of `OpenID` Connect may be at the host of an address with a path, where rmcp does not
/// look for them.
fn bases(url: &Url, issuer: Option<&Url>) -> Vec<Url> {
    let mut host = url.clone();
    host.set_path("");
    host.set_query(None);
    match issuer {
        Some(issuer) => vec![issuer.clone()],
        None if *url == host => vec![host],
        None => vec![url.clone(), host],
    }
}

/// The `resource` of the metadata of the upstream, which rmcp tells in an address only.
async fn told_resource(manager: &mut AuthorizationManager) -> Result<String, String> {
    let client = OAuthClientConfig::new("client", "http://127.0.0.1/");
    manager.configure_client(client).map_err(|error| sentence(&error))?;
    let address = manager.get_authorization_url(&[]).await.map_err(|error| sentence(&error))?;
    let address = Url::parse(&address).map_err(|error| format!("An address is wrong: {error}."))?;
    let resource = address.query_pairs().find(|(name, _)| name == "resource");
    Ok(resource.map(|(_, value)| value.into_owned()).unwrap_or_default())
}

/// An address that the metadata name.
pub(super) fn endpoint(name: &str, text: &str) -> Result<Url, String> {
    Url::parse(text).ok().filter(is_safe).ok_or_else(|| {
        let name = format!("`{name}` in the metadata of the authorization server");
        format!("{name} is not an https address, so nothing was sent to it.")
    })
}

/// An address that the metadata may name.
pub(super) fn further_endpoint(
    metadata: &AuthorizationMetadata,
    name: &str,
) -> Result<Option<Url>, String> {
    let text = metadata.additional_fields.get(name).and_then(Value::as_str);
    text.map(|text| endpoint(name, text)).transpose()
}

/// Refuses a server that cannot do what every login needs.
fn check_methods(metadata: &AuthorizationMetadata) -> Result<(), String> {
    let lacks = |list: &Option<Vec<String>>, needed: &str| {
        list.as_ref().is_some_and(|list| list.iter().all(|known| known != needed))
    };
    if lacks(&metadata.code_challenge_methods_supported, "S256") {
        return Err("The authorization server does not support PKCE with S256.".to_owned());
    }
    if lacks(&metadata.response_types_supported, "code") {
        return Err("The authorization server does not issue authorization codes.".to_owned());
    }
    Ok(())
}

/// An error with its innermost cause, as a sentence.
fn sentence(error: &AuthError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        source = cause.source();
        if source.is_none() {
            text = format!("{text}: {cause}");
        }
    }
    format!("{}.", visible_line(text.trim_end_matches('.'), 500))
}
