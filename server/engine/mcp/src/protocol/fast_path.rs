//! Runs tool calls without rmcp's message loop. The loop needs tasks and channels for every message, and over
//! HTTP a complete service for every request. These cost more than most calls.
//!
//! On the fast path each call is one task. Over standard streams, reading stops while too many calls have not begun.
//! Calls that wait for an answer of the client are refused above a limit, because the server must continue to read
//! those answers. Unusual calls, and over HTTP also progress and log messages, go through rmcp.

use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientRequest, Extensions,
    Implementation, InitializeRequestParams, JsonRpcMessage, ProtocolVersion, Request, RequestId,
    RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, RequestContext, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use super::error::broken_off;
use super::{McpServer, STATELESS, tool};
use crate::endpoint::ToolAnswer;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::json::unique::Repeated;
use toolwrit_text::numbers::WrittenNumbers;

/// A parsed `tools/call` request.
#[derive(Debug)]
pub struct ToolCall {
    /// The JSON-RPC id of the request.
    pub id: RequestId,
    /// The name and the arguments of the tool.
    pub params: CallToolRequestParams,
    /// `None` if the request had no `_meta`; rmcp distinguishes that from an empty one.
    pub(crate) meta: Option<RequestMetaObject>,
    /// A key that the arguments contain twice.
    pub(crate) repeated: Option<Repeated>,
    /// The numbers of the arguments as they were written.
    pub(crate) numbers: WrittenNumbers,
}

/// Where a client declares its name, version and capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientDeclaration {
    /// Outside the call: in `initialize`, or in an HTTP header.
    Outside,
    /// In the `_meta` of the call, as 2026-07-28 requires.
    Inside,
}

impl ClientDeclaration {
    /// Builds the response for a client with this declaration.
    fn message(self, response: CallToolResponse, id: RequestId) -> TxJsonRpcMessage<RoleServer> {
        let mut result = ServerResult::from(response);
        if self == Self::Outside {
            result.strip_result_type_for_legacy_peer();
        }
        JsonRpcMessage::response(result, id)
    }
}

impl ToolCall {
    /// Returns where the client declares itself; `None` if the declaration in `_meta` is incomplete, or of
    /// another protocol version.
    pub fn setting(&self) -> Option<ClientDeclaration> {
        let Some(meta) = &self.meta else { return Some(ClientDeclaration::Outside) };
        match meta.protocol_version() {
            None => Some(ClientDeclaration::Outside),
            Some(revision) => {
                let is_complete = meta.missing_required_keys(&STATELESS).is_empty();
                (revision == STATELESS && is_complete).then_some(ClientDeclaration::Inside)
            }
        }
    }

    /// Whether the client wants no notifications before the answer.
    pub fn wants_only_an_answer(&self) -> bool {
        self.meta
            .as_ref()
            .is_none_or(|meta| meta.get_progress_token().is_none() && meta.log_level().is_none())
    }

    /// Returns the request as a message for rmcp.
    pub fn into_message(self) -> RxJsonRpcMessage<RoleServer> {
        let Self { id, params, meta, repeated, numbers } = self;
        let mut request = Request::new(params);
        if let Some(repeated) = repeated {
            request.extensions.insert(repeated);
        }
        request.extensions.insert(numbers);
        if let Some(meta) = meta {
            request.extensions.insert(meta);
        }
        JsonRpcMessage::request(ClientRequest::CallToolRequest(request), id)
    }
}

/// A server, and its connection to one client. Cheap to clone.
#[derive(Clone)]
pub struct FastPath {
    server: McpServer,
    peer: Peer<RoleServer>,
}

impl FastPath {
    pub(crate) fn new(server: McpServer, peer: Peer<RoleServer>) -> Self {
        Self { server, peer }
    }

    /// Creates the fast path for requests without a session. The server can send their clients only answers.
    pub fn alone(server: &McpServer) -> Self {
        let unknown_client =
            InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
                .with_protocol_version(ProtocolVersion::V_2025_03_26);
        let running = serve_directly(server.for_client(false), Nowhere, Some(unknown_client));
        Self::new(server.for_client(false), running.peer().clone())
    }

    /// Whether the fast path can answer calls with this declaration. rmcp must check and answer other calls.
    pub(crate) fn accepts(&self, setting: ClientDeclaration) -> bool {
        let is_initialized =
            || self.peer.peer_info().is_some_and(|info| info.protocol_version < STATELESS);
        setting == ClientDeclaration::Inside || is_initialized()
    }

    /// Returns the answer to a call that exceeds the limit of calls in flight.
    pub(crate) fn refuse(
        id: RequestId,
        setting: ClientDeclaration,
    ) -> TxJsonRpcMessage<RoleServer> {
        let fault = Fault::new(Code::LimitExceeded, "Too many calls have no answer yet.")
            .retry_after(1.0)
            .hinting("Nothing was done. Wait, then send the same call; send fewer at once.");
        let result = tool::result(ToolAnswer::failure(&fault));
        setting.message(CallToolResponse::from(result), id)
    }

    /// Runs a call, and returns its answer. `extensions` hold what the transport knows about the request.
    pub fn answer(
        &self,
        call: ToolCall,
        setting: ClientDeclaration,
        mut extensions: Extensions,
        cancellation: CancellationToken,
    ) -> impl Future<Output = TxJsonRpcMessage<RoleServer>> + Send + use<> {
        let ToolCall { id, params, meta, repeated, numbers } = call;
        if let Some(repeated) = repeated {
            extensions.insert(repeated);
        }
        extensions.insert(numbers);
        let mut cx = RequestContext::new(id.clone(), self.peer.clone());
        (cx.ct, cx.meta, cx.extensions) = (cancellation, meta.unwrap_or_default(), extensions);
        let server = self.server.clone();
        let answer = async move { server.answer_call(params, cx).await };
        AssertUnwindSafe(answer).catch_unwind().map(move |answer| match answer {
            Ok(Ok(response)) => setting.message(response, id),
            Ok(Err(error)) => JsonRpcMessage::error(error, Some(id)),
            Err(_) => JsonRpcMessage::error(broken_off(), Some(id)),
        })
    }
}

/// A closed transport, whose peer receives no messages.
struct Nowhere;

impl Transport<RoleServer> for Nowhere {
    type Error = Infallible;

    fn send(
        &mut self,
        _: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        None
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
