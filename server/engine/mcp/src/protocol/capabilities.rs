//! The capabilities that a server declares: only those that this caller can use.

use rmcp::model::{JsonObject, PromptsCapability, ResourcesCapability, ServerCapabilities};

use crate::endpoint::Endpoint;
use toolwrit_core::authority::Served;

/// Declares tools always, and everything else only if the endpoint has some of it.
pub(super) fn capabilities(
    endpoint: &Endpoint,
    logging: bool,
    has_tasks: bool,
    lists_change: bool,
) -> ServerCapabilities {
    let tools = ServerCapabilities::builder().enable_tools();
    let mut capabilities = if has_tasks { tools.enable_tasks().build() } else { tools.build() };
    let list_changed = lists_change.then_some(true);
    if let Some(tools) = &mut capabilities.tools {
        tools.list_changed = list_changed;
    }
    // Providers may offer their first resources and prompts later.
    if endpoint.serves(|served| matches!(served, Served::Resource(_))) {
        let mut resources = ResourcesCapability::default();
        resources.subscribe = endpoint.announces_updates().then_some(true);
        resources.list_changed = list_changed;
        capabilities.resources = Some(resources);
    }
    if endpoint.serves(|served| matches!(served, Served::Prompt(_))) {
        let mut prompts = PromptsCapability::default();
        prompts.list_changed = list_changed;
        capabilities.prompts = Some(prompts);
    }
    capabilities.completions = endpoint.completes().then(JsonObject::new);
    capabilities.logging = logging.then(JsonObject::new);
    capabilities
}

/// Removes the capabilities that need a session before 2026-07-28.
pub(super) fn without_session(capabilities: &mut ServerCapabilities) {
    capabilities.logging = None;
    if let Some(resources) = &mut capabilities.resources {
        resources.subscribe = None;
        resources.list_changed = None;
    }
    if let Some(tools) = &mut capabilities.tools {
        tools.list_changed = None;
    }
    if let Some(prompts) = &mut capabilities.prompts {
        prompts.list_changed = None;
    }
}

/// Whether clients can subscribe to updates of resources.
pub(super) fn supports_updates(capabilities: &ServerCapabilities) -> bool {
    let resources = capabilities.resources.as_ref();
    resources.and_then(|resources| resources.subscribe).unwrap_or_default()
}

/// Whether `subscriptions/listen` can send any notification.
pub(super) fn supports_listen(capabilities: &ServerCapabilities) -> bool {
    let tools = capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
    supports_updates(capabilities) || tools.unwrap_or_default()
}

/// Whether the server serves this method, for stateless requests or for those of a session.
pub(super) fn serve(capabilities: &ServerCapabilities, method: &str, is_stateless: bool) -> bool {
    match method {
        "server/discover" | "tools/list" | "tools/call" => true,
        "initialize" | "ping" => !is_stateless,
        "logging/setLevel" => !is_stateless && capabilities.logging.is_some(),
        "resources/list" | "resources/templates/list" | "resources/read" => {
            capabilities.resources.is_some()
        }
        "resources/subscribe" | "resources/unsubscribe" => {
            !is_stateless && supports_updates(capabilities)
        }
        "subscriptions/listen" => is_stateless && supports_listen(capabilities),
        "prompts/list" | "prompts/get" => capabilities.prompts.is_some(),
        "tasks/get" | "tasks/update" | "tasks/cancel" => capabilities.supports_tasks(),
        "completion/complete" => capabilities.completions.is_some(),
        _ => false,
    }
}
