//! The resources and prompts that an upstream lists. Their texts are data of the upstream: they are short, and hidden
//! characters are escaped.

use std::collections::HashSet;

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ServerResult,
};
use rmcp::service::Peer;
use serde_json::{Map, Value};

use crate::pages::{List, ListError};
use crate::tools::MAX_NAME;
use toolwrit_text::shorten::visible_line;
use toolwrit_words::{OfferedArgument, OfferedPrompt, OfferedResource};

/// Length limit of a URI, in characters.
const MAX_URI: usize = 1000;
/// Length limit of a text, in characters.
const MAX_TEXT: usize = 1000;

static RESOURCES: List = List {
    method: "resources/list",
    key: "resources",
    items: "resources",
    request: |params| {
        ClientRequest::ListResourcesRequest(ListResourcesRequest {
            params: Some(params),
            ..ListResourcesRequest::default()
        })
    },
    is_page: |result| matches!(result, ServerResult::ListResourcesResult(_)),
};

static TEMPLATES: List = List {
    method: "resources/templates/list",
    key: "resourceTemplates",
    items: "resource templates",
    request: |params| {
        ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest {
            params: Some(params),
            ..ListResourceTemplatesRequest::default()
        })
    },
    is_page: |result| matches!(result, ServerResult::ListResourceTemplatesResult(_)),
};

static PROMPTS: List = List {
    method: "prompts/list",
    key: "prompts",
    items: "prompts",
    request: |params| {
        ClientRequest::ListPromptsRequest(ListPromptsRequest {
            params: Some(params),
            ..ListPromptsRequest::default()
        })
    },
    is_page: |result| matches!(result, ServerResult::ListPromptsResult(_)),
};

/// Returns the resources and templates of an upstream. One that cannot be named as it is, or is listed twice, is left out.
pub(crate) async fn resources(peer: &Peer<RoleClient>) -> Result<Vec<OfferedResource>, ListError> {
    let capabilities = peer.peer_info().and_then(|info| info.capabilities.resources.clone());
    if capabilities.is_none() {
        return Ok(Vec::new());
    }
    let mut listed: Vec<OfferedResource> =
        RESOURCES.all(peer, None).await?.iter().filter_map(|json| resource(json, "uri")).collect();
    // Not every upstream with resources has templates.
    let templates = TEMPLATES.all(peer, None).await.unwrap_or_default();
    listed.extend(templates.iter().filter_map(|json| resource(json, "uriTemplate")));
    let mut seen = HashSet::new();
    listed.retain(|resource| seen.insert(resource.uri.clone()));
    Ok(listed)
}

/// Returns the prompts of an upstream, in the same way.
pub(crate) async fn prompts(peer: &Peer<RoleClient>) -> Result<Vec<OfferedPrompt>, ListError> {
    if peer.peer_info().is_none_or(|info| info.capabilities.prompts.is_none()) {
        return Ok(Vec::new());
    }
    let mut listed: Vec<OfferedPrompt> =
        PROMPTS.all(peer, None).await?.iter().filter_map(prompt).collect();
    let mut seen = HashSet::new();
    listed.retain(|prompt| seen.insert(prompt.name.clone()));
    Ok(listed)
}

fn resource(json: &Map<String, Value>, key: &str) -> Option<OfferedResource> {
    let uri = plain(json, key, MAX_URI).filter(|uri| !uri.contains(' '))?;
    // A resource whose URI looks like a template would be read by other names, too.
    let is_template = key == "uriTemplate";
    if uri.contains(['{', '}']) != is_template || !has_scheme(&uri) {
        return None;
    }
    Some(OfferedResource {
        uri,
        name: text(json, "name").unwrap_or_default(),
        title: text(json, "title"),
        description: text(json, "description"),
        mime_type: plain(json, "mimeType", MAX_NAME),
    })
}

/// Whether a URI or template begins with a scheme. A template without one would be read by the names of all resources, also
/// those of others.
fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    })
}

fn prompt(json: &Map<String, Value>) -> Option<OfferedPrompt> {
    let arguments = json.get("arguments").and_then(Value::as_array);
    let arguments = arguments.into_iter().flatten().map(|argument| {
        let argument = argument.as_object()?;
        Some(OfferedArgument {
            name: plain(argument, "name", MAX_NAME)?,
            description: text(argument, "description"),
            required: argument.get("required") == Some(&Value::Bool(true)),
        })
    });
    Some(OfferedPrompt {
        name: plain(json, "name", MAX_NAME)?,
        title: text(json, "title"),
        description: text(json, "description"),
        arguments: arguments.collect::<Option<_>>()?,
    })
}

/// A text that is shown, and means nothing to the upstream.
fn text(json: &Map<String, Value>, key: &str) -> Option<String> {
    let text = visible_line(json.get(key)?.as_str()?, MAX_TEXT);
    (!text.is_empty()).then_some(text)
}

/// A text that the upstream must get back as it is, if that is one which can be shown.
fn plain(json: &Map<String, Value>, key: &str, most: usize) -> Option<String> {
    let text = json.get(key)?.as_str()?;
    (!text.is_empty() && visible_line(text, most) == text).then(|| text.to_owned())
}
