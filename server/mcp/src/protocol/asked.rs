//! A request that runs a handler: which endpoint answers it, what the handler is told, and what becomes
//! of questions that it leaves open.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, ErrorData, Extensions, InputRequiredResult};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::caller::{idempotency_key, repeated, request_id, trace};
use super::dialogue::{self, Earlier};
use super::error::error;
use super::reports::{self, Forwarding};
use super::session::Session;
use super::{McpServer, tool};
use crate::endpoint::{Answer, Endpoint, Request};
use toolwrit_core::dialogue::{Continuation, Interrupt};
use toolwrit_core::principal::Identity;
use toolwrit_core::sender::ClientInfo;

/// One such request, ready to be answered.
pub(super) struct PreparedRequest {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) request: Request,
    pub(super) ending: RequestEnding,
}

/// What is left to do when the handler is done.
pub(super) struct RequestEnding {
    forwarding: Option<Forwarding>,
    rounds: Option<dialogue::RepeatableCall>,
    is_stateless: bool,
    /// By them the transport knows that the request is in flight.
    _extensions: Extensions,
}

impl McpServer {
    /// `from` is the caller, and the client; `means` what must not change between rounds:
    /// method and parameters.
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
        let (Identity { principal, attributes, .. }, client) = from;
        let (dialogue, rounds) = dialogue::open(&cx, &principal, earlier, means)?;
        let is_stateless = dialogue::is_stateless(&cx);
        let level = reports::wanted(&cx).or_else(|| self.session.as_ref()?.level());
        let level = level.filter(|_| endpoint.logs());
        let (forwarding, reports) = Forwarding::start(&cx, level);
        let (idempotency_key, trace) = (idempotency_key(&cx), trace(&cx));
        let (repeated, request_id) = (repeated(&cx), Some(request_id(&cx)));
        // Of a request that stands alone the SDK cancels what its client left. Before 2026-07-28 a client
        // that goes has not cancelled.
        let stays = !is_stateless && self.session.is_none();
        let cancellation = if stays { CancellationToken::new() } else { cx.ct };
        let request = Request {
            principal,
            attributes,
            client,
            request_id,
            session: self.session.as_ref().map(Session::calls),
            idempotency_key,
            trace,
            dialogue,
            cancellation,
            reports,
            repeated,
        };
        let ending = RequestEnding { forwarding, rounds, is_stateless, _extensions: cx.extensions };
        Ok(PreparedRequest { endpoint, request, ending })
    }
}

impl RequestEnding {
    /// Completes when everything that the handler told has been sent.
    pub(super) async fn reported(&mut self) {
        if let Some(forwarding) = self.forwarding.take() {
            forwarding.end().await;
        }
    }

    /// The round's end, when there are questions and the client answers in rounds.
    ///
    /// # Errors
    /// When the state cannot be sealed, or the client lacks a capability: since 2026-07-28 that is an
    /// error of the protocol.
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

    /// The answer to a tool call: its result, or the questions that are open.
    ///
    /// # Errors
    /// As [`Self::questions`].
    pub(super) fn call(&self, mut answer: Answer) -> Result<CallToolResponse, ErrorData> {
        match self.questions(answer.continuation.take(), answer.lacking)? {
            Some(questions) => Ok(questions.into()),
            None => Ok(tool::result(answer).into()),
        }
    }

    /// The answer to a request whose failures are errors: its result, or the questions that are open.
    ///
    /// # Errors
    /// What went wrong, with the key and value that the request named.
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
