//! What an operator sees of an upstream, and can do about it.

use std::time::{Duration, Instant};

use toolwrit_core::availability::Probe;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::provider::{Control, OperatorView};
use toolwrit_upstreams::Upstream;

use super::UpstreamProvider;
use crate::upstreams::approvals::Approval;
use crate::upstreams::fault;

/// For what an operator asks for. Upstreams usually start within it.
const CONTROL_TIME: Duration = Duration::from_secs(9);

impl UpstreamProvider {
    /// What an operator sees of it, and can do about it now.
    pub(super) fn view(&self) -> OperatorView {
        let now = self.now();
        let state = now.upstream.as_ref().map(|upstream| upstream.status().state.as_str());
        let controls: &[Control] = match &now.approval {
            Approval::Approved(_) if now.is_off => &[Control::Enable],
            Approval::Approved(_) => &[Control::Test, Control::Restart],
            Approval::Missing | Approval::Broken(_) | Approval::Elsewhere(..) => &[],
        };
        OperatorView { state, controls }
    }

    /// Decides what an operator asks for, and waits for what comes of it. Other servers that use the folder of decisions
    /// follow.
    pub(super) async fn carry_out_control(&self, control: Control) -> Result<()> {
        let deadline = Instant::now() + CONTROL_TIME;
        let before = self.now().upstream.as_ref().map(Upstream::status);
        let decided = match control {
            Control::Test => Ok(()),
            Control::Restart => self.approvals.restart(self.name()),
            Control::Enable => self.approvals.switch(self.name(), true).map(drop),
        };
        decided.map_err(|error| {
            Fault::upstream(format!("The folder of decisions cannot be changed: {error}."))
        })?;
        self.apply().await;
        let Some(upstream) = self.now().upstream.clone() else {
            return match self.probe_now() {
                Probe::Unavailable(why) => {
                    Err(Fault::new(Code::ProviderUnavailable, why.message).hinting(why.remedy))
                }
                Probe::Available { .. } => Ok(()),
            };
        };
        if let Some(before) = before.filter(|_| control == Control::Restart) {
            upstream.restarted_since(&before, deadline).await;
        }
        upstream.test(deadline).await.map_err(|failure| fault::fault(failure, true))
    }
}
