//! What is known of an upstream now: whether it can be called, which of its tools are the approved ones, and what it measures.

use toolwrit_core::availability::{Probe, Reason, Unavailable, UpstreamFigures};
use toolwrit_upstreams::{Change, State, Tool, Upstream, Verdict};

use super::UpstreamProvider;
use super::drift::drift;
use crate::approvals::Approval;

impl UpstreamProvider {
    /// Whether it can be called at once.
    pub(crate) fn is_ready(&self) -> bool {
        let upstream = self.now().upstream.clone();
        upstream.is_some_and(|own| matches!(own.status().state, State::Ready | State::Idle))
    }

    /// The approved tools that are still the same, and what is wrong with the others.
    pub(crate) fn offered(&self) -> (Vec<Tool>, Vec<String>) {
        let now = self.now();
        let Approval::Approved(lock) = &now.approval else { return (Vec::new(), Vec::new()) };
        let verdict = now.upstream.as_ref().and_then(Upstream::verdict).unwrap_or_default();
        let offered = lock.tools().filter(|tool| is_same(&verdict, tool.name())).collect();
        (offered, drift(self.name(), &self.program, lock, &verdict))
    }

    /// What it measures of its upstream.
    pub(super) fn measured(&self) -> UpstreamFigures {
        let now = self.now();
        let status = now.upstream.as_ref().map(Upstream::status);
        let own = now.upstream.as_ref().map(Upstream::figures).unwrap_or_default();
        let state = match &status {
            Some(status) => status.state.as_str(),
            None if now.is_off => State::Off.as_str(),
            None if matches!(now.approval, Approval::Approved(_)) => State::Stopped.as_str(),
            None => "held",
        };
        let is_in = |state| status.as_ref().is_some_and(|status| status.state == state);
        UpstreamFigures {
            state,
            is_starting: is_in(State::Starting),
            is_ready: is_in(State::Ready),
            restarts: status.map_or(0, |status| status.starts.saturating_sub(1)),
            calls: own.calls,
            failures: own.failures,
            busy: own.busy,
        }
    }

    /// Whether it can be used, and why not.
    pub(super) fn probe_now(&self) -> Probe {
        let now = self.now();
        let (name, program) = (self.name(), &self.program);
        let unavailable = |reason, message: String, remedy: String| {
            Probe::Unavailable(Unavailable::new(reason, message, remedy))
        };
        match &now.approval {
            Approval::Missing => {
                return unavailable(
                    Reason::NeedsConfiguration,
                    format!("The tools of the upstream `{name}` are not approved."),
                    format!("The operator runs `{program} upstream approve {name}`."),
                );
            }
            Approval::Broken(why) => {
                return unavailable(
                    Reason::NeedsConfiguration,
                    format!("The approval of the upstream `{name}` cannot be used: {why}."),
                    format!("The operator runs `{program} upstream approve {name}`."),
                );
            }
            Approval::Approved(_) => {}
        }
        if now.is_off {
            return unavailable(
                Reason::Disabled,
                format!("The upstream `{name}` is switched off."),
                format!("The operator runs `{program} upstream enable {name}`."),
            );
        }
        let Some(upstream) = &now.upstream else {
            let why = now.problem.clone().unwrap_or_else(|| "It is not started.".to_owned());
            return unavailable(
                Reason::NeedsConfiguration,
                why,
                format!(
                    "The operator sets it, or changes `upstreams.{name}` in the configuration."
                ),
            );
        };
        let status = upstream.status();
        let why = status.reason.as_deref().map(|why| format!(" {why}")).unwrap_or_default();
        let restart =
            format!("The operator mends the cause, and runs `{program} upstream restart {name}`.");
        match status.state {
            State::Disabled => unavailable(
                Reason::Failed,
                format!("The upstream `{name}` has failed several times.{why}"),
                restart,
            ),
            State::Refused => unavailable(
                Reason::NeedsConfiguration,
                format!("The upstream `{name}` refuses the credentials.{why}"),
                restart,
            ),
            State::Off | State::Stopping | State::Stopped => unavailable(
                Reason::NotRunning,
                format!("The upstream `{name}` is stopped."),
                restart,
            ),
            // Calls wait for a start, and say so if it takes too long.
            State::Idle | State::Starting | State::Ready | State::Backoff => {
                let version = status.server.map(|server| server.version);
                Probe::Available { version: version.filter(|version| !version.is_empty()) }
            }
        }
    }
}

/// Whether a tool can be called: nothing but its texts has changed.
fn is_same(verdict: &Verdict, tool: &str) -> bool {
    matches!(verdict.changes.get(tool), None | Some(Change::Text(_)))
}
