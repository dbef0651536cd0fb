//! What is known of an upstream now: whether it can be called, which of its tools are the approved ones, and what it measures.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp, Unit};
use serde_json::{Value, json};
use toolwrit_core::availability::{Probe, Reason, Unavailable, UpstreamFigures};
use toolwrit_upstreams::{Change, State, Status, Tool, Upstream, Verdict};

use super::drift::drift;
use super::{Now, UpstreamProvider};
use crate::upstreams::approvals::Approval;

impl UpstreamProvider {
    /// Whether it can be called at once.
    pub(crate) fn is_ready(&self) -> bool {
        let upstream = self.now().upstream.clone();
        upstream
            .is_some_and(|upstream| matches!(upstream.status().state, State::Ready | State::Idle))
    }

    /// The approved tools that are still the same, and what is wrong with the others.
    pub(crate) fn offered(&self) -> (Vec<Tool>, Vec<String>) {
        let now = self.now();
        let Some(lock) = now.approval.approved() else { return (Vec::new(), Vec::new()) };
        let verdict = now.upstream.as_ref().and_then(Upstream::verdict).unwrap_or_default();
        let is_offered =
            |tool: &Tool| self.settings.offers(tool.name()) && is_same(&verdict, tool.name());
        let offered = lock.tools().filter(is_offered).collect();
        (offered, drift(self.name(), &self.program, lock, &verdict))
    }

    /// What it measures of its upstream.
    pub(super) fn measured(&self) -> UpstreamFigures {
        let now = self.now();
        let status = now.upstream.as_ref().map(Upstream::status);
        let figures = now.upstream.as_ref().map(Upstream::figures).unwrap_or_default();
        let state = match &status {
            Some(status) => status.state.as_str(),
            None if now.is_off => State::Off.as_str(),
            None if now.approval.approved().is_some() => State::Stopped.as_str(),
            None => "held",
        };
        let is_in = |state| status.as_ref().is_some_and(|status| status.state == state);
        UpstreamFigures {
            state,
            is_starting: is_in(State::Starting),
            is_ready: is_in(State::Ready),
            restarts: status.map_or(0, |status| status.starts.saturating_sub(1)),
            calls: figures.calls,
            failures: figures.failures,
            busy: figures.busy,
        }
    }

    /// What this process tells of it.
    pub(crate) fn told(&self) -> Value {
        let measured = self.measured();
        let status = self.now().upstream.as_ref().map(Upstream::status);
        let seconds = |time: SignedDuration| {
            (Timestamp::now() + time).round(Unit::Second).map(|time| time.to_string()).ok()
        };
        let ago = |since: Instant| SignedDuration::try_from(since.elapsed()).map(|time| -time);
        json!({
            "name": self.name(),
            // What is decided is told elsewhere.
            "state": status.as_ref().map_or(State::Stopped.as_str(), |status| status.state.as_str()),
            "since": status.as_ref().and_then(|status| seconds(ago(status.since).ok()?)),
            "reason": status.as_ref().and_then(|status| status.reason.clone()),
            "retry_at": status.as_ref().and_then(|status| {
                seconds(SignedDuration::try_from(status.retry_in()?).ok()?)
            }),
            "tools": self.offered().0.len(),
            "starts": status.as_ref().map_or(0, |status| status.starts),
            "calls": measured.calls,
            "failures": measured.failures,
        })
    }

    /// Whether it can be used, and why not.
    pub(super) fn probe_now(&self) -> Probe {
        let now = self.now();
        if let Some(held) = self.pending_decision(&now) {
            return Probe::Unavailable(held);
        }
        match &now.upstream {
            Some(upstream) => self.probe_started(upstream.status()),
            None => Probe::Unavailable(Unavailable::new(
                Reason::NeedsConfiguration,
                now.problem.clone().unwrap_or_else(|| "It is not started.".to_owned()),
                format!(
                    "The operator sets it, or changes `upstreams.{}` in the configuration.",
                    self.name()
                ),
            )),
        }
    }

    /// Why the operator must decide before it may start; `None` if it may.
    fn pending_decision(&self, now: &Now) -> Option<Unavailable> {
        let name = self.name();
        let (reason, message, command) = match &now.approval {
            Approval::Missing => (
                Reason::NeedsConfiguration,
                format!("The tools of the upstream `{name}` are not approved."),
                "approve",
            ),
            Approval::Broken(why) => (
                Reason::NeedsConfiguration,
                format!("The approval of the upstream `{name}` cannot be used: {why}."),
                "approve",
            ),
            // The locations may contain secrets and names of folders, which callers need not know.
            Approval::Elsewhere(..) => (
                Reason::NeedsConfiguration,
                format!(
                    "The upstream `{name}` is held, because its approval is for another program or address."
                ),
                "approve",
            ),
            Approval::Approved(_) if now.is_off => {
                (Reason::Disabled, format!("The upstream `{name}` is switched off."), "enable")
            }
            Approval::Approved(_) => return None,
        };
        let remedy = format!("The operator runs `{} upstream {command} {name}`.", self.program);
        Some(Unavailable::new(reason, message, remedy))
    }

    /// Whether it can be used in this state, and why not.
    fn probe_started(&self, status: Status) -> Probe {
        let name = self.name();
        let why = status.reason.as_deref().map(|why| format!(" {why}")).unwrap_or_default();
        let (reason, message) = match status.state {
            // Calls wait for a start, and say so if it takes too long.
            State::Idle | State::Starting | State::Ready | State::Backoff => {
                let version = status.server.map(|server| server.version);
                return Probe::Available { version: version.filter(|version| !version.is_empty()) };
            }
            State::Disabled => {
                (Reason::Failed, format!("The upstream `{name}` has failed several times.{why}"))
            }
            State::Refused => (
                Reason::NeedsConfiguration,
                format!("The upstream `{name}` refuses the credentials.{why}"),
            ),
            State::Off | State::Stopping | State::Stopped => {
                (Reason::NotRunning, format!("The upstream `{name}` is stopped."))
            }
        };
        let program = &self.program;
        if status.state == State::Refused && self.settings.has_login() {
            let remedy = format!("The operator runs `{program} upstream login {name}`.");
            return Probe::Unavailable(Unavailable::new(reason, message, remedy));
        }
        let restart =
            format!("The operator mends the cause, and runs `{program} upstream restart {name}`.");
        Probe::Unavailable(Unavailable::new(reason, message, restart))
    }
}

/// Whether a tool can be called: nothing but its texts has changed.
fn is_same(verdict: &Verdict, tool: &str) -> bool {
    matches!(verdict.changes.get(tool), None | Some(Change::Text(_)))
}
