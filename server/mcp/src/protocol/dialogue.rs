//! Questions to the client, as MCP carries them: a request of the server's own in the older era, an
//! [`InputRequiredResult`] with sealed state since 2026-07-28.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ErrorData, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, RequestStateCodec, SealOptions, ServerRequest,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::STATELESS;
use toolwrit_core::dialogue::{
    self, Abilities, Dialogue, Live, Pending, Question, Replies, Rounds,
};
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::hex::Hex;
use toolwrit_core::principal::Principal;

/// How long a client may take from a question to the call that answers it.
const STATE_LIFETIME: Duration = Duration::from_mins(10);

/// Signs what clients keep for us between rounds. A key per process: after a restart they are asked
/// again.
static CODEC: LazyLock<Option<RequestStateCodec>> = LazyLock::new(|| {
    let mut key = [0; 32];
    getrandom::fill(&mut key).ok()?;
    RequestStateCodec::try_new(key).ok()
});

/// What one round leaves to the next. Signed, not secret: it holds only what the client itself said.
#[derive(Debug, Serialize, Deserialize)]
struct SealedState {
    /// The call that it belongs to.
    call: String,
    /// The questions that were asked last.
    asked: Vec<String>,
    replies: Replies,
    token: Option<String>,
}

/// What a request says for itself about earlier rounds.
pub(super) struct Earlier {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
    /// The call becomes a task when its handler says so.
    pub(super) becomes_task: bool,
}

impl Earlier {
    pub(super) fn new(responses: Option<InputResponses>, state: Option<String>) -> Self {
        Self { responses, state, becomes_task: false }
    }

    /// For requests that are answered at once.
    pub(super) fn none() -> Self {
        Self::new(None, None)
    }
}

/// Whether the request is of the era without sessions, which began with 2026-07-28.
pub(super) fn is_stateless(cx: &RequestContext<RoleServer>) -> bool {
    cx.protocol_version().is_some_and(|version| version >= STATELESS)
}

/// How the client behind a request can be asked. The second is there when the request may end in
/// questions. `means` is what must not change between rounds: method and parameters.
///
/// # Errors
/// `-32602` for a state that is altered, too old, or another request's.
pub(super) fn open(
    cx: &RequestContext<RoleServer>,
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
        let call = RepeatableCall::new(principal.clone(), means());
        let (replies, token) = call.replies(responses.unwrap_or_default(), state.as_deref())?;
        let rounds = Rounds::new(abilities, replies, token, becomes_task);
        return Ok((Dialogue::Rounds(Arc::new(rounds)), Some(call)));
    }
    // Without a session there is no way back to the client.
    if abilities.is_mute() || cx.peer.peer_info().is_none() {
        return Ok((Dialogue::Silent, None));
    }
    let client = Box::new(LegacyPeer(cx.peer.clone()));
    Ok((Dialogue::Live(Arc::new(Live::new(abilities, client))), None))
}

/// A request that may come in rounds.
pub(super) struct RepeatableCall {
    principal: Principal,
    digest: String,
}

impl RepeatableCall {
    fn new(principal: Principal, mut means: Value) -> Self {
        means.sort_all_objects();
        let digest = Sha256::digest(means.to_string());
        Self { principal, digest: Hex(&digest).to_string() }
    }

    /// What has been answered, and the confirmation token that came with it.
    fn replies(
        &self,
        mut responses: InputResponses,
        state: Option<&str>,
    ) -> std::result::Result<(Replies, Option<String>), ErrorData> {
        let Some(state) = state else { return Ok((responses, None)) };
        let codec = CODEC.as_ref().ok_or_else(no_key)?;
        let opened = codec.open_json_with(state, self.principal.as_str().as_bytes()).ok();
        let SealedState { asked, mut replies, token, .. } =
            opened.filter(|state: &SealedState| state.call == self.digest).ok_or_else(bad_state)?;
        for key in asked {
            if let Some(reply) = responses.remove(&key) {
                replies.insert(key, reply);
            }
        }
        Ok((replies, token))
    }

    /// The end of a round.
    ///
    /// # Errors
    /// When the state cannot be sealed.
    pub(super) fn required(
        &self,
        pending: Pending,
    ) -> std::result::Result<InputRequiredResult, ErrorData> {
        let Pending { questions, replies, token } = pending;
        let asked = questions.keys().cloned().collect();
        let requests: Option<InputRequests> =
            questions.into_iter().map(|(key, question)| Some((key, request(&question)?))).collect();
        let state = SealedState { call: self.digest.clone(), asked, replies, token };
        let options = SealOptions::new()
            .associated_data(self.principal.as_str().as_bytes())
            .ttl(STATE_LIFETIME);
        let codec = CODEC.as_ref().ok_or_else(no_key)?;
        let state = codec.seal_json_with(&state, &options).map_err(|_| no_key())?;
        let requests = requests.ok_or_else(|| {
            ErrorData::internal_error("the question has no form that MCP knows", None)
        })?;
        Ok(InputRequiredResult::new(Some(requests), Some(state)))
    }
}

/// The error for a client that lacks a capability which the answer to its request takes.
pub(super) fn lacking(capability: &str) -> ErrorData {
    // A name of a capability is its key.
    let needed = serde_json::from_value(json!({ capability: {} })).unwrap_or_default();
    ErrorData::missing_required_client_capability(needed)
}

pub(super) fn abilities(capabilities: Option<ClientCapabilities>) -> Abilities {
    let Some(capabilities) = capabilities else { return Abilities::default() };
    // Without a mode it is forms, which is all there was at first.
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

/// The client of the older era.
struct LegacyPeer(Peer<RoleServer>);

impl dialogue::Peer for LegacyPeer {
    fn put<'a>(
        &'a self,
        _: &'a str,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>> {
        Box::pin(async move {
            let request = match request(question) {
                Some(InputRequest::Elicitation(request)) => ServerRequest::ElicitRequest(request),
                Some(InputRequest::CreateMessage(request)) => {
                    ServerRequest::CreateMessageRequest(request)
                }
                Some(InputRequest::ListRoots(request)) => ServerRequest::ListRootsRequest(request),
                _ => return Err(Fault::internal("a question that MCP does not know")),
            };
            let reply = self.0.send_request(request).await.map_err(failed)?;
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
            Fault::cancelled("The client went away before it answered.")
        }
        _ => Fault::new(Code::UpstreamError, "The client gave no answer to the question."),
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
