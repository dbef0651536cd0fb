//! Tool calls without the SDK's message loop. That takes tasks and channels for every message, and over
//! HTTP a whole service for every request, which together cost more than most calls.

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
use crate::endpoint::Answer;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::unique::Repeated;

/// A request of `tools/call`, as it was read.
#[derive(Debug)]
pub struct ToolCall {
    /// What the client calls the request.
    pub id: RequestId,
    /// What is called, and with which arguments.
    pub params: CallToolRequestParams,
    /// None where it has none, which rmcp tells from an empty one.
    pub(crate) meta: Option<RequestMetaObject>,
    /// A key that is there twice in its arguments.
    pub(crate) repeated: Option<Repeated>,
}

/// Where a call says what its client is and can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientDeclaration {
    /// Nowhere: it was settled before, or by a header.
    Outside,
    /// In its `_meta`, where the revision of 2026-07-28 wants it.
    Inside,
}

impl ClientDeclaration {
    /// An answer for a client of this setting.
    fn message(self, response: CallToolResponse, id: RequestId) -> TxJsonRpcMessage<RoleServer> {
        let mut result = ServerResult::from(response);
        if self == Self::Outside {
            result.strip_result_type_for_legacy_peer();
        }
        JsonRpcMessage::response(result, id)
    }
}

impl ToolCall {
    /// None when what the call says about its client is incomplete, or of another revision.
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

    /// Whether nothing is to be sent before the answer.
    pub fn wants_only_an_answer(&self) -> bool {
        self.meta
            .as_ref()
            .is_none_or(|meta| meta.get_progress_token().is_none() && meta.log_level().is_none())
    }

    /// The request as rmcp reads it.
    pub fn into_message(self) -> RxJsonRpcMessage<RoleServer> {
        let Self { id, params, meta, repeated } = self;
        let mut request = Request::new(params);
        if let Some(repeated) = repeated {
            request.extensions.insert(repeated);
        }
        if let Some(meta) = meta {
            request.extensions.insert(meta);
        }
        JsonRpcMessage::request(ClientRequest::CallToolRequest(request), id)
    }
}

/// A server, and the way to one client. Cheap to clone.
#[derive(Clone)]
pub struct FastPath {
    server: McpServer,
    peer: Peer<RoleServer>,
}

impl FastPath {
    pub(crate) fn new(server: McpServer, peer: Peer<RoleServer>) -> Self {
        Self { server, peer }
    }

    /// For requests that stand alone, so that the server can send their client nothing but answers.
    pub fn alone(server: &McpServer) -> Self {
        let nobody =
            InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
                .with_protocol_version(ProtocolVersion::V_2025_03_26);
        let running = serve_directly(server.for_client(false), Nowhere, Some(nobody));
        Self::new(server.for_client(false), running.peer().clone())
    }

    /// Whether calls of this setting need none of what the SDK checks. Those that do are the SDK's.
    pub(crate) fn takes(&self, setting: ClientDeclaration) -> bool {
        let settled =
            || self.peer.peer_info().is_some_and(|info| info.protocol_version < STATELESS);
        setting == ClientDeclaration::Inside || settled()
    }

    /// The answer to a call for which there is no room.
    pub(crate) fn refuse(
        id: RequestId,
        setting: ClientDeclaration,
    ) -> TxJsonRpcMessage<RoleServer> {
        let fault = Fault::new(Code::LimitExceeded, "Too many calls have no answer yet.")
            .retry_after(1.0)
            .hinting("Nothing was done. Wait, then send the same call; send fewer at once.");
        let result = tool::result(Answer::failure(&fault));
        setting.message(CallToolResponse::from(result), id)
    }

    /// The answer to a call of this setting, which begins when this is polled. `extensions` hold what the
    /// transport knows of the request.
    pub fn answer(
        &self,
        call: ToolCall,
        setting: ClientDeclaration,
        mut extensions: Extensions,
        cancellation: CancellationToken,
    ) -> impl Future<Output = TxJsonRpcMessage<RoleServer>> + Send + use<> {
        let ToolCall { id, params, meta, repeated } = call;
        if let Some(repeated) = repeated {
            extensions.insert(repeated);
        }
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

/// A transport that has ended: what is behind it has a peer that can be told nothing.
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
