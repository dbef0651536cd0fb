//! Calls of tools that run as tasks only, as MCP 2025-11-25 has them: the upstream answers at once, says from time to time
//! how far the task is, and has the result at its end.

use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, ClientRequest, CustomRequest, CustomResult, ServerResult,
};
use serde_json::{Value, json};

use super::{CANCELLING, CallError};
use crate::caller::Caller;
use crate::connection::{Listening, Session};
use crate::failure::Failure;
use crate::written::to_json;
use toolwrit_words::Code;

/// The time between two questions about a task, unless the upstream says another one within these limits.
const INTERVAL: Duration = Duration::from_secs(1);
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(30);
/// How long a result is kept after nobody waits for it any more.
const GRACE: Duration = Duration::from_mins(1);

/// A task of an upstream. One that is dropped before its end is cancelled.
struct Task<'a> {
    session: &'a Session,
    caller: &'a Caller,
    /// Begins the sentences of failures.
    what: &'a str,
    id: String,
    interval: Duration,
    listening: Option<Listening>,
    is_over: bool,
}

impl Session {
    /// Calls a tool as a task, and waits for its result.
    pub(super) async fn call_as_task(
        &self,
        params: CallToolRequestParams,
        what: &str,
        caller: &Caller,
    ) -> Result<ServerResult, CallError> {
        let mut params = to_json(&params);
        let time = caller.deadline.saturating_duration_since(Instant::now()) + GRACE;
        params["task"] = json!({ "ttl": u64::try_from(time.as_millis()).unwrap_or(u64::MAX) });
        let (begun, listening) = self.deliver(request("tools/call", params), what, caller).await?;
        let ServerResult::CustomResult(CustomResult(begun)) = begun else { return Ok(begun) };
        let Some(id) = begun["task"]["taskId"].as_str() else {
            return Err(Failure::upstream(format!("{what} did not begin a task.")).sent().into());
        };
        let (id, interval, is_over) = (id.to_owned(), INTERVAL, false);
        let mut task = Task { session: self, caller, what, id, interval, listening, is_over };
        task.see(&begun["task"]);
        self.awaited(what, caller, Box::pin(task.result())).await
    }
}

impl Task<'_> {
    /// Follows the task until it is over or needs its user, then waits for its result: only then the upstream asks.
    async fn result(mut self) -> Result<ServerResult, CallError> {
        self.follow(|status| status != "working").await?;
        let request = request("tasks/result", json!({ "taskId": self.id }));
        let result = {
            let (session, what, caller) = (self.session, self.what, self.caller);
            let result = async { Ok(session.deliver(request, what, caller).await?.0) };
            tokio::pin!(result);
            tokio::select! {
                biased;
                result = &mut result => result,
                over = self.follow(is_over) => match over {
                    Ok(()) => result.await,
                    Err(error) => Err(error),
                },
            }
        };
        self.is_over |= result.is_ok();
        result.map_err(begun)
    }

    /// Asks how far the task is until its status is one that `wanted` accepts.
    async fn follow(&mut self, wanted: impl Fn(&str) -> bool) -> Result<(), CallError> {
        loop {
            tokio::time::sleep(self.interval).await;
            let request = request("tasks/get", json!({ "taskId": self.id }));
            let answer = self.session.deliver(request, self.what, self.caller).await;
            let (state, _) = answer.map_err(|error| begun(self.unknown(error)))?;
            // rmcp knows the tasks of 2026-07-28, some of which look the same.
            let state = to_json(&state);
            self.see(&state);
            match state["status"].as_str() {
                Some(status) if wanted(status) => return Ok(()),
                Some(_) => {}
                None => {
                    let message = format!("{} does not say how far its task is.", self.what);
                    return Err(Failure::upstream(message).sent().into());
                }
            }
        }
    }

    /// An upstream that does not know its task is at fault, not the caller.
    fn unknown(&self, error: CallError) -> CallError {
        match error {
            CallError::Failed(failure)
                if failure.reported.is_none()
                    && matches!(
                        failure.code,
                        Code::ValidationError | Code::ProviderUnavailable
                    ) =>
            {
                let what = self.what;
                let message = format!("{what} runs as a task that is lost. {}", failure.message);
                Failure::upstream(message).sent().into()
            }
            other => other,
        }
    }

    /// Takes what the upstream says about the task.
    fn see(&mut self, state: &Value) {
        if let Some(interval) = state["pollInterval"].as_u64() {
            self.interval = Duration::from_millis(interval).clamp(SHORTEST, LONGEST);
        }
        self.is_over |= state["status"].as_str().is_some_and(is_over);
        if let (Some(message), Some(listening)) = (state["statusMessage"].as_str(), &self.listening)
        {
            listening.say(message);
        }
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if self.is_over || self.session.has_ended() {
            return;
        }
        let peer = self.session.peer().clone();
        let request = request("tasks/cancel", json!({ "taskId": self.id }));
        runtime.spawn(async move {
            let _ = tokio::time::timeout(CANCELLING, peer.send_request(request)).await;
        });
    }
}

fn request(method: &str, params: Value) -> ClientRequest {
    ClientRequest::CustomRequest(CustomRequest::new(method, Some(params)))
}

fn is_over(status: &str) -> bool {
    !matches!(status, "working" | "input_required")
}

/// What an error means once the task has begun, which is not done twice.
fn begun(error: CallError) -> CallError {
    match error {
        CallError::NotCalled => CallError::Lost,
        other => other,
    }
}
