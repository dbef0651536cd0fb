//! The connection to a server: its start, its requests, and notifications of changed tools.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, Implementation,
    ListToolsRequest, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerResult,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, PeerRequestOptions,
    RunningService,
};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};
use toolwrit_text::shorten;

use super::error::ClientError;

/// How to begin a connection. Protocol versions before 2026-07-28 have a handshake; 2026-07-28 has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Era {
    /// Begins with what the server supports.
    #[default]
    Any,
    /// Begins with `initialize`.
    Initialize,
    /// Begins without a handshake, as in 2026-07-28.
    Stateless,
}

impl Era {
    fn lifecycle(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match self {
            Era::Any => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
            Era::Initialize => ClientLifecycleMode::Initialize,
            Era::Stateless => ClientLifecycleMode::Discover { preferred_versions },
        }
    }
}

/// Receives notifications of the server.
#[derive(Debug, Clone, Default)]
struct ListListener {
    tools_changed: Arc<AtomicBool>,
}

impl ClientHandler for ListListener {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.client_info = Implementation::new("toolwrit", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.store(true, Ordering::Release);
    }
}

/// A connection to a server that has completed initialization.
#[derive(Debug)]
pub(super) struct Connection {
    service: RunningService<RoleClient, ListListener>,
    timeout: Duration,
}

impl Connection {
    pub(super) async fn spawn(
        command: Command,
        era: Era,
        timeout: Duration,
    ) -> Result<Self, ClientError> {
        let command = tokio::process::Command::from(command);
        let transport = TokioChildProcess::new(command).map_err(ClientError::Start)?;
        Self::begin(transport, era, timeout).await
    }

    pub(super) async fn http(
        address: &str,
        token: Option<&str>,
        era: Era,
        timeout: Duration,
    ) -> Result<Self, ClientError> {
        // The HTTP client uses the process's default provider. If the program has installed one, it stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = StreamableHttpClientTransportConfig::with_uri(address);
        let config = match token {
            Some(token) => config.auth_header(token),
            None => config,
        };
        Self::begin(StreamableHttpClientTransport::from_config(config), era, timeout).await
    }

    async fn begin<T, E, A>(transport: T, era: Era, timeout: Duration) -> Result<Self, ClientError>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let begun = ListListener::default().serve_with_lifecycle(transport, era.lifecycle());
        let begun = tokio::time::timeout(timeout, begun).await;
        let service = begun.map_err(|_| ClientError::Timeout(timeout))??;
        Ok(Self { service, timeout })
    }

    /// Whether the server has announced changed tools since the last call of this function.
    pub(super) fn take_tools_changed(&self) -> bool {
        self.service.service().tools_changed.swap(false, Ordering::AcqRel)
    }

    /// Requests one page of `tools/list`.
    pub(super) async fn list_tools(
        &self,
        cursor: Option<String>,
    ) -> Result<ListToolsResult, ClientError> {
        const METHOD: &str = "tools/list";
        let params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        let request = ListToolsRequest { params, ..ListToolsRequest::default() };
        match self.request(METHOD, ClientRequest::ListToolsRequest(request)).await? {
            ServerResult::ListToolsResult(result) => Ok(result),
            other => Err(unexpected_result(METHOD, &other)),
        }
    }

    /// Requests `tools/call`. Returns the result as JSON of MCP.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, ClientError> {
        const METHOD: &str = "tools/call";
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match self.request(METHOD, request).await? {
            ServerResult::CallToolResult(result) => serde_json::to_value(result).map_err(|error| {
                ClientError::Request { method: METHOD, reason: error.to_string() }
            }),
            other => Err(unexpected_result(METHOD, &other)),
        }
    }

    async fn request(
        &self,
        method: &'static str,
        request: ClientRequest,
    ) -> Result<ServerResult, ClientError> {
        let options = PeerRequestOptions::with_timeout(self.timeout);
        let sent = self.service.send_cancellable_request(request, options).await;
        let answer = match sent {
            Ok(handle) => handle.await_response().await,
            Err(error) => Err(error),
        };
        answer.map_err(|error| ClientError::request(method, &error))
    }

    pub(super) async fn close(self) {
        // The connection is closed even if this returns an error.
        let _ = self.service.cancel().await;
    }
}

fn unexpected_result(method: &'static str, result: &ServerResult) -> ClientError {
    #[expect(
        clippy::expect_used,
        reason = "a result that was read from JSON can be written as JSON"
    )]
    let text = serde_json::to_string(result).expect("the result can be written");
    let start = shorten::start(&text, 200);
    ClientError::Request { method, reason: format!("unexpected result {start}") }
}
