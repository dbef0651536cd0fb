//! Starts an upstream to see what it has now, or what a tool answers, for commands of the operator.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::time::timeout;
use toolwrit_upstreams::model::Start;
use toolwrit_upstreams::{
    Answer, Call, Caller, Location, Lock, ServerInfo, State, Status, Supervisor, ToolList, Verdict,
};

use crate::upstreams::approvals::Approvals;
use crate::upstreams::journal;
use crate::upstreams::settings::UpstreamSettings;

/// What an upstream has now.
#[derive(Debug, Clone)]
pub struct Examination {
    /// What it says about itself.
    pub server: ServerInfo,
    pub tools: Arc<ToolList>,
    /// Where it is.
    pub location: Location,
}

impl Examination {
    /// Approves all its tools, for where it is.
    pub fn lock(&self) -> Lock {
        Lock::new(self.server.clone(), &self.tools).for_location(self.location.clone())
    }

    /// Compares its tools with the approved ones.
    pub fn verdict(&self, lock: &Lock) -> Verdict {
        lock.compare(&self.tools)
    }
}

/// What a tool has answered to someone who tried it.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The result as the upstream sent it, without hidden characters: `content`, `structuredContent` and `isError`.
    pub result: Value,
    /// How long the call took, without the start.
    pub took: Duration,
}

/// Starts an upstream, calls one of its tools, whether it is approved or not, and stops it. Its log says so.
///
/// # Errors
/// Why it cannot be started or called, in sentences.
pub async fn try_tool(
    settings: &UpstreamSettings,
    approvals: &Approvals,
    tool: &str,
    arguments: &Map<String, Value>,
    most: Duration,
) -> Result<Tried, String> {
    let started = settings.definition(approvals.configuration(), Some(Start::AtOnce)).await?;
    let upstream = Supervisor::default().supervise(started.0);
    let settled = upstream.until(|status| !matches!(status.state, State::Idle | State::Starting));
    let status = timeout(most, settled).await.map_err(|_| late(most))?;
    if status.state != State::Ready {
        return Err(failed(status));
    }
    let begun = Instant::now();
    let caller = Caller::until(begun + most);
    let call = Call { tool, arguments, is_repeatable: false, caller };
    let answered = upstream.call(&call).await;
    let duration = begun.elapsed();
    upstream.stop().await;
    let outcome = if answered.is_ok() { "answered" } else { "failed" };
    journal::keep(
        approvals,
        &settings.name,
        &format!("the operator tried {tool}, which {outcome}"),
    );
    let result = match answered {
        Ok(answer) => as_json(answer),
        Err(failure) => match failure.reported {
            Some(answer) => {
                let mut result = as_json(*answer);
                result["isError"] = true.into();
                result
            }
            None => return Err(failure.message),
        },
    };
    Ok(Tried { result, took: duration })
}

fn as_json(answer: Answer) -> Value {
    let mut result = json!({ "content": answer.content });
    if let Some(structured) = answer.structured {
        result["structuredContent"] = structured;
    }
    result
}

fn late(most: Duration) -> String {
    format!("It was not ready within {} seconds.", most.as_secs())
}

/// Why an upstream has not started, with the end of what it wrote on standard error.
fn failed(status: Status) -> String {
    let reason = status.reason.unwrap_or_else(|| "It did not start.".to_owned());
    let output = status.output.map(|text| format!("\n{text}")).unwrap_or_default();
    format!("{reason}{output}")
}

/// Starts an upstream of the configuration beside the approvals, lists its tools, and stops it. Waits for at most this
/// long, or for what its settings say if that is less.
///
/// # Errors
/// Why it cannot be started, in sentences, with the end of what it wrote on standard error.
pub async fn examine(
    settings: &UpstreamSettings,
    approvals: &Approvals,
    most: Duration,
) -> Result<Examination, String> {
    let (definition, _) =
        settings.definition(approvals.configuration(), Some(Start::AtOnce)).await?;
    let upstream = Supervisor::default().supervise(definition);
    let settled = upstream.until(|status| !matches!(status.state, State::Idle | State::Starting));
    let status = timeout(most, settled).await;
    let tools = upstream.tools();
    upstream.stop().await;
    let Ok(status) = status else { return Err(late(most)) };
    match (status.state, &status.server, tools) {
        (State::Ready, Some(server), Some(tools)) => {
            let mut server = server.clone();
            if !settings.passes.instructions {
                server.instructions.clear();
            }
            Ok(Examination { server, tools, location: settings.location() })
        }
        _ => Err(failed(status)),
    }
}
