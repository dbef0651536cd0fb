//! A foreign server on bare rmcp. It lists one tool per page, adds one with each call of `grow`, and sends
//! `list_changed`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};

struct Growing(AtomicUsize);

impl ServerHandler for Growing {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        ServerConfig::new(tools.build())
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor).unwrap_or_default();
        let at: usize = cursor.parse().unwrap_or_default();
        let name = if at == 0 { "grow".to_owned() } else { format!("leaf_{at}") };
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), "object".into());
        let tool = Tool::new(name, "A tool.", Arc::new(schema));
        let mut result = ListToolsResult::with_all_items(vec![tool]);
        let next = at + 1;
        result.next_cursor = (next < self.0.load(Ordering::SeqCst)).then(|| next.to_string());
        Ok(result)
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.fetch_add(1, Ordering::SeqCst);
        // The client may have disconnected.
        let _ = context.peer.notify_tool_list_changed().await;
        Ok(CallToolResult::success(vec![ContentBlock::text("It grew.")]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Growing(AtomicUsize::new(3)).serve(rmcp::transport::stdio_pipes()).await?.waiting().await?;
    Ok(())
}
