//! Calls of tools: each ends with an answer or a failure, at the latest at its deadline.

mod failed;
mod result;

use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::connection::Session;
use crate::failure::{Code, Failure, Result};
use crate::progress::ProgressSink;

/// How long the message that cancels a call may take to be sent.
const CANCELLING: Duration = Duration::from_secs(5);

/// A call of a tool.
#[derive(Clone)]
pub struct Call<'a> {
    /// The name by which the upstream lists the tool.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: &'a Map<String, Value>,
    /// When the caller no longer waits.
    pub deadline: Instant,
    /// Cancelled when the caller no longer waits. The upstream is told.
    pub cancellation: CancellationToken,
    /// Receives the progress of the call.
    pub progress: Option<ProgressSink>,
}

/// What a tool answered. Hidden characters are escaped, and `_meta` is removed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Content blocks, as JSON of MCP.
    pub content: Vec<Value>,
    /// The structured content, if there is any.
    pub structured: Option<Value>,
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

impl Session {
    /// Calls a tool.
    ///
    /// # Errors
    /// [`NotCalled`] if the connection had ended before. Only then the call may be made again.
    pub(crate) async fn call(
        &self,
        call: &Call<'_>,
    ) -> std::result::Result<Result<Answer>, NotCalled> {
        match self.exchange(call).await {
            Ok(answer) => Ok(Ok(answer)),
            Err(CallError::NotCalled) => {
                // What remains of the connection is of no use.
                self.end();
                Err(NotCalled)
            }
            Err(CallError::Lost) => Ok(Err(failed::lost())),
            Err(CallError::Failed(failure)) => Ok(Err(failure)),
        }
    }

    async fn exchange(&self, call: &Call<'_>) -> std::result::Result<Answer, CallError> {
        let _in_flight = self.begin_call();
        let params =
            CallToolRequestParams::new(call.tool.to_owned()).with_arguments(call.arguments.clone());
        let mut request = CallToolRequest::new(params);
        let mut delivery = self.delivery(&mut request.extensions);
        let request = ClientRequest::CallToolRequest(request);
        let sending = self.handler.sending.lock().await;
        let options = PeerRequestOptions::no_options();
        let request = self.peer().send_cancellable_request(request, options).await;
        let request = request.map_err(|_| CallError::NotCalled)?;
        let _listening = call
            .progress
            .as_ref()
            .map(|sink| self.handler.listen(request.progress_token.clone(), sink.clone()));
        drop(sending);
        match self.answer(request, call).await {
            Ok(ServerResult::CallToolResult(result)) => Ok(result::answer(result, call.tool)?),
            Ok(other) => Err(failed::unexpected(&other, call.tool).into()),
            Err(CallError::Lost) if !delivery.is_possible().await => Err(CallError::NotCalled),
            Err(error) => Err(error),
        }
    }

    /// Waits for an answer, or until nobody waits for it.
    async fn answer(
        &self,
        request: RequestHandle<RoleClient>,
        call: &Call<'_>,
    ) -> std::result::Result<ServerResult, CallError> {
        let mut waiting = Waiting { request: Some(request) };
        let Some(request) = &mut waiting.request else { return Err(CallError::Lost) };
        let answer = tokio::select! {
            biased;
            answer = &mut request.rx => match answer {
                Ok(Ok(result)) => Ok(result),
                Ok(Err(error)) => Err(self.failed(&error)),
                Err(_) => Err(CallError::Lost),
            },
            () = self.ended() => Err(CallError::Lost),
            () = call.cancellation.cancelled() => {
                return Err(Failure::new(Code::Cancelled, "The call was cancelled.").sent().into());
            }
            () = tokio::time::sleep_until(call.deadline.into()) => {
                self.suspect();
                return Err(failed::late(call.tool).into());
            }
        };
        // There is nothing left to cancel.
        waiting.request = None;
        answer
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
        failed::failure(error).into()
    }
}
