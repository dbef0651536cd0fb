//! What the audit keeps of a call.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::audit_arguments::AuditArguments;
use crate::authority::{Authority, OperationHandle};
use crate::fault::Code;
use crate::policy::{Decision, Policy};
use crate::principal::Principal;
use crate::surface_kind::SurfaceKind;
use crate::trace_parent::TraceParent;

/// One call. Made on the caller's task, so it only moves things; words are made of them when it is
/// written.
#[derive(Debug)]
pub struct Record {
    /// When it came.
    pub at: Timestamp,
    /// For whom it was made.
    pub principal: Principal,
    /// The program that asked.
    pub client: Option<Arc<str>>,
    /// The surface through which it came; none on the command line.
    pub(crate) surface: Option<SurfaceKind>,
    /// The operation or tool as the caller named it.
    pub name: String,
    /// What that name means, when it means an operation.
    pub operation: Option<OperationHandle>,
    /// Who may do what where it came.
    pub(crate) policy: Arc<Policy>,
    /// What the gate said.
    pub(crate) decision: Decision,
    /// The failure; none for a call that succeeded.
    pub failure: Option<Code>,
    /// From its arrival to its outcome.
    pub duration: Duration,
    /// Size of the arguments as JSON.
    pub bytes_in: usize,
    /// Size of the result as JSON, before a surface cuts it.
    pub bytes_out: usize,
    /// The trace that it belongs to, for the log.
    pub(crate) trace: Option<TraceParent>,
    /// The arguments, once they had passed validation.
    pub arguments: AuditArguments,
}

impl Record {
    /// The surface's name.
    pub fn surface(&self) -> &'static str {
        self.surface.map_or("direct", SurfaceKind::as_str)
    }

    /// The operation's id.
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_ref().map(|operation| operation.row().id)
    }

    /// The authority under which it was made.
    pub fn authority(&self) -> &Authority {
        &self.policy.authority
    }

    /// The focus mode in force.
    pub fn focus(&self) -> &str {
        self.policy.focus()
    }

    /// The role in force.
    pub fn role(&self) -> &str {
        self.policy.role()
    }

    /// What the operation may do to the world.
    pub fn effect(&self) -> Option<&'static str> {
        self.operation.as_ref().map(|operation| operation.row().effect.as_str())
    }

    /// The gate's word.
    pub fn decision(&self) -> &'static str {
        match self.decision {
            Decision::Visible => "allowed",
            Decision::Hidden => "hidden",
            Decision::WritesDisabled => "writes_disabled",
            Decision::FocusRestricted => "focus_restricted",
            Decision::ProviderMissing => "provider_missing",
        }
    }

    /// `ok`, or the code of the failure.
    pub fn outcome(&self) -> Cow<'static, str> {
        self.failure.map_or("ok".into(), |code| code.to_string().into())
    }

    /// Microseconds.
    pub fn micros(&self) -> u64 {
        u64::try_from(self.duration.as_micros()).unwrap_or(u64::MAX)
    }

    /// Tells the log, when it listens.
    pub(crate) fn trace(&self) {
        tracing::info!(
            target: "toolwrit::audit",
            name = self.name,
            operation = self.operation(),
            principal = %self.principal,
            client = self.client.as_deref(),
            surface = self.surface(),
            role = self.role(),
            focus = self.focus(),
            decision = self.decision(),
            outcome = %self.outcome(),
            micros = self.micros(),
            bytes_in = self.bytes_in,
            bytes_out = self.bytes_out,
            trace_id = self.trace.map(|trace| display(trace.trace_id())),
            span_id = self.trace.map(|trace| display(trace.span_id())),
            "call"
        );
    }
}
