//! Tool calls without the SDK's message loop. That takes tasks and channels for every message, and over
//! HTTP a whole service for every request, which together cost more than most calls.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::task::Poll;

use futures::FutureExt as _;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientRequest, ErrorData, Extensions,
    Implementation, InitializeRequestParams, JsonRpcMessage, ProtocolVersion, Request, RequestId,
    RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, RequestContext, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly};
use rmcp::transport::Transport;
use tokio_util::sync::{CancellationToken, ReusableBoxFuture};

use super::{STATELESS, Server};
use crate::unique::Repeated;

/// A request of `tools/call`, as it was read.
#[derive(Debug)]
pub(crate) struct ToolCall {
    pub(crate) id: RequestId,
    pub(crate) params: CallToolRequestParams,
    /// None where it has none, which rmcp tells from an empty one.
    pub(crate) meta: Option<RequestMetaObject>,
    /// A key that is there twice in its arguments.
    pub(crate) repeated: Option<Repeated>,
}

/// Where a call says what its client is and can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// Nowhere: it was settled before, or by a header.
    Outside,
    /// In its `_meta`, where the revision of 2026-07-28 wants it.
    Inside,
}

impl ToolCall {
    /// None when what the call says about its client is incomplete, or of another revision.
    pub(crate) fn setting(&self) -> Option<Setting> {
        let Some(meta) = &self.meta else { return Some(Setting::Outside) };
        match meta.protocol_version() {
            None => Some(Setting::Outside),
            Some(revision) => {
                let is_complete = meta.missing_required_keys(&STATELESS).is_empty();
                (revision == STATELESS && is_complete).then_some(Setting::Inside)
            }
        }
    }

    /// Whether nothing is to be sent before the answer.
    pub(crate) fn wants_only_an_answer(&self) -> bool {
        self.meta
            .as_ref()
            .is_none_or(|meta| meta.get_progress_token().is_none() && meta.log_level().is_none())
    }

    /// The same as the SDK has it.
    pub(crate) fn into_message(self) -> RxJsonRpcMessage<RoleServer> {
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
pub(crate) struct Direct {
    server: Server,
    peer: Peer<RoleServer>,
}

impl Direct {
    pub(crate) fn new(server: Server, peer: Peer<RoleServer>) -> Self {
        Self { server, peer }
    }

    /// For requests that stand alone, so that answers are the only way to whoever sends them.
    pub(crate) fn alone(server: &Server) -> Self {
        let nobody =
            InitializeRequestParams::new(ClientCapabilities::default(), Implementation::default())
                .with_protocol_version(ProtocolVersion::V_2025_03_26);
        let running = serve_directly(server.for_client(false), Nowhere, Some(nobody));
        Self::new(server.for_client(false), running.peer().clone())
    }

    /// Whether calls of this setting need none of what the SDK checks. Those that do are the SDK's.
    pub(crate) fn takes(&self, setting: Setting) -> bool {
        let settled =
            || self.peer.peer_info().is_some_and(|info| info.protocol_version < STATELESS);
        setting == Setting::Inside || settled()
    }

    /// A call of this setting, which begins when it is polled. `extensions` hold what the transport knows
    /// of the request.
    pub(crate) fn work(
        &self,
        room: &mut Room,
        call: ToolCall,
        setting: Setting,
        mut extensions: Extensions,
        cancellation: CancellationToken,
    ) -> Work {
        let ToolCall { id, params, meta, repeated } = call;
        if let Some(repeated) = repeated {
            extensions.insert(repeated);
        }
        let mut cx = RequestContext::new(id.clone(), self.peer.clone());
        (cx.ct, cx.meta, cx.extensions) = (cancellation, meta.unwrap_or_default(), extensions);
        let server = self.server.clone();
        let answer = async move { server.answer_call(params, cx).await };
        room.fill(AssertUnwindSafe(answer).catch_unwind().map(move |answer| match answer {
            Ok(Ok(response)) => {
                let mut result = ServerResult::from(response);
                if setting == Setting::Outside {
                    result.strip_result_type_for_legacy_peer();
                }
                JsonRpcMessage::response(result, id)
            }
            Ok(Err(error)) => JsonRpcMessage::error(error, Some(id)),
            Err(_) => broken_off(id),
        }))
    }
}

/// A call that has been begun.
#[expect(clippy::large_enum_variant, reason = "it is taken apart at once")]
pub(crate) enum Begun {
    /// It has ended.
    Answered(TxJsonRpcMessage<RoleServer>),
    /// It waits for something, and goes on where this is polled.
    Waiting(Work),
}

/// A call on its way to its answer.
pub(crate) type Work = ReusableBoxFuture<'static, TxJsonRpcMessage<RoleServer>>;

/// Memory for calls that are begun one after the other; one that waits keeps it. A call takes some
/// kilobytes, which cost more to get and give back than much of what is done in them.
#[derive(Default)]
pub(crate) struct Room(Option<Work>);

impl Room {
    fn fill(
        &mut self,
        answer: impl Future<Output = TxJsonRpcMessage<RoleServer>> + Send + 'static,
    ) -> Work {
        match self.0.take() {
            Some(mut used) => {
                used.set(answer);
                used
            }
            None => ReusableBoxFuture::new(answer),
        }
    }

    /// Begins a call, and ends it if it waits for nothing. Most do not, and a task for each would wake
    /// another thread, which takes longer than they do.
    pub(crate) async fn begin(&mut self, mut work: Work) -> Begun {
        match poll_fn(|cx| Poll::Ready(work.poll(cx))).await {
            Poll::Ready(answer) => {
                self.0 = Some(work);
                Begun::Answered(answer)
            }
            Poll::Pending => Begun::Waiting(work),
        }
    }
}

/// The answer to a call that nobody carries to its end.
pub(crate) fn broken_off(id: RequestId) -> TxJsonRpcMessage<RoleServer> {
    JsonRpcMessage::error(ErrorData::internal_error("the call broke off", None), Some(id))
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
