//! Starts an upstream to see what it has now, for commands of the operator.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use toolwrit_upstreams::model::Start;
use toolwrit_upstreams::{Location, Lock, ServerInfo, State, Supervisor, ToolList, Verdict};

use crate::upstreams::approvals::Approvals;
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
    let definition = settings.definition(approvals.configuration(), Some(Start::AtOnce)).await?;
    let upstream = Supervisor::default().supervise(definition);
    let settled = upstream.until(|status| !matches!(status.state, State::Idle | State::Starting));
    let status = timeout(most, settled).await;
    let tools = upstream.tools();
    upstream.stop().await;
    let Ok(status) = status else {
        return Err(format!("It was not ready within {} seconds.", most.as_secs()));
    };
    if let (State::Ready, Some(server), Some(tools)) = (status.state, status.server, tools) {
        return Ok(Examination { server, tools, location: settings.location() });
    }
    let reason = status.reason.unwrap_or_else(|| "It did not start.".to_owned());
    let output = status.output.map(|text| format!("\n{text}")).unwrap_or_default();
    Err(format!("{reason}{output}"))
}
