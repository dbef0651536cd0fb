//! Requests all pages of `tools/list`.

use std::collections::HashSet;

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, ListToolsRequest, ListToolsResult, PaginatedRequestParams, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;

use super::{MAX_BYTES, MAX_PAGES, MAX_TOOLS, Tool, ToolList};

/// Why tools cannot be listed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    #[error("{0}")]
    Request(ServiceError),
    #[error("the answer to `tools/list` is not a list of tools")]
    Unexpected,
    #[error("a page comes again, so that the list does not end")]
    Endless,
    #[error("the list has more than {MAX_PAGES} pages")]
    Pages,
    #[error("the list has more than {MAX_TOOLS} tools")]
    Tools,
    #[error("the list is larger than {} MiB", MAX_BYTES / 1024 / 1024)]
    Bytes,
}

/// Requests all pages. An upstream without the capability has no tools.
pub(crate) async fn list(peer: &Peer<RoleClient>) -> Result<ToolList, ListError> {
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(ToolList::default());
    }
    let mut listed = Vec::new();
    let mut bytes = 0;
    let mut cursors = HashSet::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let page = page(peer, cursor).await?;
        for tool in page.tools {
            // A tool that was read from JSON can be written as JSON.
            let Ok(Value::Object(json)) = serde_json::to_value(tool) else { continue };
            bytes += serde_json::to_string(&json).map_or(0, |text| text.len());
            listed.extend(Tool::new(json));
        }
        if listed.len() > MAX_TOOLS {
            return Err(ListError::Tools);
        }
        if bytes > MAX_BYTES {
            return Err(ListError::Bytes);
        }
        match page.next_cursor {
            None => return Ok(ToolList::new(listed)),
            Some(next) if !cursors.insert(next.clone()) => return Err(ListError::Endless),
            next => cursor = next,
        }
    }
    Err(ListError::Pages)
}

async fn page(
    peer: &Peer<RoleClient>,
    cursor: Option<String>,
) -> Result<ListToolsResult, ListError> {
    let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
    let request = ListToolsRequest { params, ..ListToolsRequest::default() };
    let request = ClientRequest::ListToolsRequest(request);
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let answer = sent.map_err(ListError::Request)?.await_response().await;
    match answer.map_err(ListError::Request)? {
        ServerResult::ListToolsResult(page) => Ok(page),
        _ => Err(ListError::Unexpected),
    }
}
