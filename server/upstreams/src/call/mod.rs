//! Calls of tools: each ends with an answer or a failure, at the latest at its deadline.

mod failed;
mod result;

use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::connection::Session;
use crate::failure::{Code, Failure, Result};

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

/// Receives the progress of a call. It must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// Increases with each progress of a call.
    pub progress: f64,
    /// The progress at which the call is complete, if it is known.
    pub total: Option<f64>,
    /// What is done, in words of the upstream.
    pub message: Option<String>,
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
    /// As section "Errors" of the README says.
    pub(crate) async fn call(&self, call: &Call<'_>) -> Result<Answer> {
        let _in_flight = self.begin_call();
        let params = CallToolRequestParams::new(call.tool.to_owned())
            .with_arguments(call.arguments.clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sending = self.handler.sending.lock().await;
        let options = PeerRequestOptions::no_options();
        let request = self.peer().send_cancellable_request(request, options).await;
        let request = request.map_err(|error| self.failed(&error))?;
        let _listening = call.progress.as_ref().map(|sink| {
            self.handler.listen(request.progress_token.clone(), sink.clone())
        });
        drop(sending);
        let mut waiting = Waiting { request: Some(request) };
        let answer = self.answer(&mut waiting, call).await?;
        // It is complete, so that there is nothing to cancel.
        waiting.request = None;
        match answer.map_err(|error| self.failed(&error))? {
            ServerResult::CallToolResult(result) => result::answer(result, call.tool),
            ServerResult::InputRequiredResult(_) => Err(Failure::upstream(format!(
                "The tool `{}` asks the user, which is not offered to it.",
                call.tool
            ))),
            _ => Err(Failure::upstream(format!(
                "The answer to a call of `{}` is not a result of a tool.",
                call.tool
            ))
            .sent()),
        }
    }

    async fn answer(
        &self,
        waiting: &mut Waiting,
        call: &Call<'_>,
    ) -> Result<std::result::Result<ServerResult, rmcp::ServiceError>> {
        let Some(request) = &mut waiting.request else {
            return Err(failed::lost());
        };
        tokio::select! {
            biased;
            answer = &mut request.rx => answer.map_err(|_| failed::lost()),
            () = self.ended() => {
                // Nobody is left to be told.
                waiting.request = None;
                Err(failed::lost())
            }
            () = call.cancellation.cancelled() => {
                Err(Failure::new(Code::Cancelled, "The call was cancelled.").sent())
            }
            () = tokio::time::sleep_until(call.deadline.into()) => Err(failed::late(call.tool)),
        }
    }

    fn failed(&self, error: &rmcp::ServiceError) -> Box<Failure> {
        if matches!(error, rmcp::ServiceError::TransportSend(_)) {
            self.suspect();
        }
        failed::failure(error)
    }
}
