//! Questions to the client: requests from the server before 2026-07-28, since then an
//! [`InputRequiredResult`] with sealed state.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ErrorData, GetExtensions as _, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, RequestId, RequestStateCodec, SealOptions, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, Peer, RequestContext, ServiceError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::task::AbortOnDropHandle;

use super::STATELESS;
use toolwrit_core::audit::storage::State;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::dialogue::{
    self, Abilities, Dialogue, LiveClient, Pending, Question, Replies, Rounds,
};
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::shared::{Purpose, SealKeys};
use toolwrit_text::hex::Hex;

/// How long a client has to answer a question with its next call.
const STATE_LIFETIME: Duration = Duration::from_mins(10);

/// Returns what signs the state that clients hold between rounds, with the keys that all replicas have. Without replicas the
/// keys are made per process: a restarted server refuses the old state, and the client has to begin again.
fn codec(state: &State) -> Option<RequestStateCodec> {
    let SealKeys { sealing, opening } = state.shared().keys(Purpose::RequestState)?;
    let active = sealing.id.clone();
    let keys = opening.into_iter().chain([sealing]).map(|key| (key.id, key.secret));
    RequestStateCodec::new_with_keyring(active, keys).ok()
}

/// The state that one round passes to the next. Signed, not encrypted: it holds what the client sent, and the state that
/// another server has for its clients.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SealedState {
    /// The digest of the call that the state belongs to.
    call: String,
    /// The keys of the questions in the last round.
    asked: Vec<String>,
    replies: Replies,
    token: Option<String>,
    memo: Option<Value>,
}

/// What a request carries from earlier rounds.
pub(super) struct Earlier {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
    /// Whether the handler may turn the call into a task.
    pub(super) becomes_task: bool,
}

impl Earlier {
    pub(super) fn new(responses: Option<InputResponses>, state: Option<String>) -> Self {
        Self { responses, state, becomes_task: false }
    }

    /// Returns the value for a request that has no rounds.
    pub(super) fn none() -> Self {
        Self::new(None, None)
    }
}

/// Whether the request uses a protocol version without sessions: 2026-07-28 or later.
pub(super) fn is_stateless(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| version >= STATELESS)
}

/// Returns the dialogue with the client, and the call if its answer may be questions. `means` returns what
/// must not change between rounds: method and parameters.
///
/// # Errors
/// `-32602` for a state that was altered, is too old, or belongs to another request.
pub(super) fn open(
    cx: &RequestContext<RoleServer>,
    kept: &State,
    principal: &Principal,
    earlier: Earlier,
    means: impl FnOnce() -> Value,
) -> std::result::Result<(Dialogue, Option<RepeatableCall>), ErrorData> {
    let abilities = abilities(cx.client_capabilities());
    if is_stateless(cx) {
        let Earlier { responses, state, becomes_task } = earlier;
        if abilities.is_mute() && responses.is_none() && state.is_none() && !becomes_task {
            return Ok((Dialogue::Silent, None));
        }
        let call = RepeatableCall::new(kept.clone(), principal.clone(), means());
        let SealedState { replies, token, memo, .. } =
            call.earlier(responses.unwrap_or_default(), state.as_deref())?;
        let rounds = Rounds::new(abilities, replies, token, memo, becomes_task);
        return Ok((Dialogue::Rounds(Arc::new(rounds)), Some(call)));
    }
    // Without a session the server cannot send requests to the client.
    if abilities.is_mute() || cx.peer.peer_info().is_none() {
        return Ok((Dialogue::Silent, None));
    }
    let client = Box::new(LegacyPeer { peer: cx.peer.clone(), call: cx.id.clone() });
    Ok((Dialogue::Live(Arc::new(LiveClient::new(abilities, client))), None))
}

/// A request that the client may repeat with answers.
pub(super) struct RepeatableCall {
    kept: State,
    principal: Principal,
    digest: String,
}

impl RepeatableCall {
    fn new(kept: State, principal: Principal, mut means: Value) -> Self {
        means.sort_all_objects();
        let digest = Sha256::digest(means.to_string());
        Self { kept, principal, digest: Hex(&digest).to_string() }
    }

    /// Returns the state of the earlier rounds, with the answers to their questions.
    fn earlier(
        &self,
        mut responses: InputResponses,
        state: Option<&str>,
    ) -> std::result::Result<SealedState, ErrorData> {
        let Some(state) = state else {
            return Ok(SealedState { replies: responses, ..SealedState::default() });
        };
        let codec = codec(&self.kept).ok_or_else(no_key)?;
        let opened = codec.open_json_with(state, self.principal.as_str().as_bytes()).ok();
        let mut opened: SealedState =
            opened.filter(|state: &SealedState| state.call == self.digest).ok_or_else(bad_state)?;
        for key in &opened.asked {
            if let Some(reply) = responses.remove(key) {
                opened.replies.insert(key.clone(), reply);
            }
        }
        Ok(opened)
    }

    /// Ends a round: returns the open questions and the sealed state.
    ///
    /// # Errors
    /// If the state cannot be sealed, or a question cannot be expressed in MCP.
    pub(super) fn required(
        &self,
        pending: Pending,
    ) -> std::result::Result<InputRequiredResult, ErrorData> {
        let Pending { questions, replies, token, memo } = pending;
        let asked = questions.keys().cloned().collect();
        let requests: Option<InputRequests> =
            questions.into_iter().map(|(key, question)| Some((key, request(&question)?))).collect();
        let state = SealedState { call: self.digest.clone(), asked, replies, token, memo };
        let options = SealOptions::new()
            .associated_data(self.principal.as_str().as_bytes())
            .ttl(STATE_LIFETIME);
        let codec = codec(&self.kept).ok_or_else(no_key)?;
        let state = codec.seal_json_with(&state, &options).map_err(|_| no_key())?;
        let requests = requests.ok_or_else(|| {
            ErrorData::internal_error("the question cannot be expressed in MCP", None)
        })?;
        Ok(InputRequiredResult::new(Some(requests), Some(state)))
    }
}

/// Returns the error for a client that lacks a capability which its request needs.
pub(super) fn lacking(capability: &str) -> ErrorData {
    #[expect(
        clippy::expect_used,
        reason = "its name is its key in `ClientCapabilities`, and none needs a value"
    )]
    let needed =
        serde_json::from_value(json!({ capability: {} })).expect("the capability is known");
    ErrorData::missing_required_client_capability(needed)
}

pub(super) fn abilities(capabilities: Option<ClientCapabilities>) -> Abilities {
    let Some(capabilities) = capabilities else { return Abilities::default() };
    // A client that names no mode supports forms: the first version of elicitation had only those.
    let forms =
        |modes: &rmcp::model::ElicitationCapability| modes.form.is_some() || modes.url.is_none();
    Abilities {
        forms: capabilities.elicitation.as_ref().is_some_and(forms),
        sampling: capabilities.sampling.is_some(),
        roots: capabilities.roots.is_some(),
    }
}

pub(super) fn request(question: &Question) -> Option<InputRequest> {
    let mut request = json!({ "method": question.method() });
    if let Some(params) = question.params() {
        request["params"] = params;
    }
    serde_json::from_value(request).ok()
}

/// A client of a protocol version before 2026-07-28.
struct LegacyPeer {
    peer: Peer<RoleServer>,
    /// The request that it waits for. Over HTTP, questions belong to its stream.
    call: RequestId,
}

impl dialogue::Peer for LegacyPeer {
    fn put<'a>(
        &'a self,
        _: &'a str,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>> {
        Box::pin(async move {
            let mut request = match request(question) {
                Some(InputRequest::Elicitation(request)) => ServerRequest::ElicitRequest(request),
                Some(InputRequest::CreateMessage(request)) => {
                    ServerRequest::CreateMessageRequest(request)
                }
                Some(InputRequest::ListRoots(request)) => ServerRequest::ListRootsRequest(request),
                _ => return Err(Fault::internal("the question cannot be expressed in MCP")),
            };
            request.extensions_mut().insert(OriginatingRequestId(self.call.clone()));
            let peer = self.peer.clone();
            // In a task of its own: for rmcp, a question that is passed on belongs to the request of the other server.
            let sending = tokio::spawn(async move { peer.send_request(request).await });
            let reply = AbortOnDropHandle::new(sending).await;
            let reply = reply.map_err(|error| Fault::internal(error.to_string()))?;
            let reply = reply.map_err(failed)?;
            let reply = match reply {
                ClientResult::ElicitResult(reply) => serde_json::to_value(reply),
                ClientResult::CreateMessageResult(reply) => serde_json::to_value(reply),
                ClientResult::ListRootsResult(reply) => serde_json::to_value(reply),
                other => serde_json::to_value(other),
            };
            reply.map_err(|error| Fault::internal(error.to_string()))
        })
    }
}

fn failed(error: ServiceError) -> Fault {
    match error {
        ServiceError::McpError(error) => {
            Fault::upstream(format!("The client refused the question: {}", error.message))
                .retryable(false)
        }
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
            Fault::cancelled("The client disconnected before it answered.")
        }
        _ => Fault::new(Code::UpstreamError, "The client did not answer the question."),
    }
}

fn bad_state() -> ErrorData {
    ErrorData::invalid_params(
        "requestState is not valid here: it was altered, is too old, or belongs to another request; \
         send the request again without it",
        None,
    )
}

fn no_key() -> ErrorData {
    ErrorData::internal_error("the server cannot seal the state of a request", None)
}
