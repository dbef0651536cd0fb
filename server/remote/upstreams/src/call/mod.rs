//! Calls of tools: each ends with an answer or a failure, at the latest at its deadline.

mod blocks;
mod failed;
mod offered;
mod result;
mod task;

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientRequest, CustomResult,
    ElicitationCapability, GetExtensions as _, RequestMetaObject, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::caller::{Answers, Asked, Caller, User};
use crate::connection::{Listening, Repeatable, Session};
use crate::failure::{Failure, Result};
use crate::questions::asked;
use crate::tools::Tool;
use crate::written::to_json;
pub(crate) use failed::asks;
pub use offered::{Completed, Completion};
pub(crate) use offered::{complete, contents, get, messages, read, values};
use toolwrit_words::Code;

/// How long the message that cancels a call may take to be sent.
const CANCELLING: Duration = Duration::from_secs(5);

/// A call of a tool.
#[derive(Clone)]
pub struct Call<'a> {
    /// The name by which the upstream lists the tool.
    pub tool: &'a str,
    pub arguments: &'a Map<String, Value>,
    /// Whether it may be made twice.
    pub is_repeatable: bool,
    /// Who waits for the answer.
    pub caller: Caller,
}

/// How a call has ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Round {
    Answered(Answer),
    /// With questions to the user.
    Asks(Asked),
}

/// The connection had ended before the call, which the upstream has not received.
pub(crate) struct NotCalled;

/// Why a call has no answer.
enum CallError {
    NotCalled,
    /// The connection has ended, perhaps during the call.
    Lost,
    Failed(Failure),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A request without its answer. The upstream is told when nobody waits for it any more.
struct Waiting {
    request: Option<RequestHandle<RoleClient>>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let (Some(request), Ok(runtime)) =
            (self.request.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        // An upstream that does not read must not hold up the caller.
        runtime.spawn(async move {
            let cancel = request.cancel(Some("the caller no longer waits".to_owned()));
            let _ = tokio::time::timeout(CANCELLING, cancel).await;
        });
    }
}

/// A result that is none of MCP.
fn custom(result: &ServerResult) -> Option<Value> {
    match result {
        ServerResult::CustomResult(CustomResult(result)) => Some(result.clone()),
        _ => None,
    }
}

impl Session {
    /// Calls a tool, with the answers to the questions of the call before.
    ///
    /// # Errors
    /// [`NotCalled`] if the connection had ended before. Only then the call may be made again.
    pub(crate) async fn call(
        &self,
        call: &Call<'_>,
        tool: &Tool,
        answers: Option<&Answers>,
    ) -> std::result::Result<Result<Round>, NotCalled> {
        let mut params =
            CallToolRequestParams::new(call.tool.to_owned()).with_arguments(call.arguments.clone());
        if let Some(answers) = answers {
            params.input_responses = Some(answers.replies.clone());
            params.request_state.clone_from(&answers.state);
        }
        let what = format!("The tool `{}`", call.tool);
        // Since 2026-07-28 no tool needs to run as a task.
        let as_task = tool.runs_as_task() && !self.is_stateless();
        let _in_flight = self.begin_call(&call.caller.user);
        let answer = if as_task {
            // Most calls are no tasks, and need not have the size of one.
            Box::pin(self.call_as_task(params, &what, &call.caller)).await
        } else {
            let mut request = CallToolRequest::new(params);
            if call.is_repeatable {
                request.extensions.insert(Repeatable);
            }
            let request = ClientRequest::CallToolRequest(request);
            let answer = self.deliver(request, &what, &call.caller).await;
            answer.map(|(result, _)| result)
        };
        let result = self.outcome(answer)?;
        Ok(result.and_then(|result| match result {
            ServerResult::CallToolResult(result) => {
                result::answer(to_json(&result), call.tool).map(Round::Answered)
            }
            ServerResult::InputRequiredResult(result)
                if self.handler.asks_users && !call.caller.user.is_absent() =>
            {
                asked(result, &what).map(Round::Asks)
            }
            other => match custom(&other).and_then(blocks::tool_result) {
                Some(result) => result::answer(result, call.tool).map(Round::Answered),
                None => Err(failed::unexpected(&other, &what)),
            },
        }))
    }

    /// Sends a request, and waits for its result. `what` begins the sentences of failures.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub(crate) async fn request(
        &self,
        request: ClientRequest,
        what: &str,
        caller: &Caller,
    ) -> std::result::Result<Result<ServerResult>, NotCalled> {
        let _in_flight = self.begin_call(&caller.user);
        let answer = self.deliver(request, what, caller).await;
        self.outcome(answer.map(|(result, _)| result))
    }

    /// What the end of a call means to its caller.
    fn outcome(
        &self,
        answer: std::result::Result<ServerResult, CallError>,
    ) -> std::result::Result<Result<ServerResult>, NotCalled> {
        match answer {
            Ok(result) => Ok(Ok(result)),
            Err(CallError::NotCalled) => {
                // What remains of the connection is of no use.
                self.end();
                Err(NotCalled)
            }
            Err(CallError::Lost) => Ok(Err(failed::lost())),
            Err(CallError::Failed(failure)) => Ok(Err(failure)),
        }
    }

    /// Sends a request of a call in flight, and waits for its result. Its progress is passed on until `Listening` is dropped.
    async fn deliver(
        &self,
        mut request: ClientRequest,
        what: &str,
        caller: &Caller,
    ) -> std::result::Result<(ServerResult, Option<Listening>), CallError> {
        let mut delivery = self.delivery(request.extensions_mut());
        let options = self.options(&caller.user);
        let request = self.peer().send_cancellable_request(request, options).await;
        let request = request.map_err(|_| CallError::NotCalled)?;
        let listening = caller
            .progress
            .as_ref()
            .map(|sink| self.handler.listen(request.progress_token.clone(), sink.clone()));
        match self.answer(request, what, caller).await {
            Err(CallError::Lost) if !delivery.is_possible().await => Err(CallError::NotCalled),
            result => result.map(|result| (result, listening)),
        }
    }

    /// Offers what this caller can answer, to an upstream that learns it with each request.
    fn options(&self, user: &User) -> PeerRequestOptions {
        let options = PeerRequestOptions::no_options();
        if !self.is_stateless() {
            return options;
        }
        let asks = self.handler.asks_users && !user.is_absent();
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = asks.then(ElicitationCapability::default);
        let mut meta = RequestMetaObject::default();
        meta.set_client_capabilities(capabilities);
        options.with_meta(meta)
    }

    /// Waits for an answer, or until nobody waits for it.
    async fn answer(
        &self,
        request: RequestHandle<RoleClient>,
        what: &str,
        caller: &Caller,
    ) -> std::result::Result<ServerResult, CallError> {
        let mut waiting = Waiting { request: Some(request) };
        let answer = async {
            let Some(request) = &mut waiting.request else { return Err(CallError::Lost) };
            let answer = (&mut request.rx).await;
            // There is nothing left to cancel.
            waiting.request = None;
            match answer {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(error)) => Err(self.failed(&error)),
                Err(_) => Err(CallError::Lost),
            }
        };
        self.awaited(what, caller, answer).await
    }

    /// Waits for something, as long as its caller does and the connection lasts.
    async fn awaited<T>(
        &self,
        what: &str,
        caller: &Caller,
        awaited: impl Future<Output = std::result::Result<T, CallError>>,
    ) -> std::result::Result<T, CallError> {
        tokio::select! {
            biased;
            answer = awaited => answer,
            () = self.ended() => Err(CallError::Lost),
            () = caller.cancellation.cancelled() => {
                Err(Failure::new(Code::Cancelled, "The call was cancelled.").sent().into())
            }
            () = tokio::time::sleep_until(caller.deadline.into()) => {
                self.suspect();
                Err(failed::late(what).into())
            }
        }
    }

    fn failed(&self, error: &rmcp::ServiceError) -> CallError {
        match error {
            rmcp::ServiceError::TransportClosed => return CallError::Lost,
            rmcp::ServiceError::TransportSend(error) if failed::is_broken_pipe(error) => {
                return CallError::NotCalled;
            }
            rmcp::ServiceError::TransportSend(_) => self.suspect(),
            _ => {}
        }
        failed::failure(error, &self.handler.secrets).into()
    }
}
