//! The audit record of a call.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::authority::{Authority, OperationHandle};
use crate::call::audit_arguments::AuditArguments;
use crate::caller::principal::Principal;
use crate::caller::surface_kind::SurfaceKind;
use crate::caller::trace_parent::TraceParent;
use crate::fault::Code;
use crate::policy::{Decision, Policy};

/// The record of one call. It is created on the caller's task, so it only moves values. They become text when
/// the record is written.
#[derive(Debug)]
pub struct Record {
    /// When the call arrived.
    pub at: Timestamp,
    /// On whose behalf the call was made.
    pub principal: Principal,
    /// The name of the client program.
    pub client: Option<Arc<str>>,
    /// The surface of the tool that was called; `None` on the command line.
    pub(crate) surface: Option<SurfaceKind>,
    /// The operation or tool as the caller named it.
    pub name: String,
    /// The name of what the call was about, such as a vault.
    pub instance: Option<Arc<str>>,
    /// The operation of that name, if there is one.
    pub operation: Option<OperationHandle>,
    /// The policy of the caller.
    pub(crate) policy: Arc<Policy>,
    /// What the policy decided.
    pub(crate) decision: Decision,
    /// The code of the failure; `None` on success.
    pub failure: Option<Code>,
    /// The time from arrival to outcome.
    pub duration: Duration,
    /// Bytes of the arguments as JSON.
    pub bytes_in: usize,
    /// Bytes of the result as JSON.
    pub bytes_out: usize,
    /// The trace that the call belongs to, for the log.
    pub(crate) trace: Option<TraceParent>,
    /// The arguments, if they passed validation.
    pub arguments: AuditArguments,
}

impl Record {
    /// Returns the name of the surface; `direct` without a surface.
    pub fn surface(&self) -> &'static str {
        self.surface.map_or("direct", SurfaceKind::as_str)
    }

    /// Returns the id of the operation.
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_ref().map(|operation| operation.row().id.as_str())
    }

    /// Returns the authority under which the call was made.
    pub fn authority(&self) -> &Authority {
        &self.policy.authority
    }

    /// Returns the focus mode in force.
    pub fn focus(&self) -> &str {
        self.policy.focus()
    }

    /// Returns the role in force.
    pub fn role(&self) -> &str {
        self.policy.role()
    }

    /// Returns the effect of the operation.
    pub fn effect(&self) -> Option<&'static str> {
        self.operation.as_ref().map(|operation| operation.row().effect.as_str())
    }

    /// Returns the policy's decision.
    pub fn decision(&self) -> &'static str {
        match self.decision {
            Decision::Visible => "allowed",
            Decision::Hidden => "hidden",
            Decision::WritesDisabled => "writes_disabled",
            Decision::FocusRestricted => "focus_restricted",
            Decision::ProviderMissing => "provider_missing",
        }
    }

    /// Returns `ok`, or the code of the failure.
    pub fn outcome(&self) -> Cow<'static, str> {
        self.failure.as_ref().map_or("ok".into(), |code| code.to_string().into())
    }

    /// Returns the duration in microseconds.
    pub fn micros(&self) -> u64 {
        u64::try_from(self.duration.as_micros()).unwrap_or(u64::MAX)
    }

    /// Logs the call.
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
