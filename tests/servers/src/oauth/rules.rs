//! What a server demands, and what it does in its own way.

use serde_json::{Value, json};

use crate::forms::encoded;

/// What a server does in its own way.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The path of the MCP server; its authorization server is at the same host.
    pub path: &'static str,
    /// Where the metadata of the MCP server are (RFC 9728), if there are any.
    pub resource_metadata: Option<&'static str>,
    /// Where the metadata of the authorization server are, if there are any.
    pub metadata: Option<&'static str>,
    /// The path of the issuer.
    pub issuer: &'static str,
    /// Where tokens are issued; `/moved` redirects to `/token`.
    pub token: &'static str,
    /// What replaces parts of the metadata.
    pub amended: Value,
    /// Whether it registers clients.
    pub registers: bool,
    /// Whether clients have a secret, and how it is sent.
    pub authentication: &'static str,
    /// Whether it issues refresh tokens.
    pub renews: bool,
    /// How long an access token is valid, in seconds.
    pub lifetime: u64,
    /// What is added to the answer of a login: `iss`, or an error in place of a code.
    pub answer: fn(&str) -> String,
    /// The answer to each refresh, if it is none with tokens.
    pub refuses_refresh: Option<(u16, &'static str)>,
    /// Whether requests for tokens have the parameter `resource`, and no others are answered.
    pub wants_resource: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            path: "/mcp",
            resource_metadata: Some("/.well-known/oauth-protected-resource/mcp"),
            metadata: Some("/.well-known/oauth-authorization-server/tenant"),
            issuer: "/tenant",
            token: "/token",
            amended: json!({}),
            registers: true,
            authentication: "client_secret_post",
            renews: true,
            lifetime: 3600,
            answer: |issuer| format!("&iss={}", encoded(issuer)),
            refuses_refresh: None,
            wants_resource: true,
        }
    }
}
