//! `/.well-known/oauth-protected-resource`: names the authorization server that issues tokens for this
//! server, after [RFC 9728].
//!
//! [RFC 9728]: https://www.rfc-editor.org/rfc/rfc9728

use axum::Router;
use axum::response::IntoResponse as _;
use axum::routing::get;
use serde::Serialize;

use crate::identity::ResourceServer;
use toolwrit_core::json::written::to_json_text;

/// The name below `/.well-known/`.
pub(super) const NAME: &str = "oauth-protected-resource";

#[derive(Serialize)]
struct ResourceMetadata<'a> {
    resource: &'a str,
    authorization_servers: [&'a str; 1],
    scopes_supported: Vec<&'a str>,
    bearer_methods_supported: [&'a str; 1],
    resource_name: &'a str,
}

/// Serves the document under its bare name, and with the path of the resource or of a surface appended.
pub(super) fn router(oauth: &ResourceServer, name: &str) -> Router {
    let metadata = ResourceMetadata {
        resource: oauth.audience().as_str(),
        authorization_servers: [oauth.issuer().as_str()],
        scopes_supported: oauth.scopes().collect(),
        bearer_methods_supported: ["header"],
        resource_name: name,
    };
    let document = to_json_text(&metadata);
    let json = [("content-type", "application/json"), ("cache-control", "max-age=3600")];
    let answer = get(async move || (json, document).into_response());
    let path = format!("/.well-known/{NAME}");
    Router::new().route(&path, answer.clone()).route(&format!("{path}/{{*resource}}"), answer)
}
