//! Lists the tools of an upstream.

use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ListToolsRequest, ServerResult};
use rmcp::service::Peer;

use super::{Tool, ToolList};
use crate::pages::{List, ListError};
use crate::whole::WholeList;

static TOOLS: List = List {
    method: "tools/list",
    key: "tools",
    items: "tools",
    request: |params| {
        ClientRequest::ListToolsRequest(ListToolsRequest {
            params: Some(params),
            ..ListToolsRequest::default()
        })
    },
    is_page: |result| matches!(result, ServerResult::ListToolsResult(_)),
};

/// Requests all pages. An upstream without the capability has no tools.
pub(crate) async fn list(
    peer: &Peer<RoleClient>,
    whole: &WholeList,
) -> Result<ToolList, ListError> {
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(ToolList::default());
    }
    Ok(ToolList::new(TOOLS.all(peer, Some(whole)).await?.into_iter().filter_map(Tool::new)))
}
