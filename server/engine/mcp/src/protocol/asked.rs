//! A request that runs a handler: what the endpoint gets from the protocol, and how its answer, or the
//! handler's open questions, become a response.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, ErrorData, Extensions, InputRequiredResult};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::caller::{idempotency_key, numbers, origin, repeated};
use super::dialogue::{self, Earlier};
use super::error::error;
use super::reports::{self, Forwarding};
use super::{McpServer, tool};
use crate::endpoint::{Endpoint, Request, ToolAnswer};
use toolwrit_core::caller::principal::Identity;
use toolwrit_core::caller::sender::ClientInfo;
use toolwrit_core::dialogue::{Continuation, Interrupt};

/// A request, ready to be run on its endpoint.
pub(super) struct PreparedRequest {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) request: Request,
    pub(super) ending: RequestEnding,
}

/// What remains to be done after the handler has returned.
pub(super) struct RequestEnding {
    forwarding: Option<Forwarding>,
    rounds: Option<dialogue::RepeatableCall>,
    is_stateless: bool,
    /// The transport counts the request as in flight while these exist.
    _extensions: Extensions,
}

impl McpServer {
    /// Prepares a request. `from` is the caller and the client program; `means` returns what must not change
    /// between rounds: method and parameters.
    ///
    /// # Errors
    /// As [`dialogue::open`].
    pub(super) fn asked(
        &self,
        endpoint: Arc<Endpoint>,
        from: (Identity, Option<ClientInfo>),
        cx: RequestContext<RoleServer>,
        earlier: Earlier,
        means: impl FnOnce() -> Value,
    ) -> Result<PreparedRequest, ErrorData> {
        let origin = origin(&cx, from.0, from.1);
        let (dialogue, rounds) =
            dialogue::open(&cx, endpoint.state(), &origin.principal, earlier, means)?;
        let is_stateless = dialogue::is_stateless(&cx);
        let level = reports::wanted(&cx).or_else(|| self.session.as_ref()?.level());
        let level = level.filter(|_| endpoint.logs());
        let (forwarding, reports) = Forwarding::start(&cx, level);
        let (idempotency_key, repeated) = (idempotency_key(&cx), repeated(&cx));
        let numbers = numbers(&cx);
        // Without a session, rmcp cancels a request when its client disconnects. Before 2026-07-28 a
        // disconnect must not cancel it.
        let survives_disconnect = !is_stateless && self.session.is_none();
        let cancellation = if survives_disconnect { CancellationToken::new() } else { cx.ct };
        let request = Request {
            origin,
            session: self.session_calls(&cx.extensions),
            idempotency_key,
            dialogue,
            cancellation,
            reports,
            repeated,
            numbers,
        };
        let ending = RequestEnding { forwarding, rounds, is_stateless, _extensions: cx.extensions };
        Ok(PreparedRequest { endpoint, request, ending })
    }
}

impl RequestEnding {
    /// Completes when all of the handler's reports have been sent.
    pub(super) async fn reported(&mut self) {
        if let Some(forwarding) = self.forwarding.take() {
            forwarding.end().await;
        }
    }

    /// Returns the open questions; `None` if there are none, or the client does not answer in rounds.
    ///
    /// # Errors
    /// If the state cannot be sealed, or the client lacks a capability: a protocol error since 2026-07-28.
    fn questions(
        &self,
        continuation: Option<Continuation>,
        lacking: Option<&str>,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        if let Some(capability) = lacking.filter(|_| self.is_stateless) {
            return Err(dialogue::lacking(capability));
        }
        match (&self.rounds, continuation) {
            (Some(rounds), Some(Continuation::WithAnswers(pending))) => {
                rounds.required(pending).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the response to a tool call: its result, or the open questions.
    ///
    /// # Errors
    /// As [`Self::questions`].
    pub(super) fn call(&self, mut answer: ToolAnswer) -> Result<CallToolResponse, ErrorData> {
        match self.questions(answer.continuation.take(), answer.lacking)? {
            Some(questions) => Ok(questions.into()),
            None => Ok(tool::result(answer).into()),
        }
    }

    /// Returns the response to a request that fails with a JSON-RPC error: its result, or the open questions.
    ///
    /// # Errors
    /// The request's fault, with `named` (a key and its value) in the error's data.
    pub(super) fn answer<T, R: From<T> + From<InputRequiredResult>>(
        &self,
        result: Result<T, Interrupt>,
        named: (&str, &str),
    ) -> Result<R, ErrorData> {
        let (fault, continuation) = match result {
            Ok(result) => return Ok(result.into()),
            Err(Interrupt::Failed(fault)) => (fault, None),
            Err(Interrupt::Continues(fault, how)) => (fault, Some(*how)),
        };
        match self.questions(continuation, fault.lacked())? {
            Some(questions) => Ok(questions.into()),
            None => Err(error(&fault, named)),
        }
    }
}
