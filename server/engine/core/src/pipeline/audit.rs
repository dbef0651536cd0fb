//! Records every call, whether it succeeds, fails or is abandoned by its caller.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;

use super::Ended;
use crate::audit::record::Record;
use crate::audit::recorder::{OpenSpan, Recorder};
use crate::call::audit_arguments::AuditArguments;
use crate::call::caller_info::CallerInfo;
use crate::call::{Call, Caller};
use crate::caller::principal::Principal;
use crate::caller::sender::ClientInfo;
use crate::caller::surface_kind::SurfaceKind;
use crate::caller::trace_parent::TraceParent;
use crate::fault::{Code, Fault};
use crate::json::size::size;
use crate::policy::{Decision, Policy};

/// An audit record of a call that has not ended. If it is dropped before the call ends, the record says that
/// the call was cancelled.
pub struct AuditEntry {
    recorder: Arc<Recorder>,
    policy: Arc<Policy>,
    principal: Principal,
    client: Option<Arc<str>>,
    surface: Option<SurfaceKind>,
    span: Option<Box<dyn OpenSpan>>,
    /// The parent for the call's own requests to other servers.
    trace: Option<TraceParent>,
    arguments: AuditArguments,
    name: String,
    bytes: usize,
    at: Timestamp,
    start: Instant,
    is_open: bool,
}

/// How a call ended.
#[derive(Clone, Copy)]
enum End<'a> {
    Success(usize),
    Failure(&'a Fault),
    Abandoned,
}

impl AuditEntry {
    /// Begins the record of a call.
    pub(super) fn begin(recorder: &Arc<Recorder>, call: &mut Call) -> Self {
        let entry = Self::open(recorder, &call.caller, &call.name, call.bytes, Instant::now());
        // Requests that the handler sends to other servers belong to this call.
        if call.caller.info.origin.trace != entry.trace {
            Arc::make_mut(&mut call.caller.info).origin.trace = entry.trace;
        }
        entry
    }

    pub(super) fn open(
        recorder: &Arc<Recorder>,
        caller: &Caller,
        name: &str,
        bytes: usize,
        start: Instant,
    ) -> Self {
        let CallerInfo { policy, surface, origin, .. } = &*caller.info;
        let span = recorder.begin(origin.trace);
        Self {
            recorder: recorder.clone(),
            policy: policy.clone(),
            principal: origin.principal.clone(),
            client: origin.client.as_ref().map(ClientInfo::shared_name),
            surface: *surface,
            trace: span.as_ref().map_or(origin.trace, |span| span.context()),
            span,
            arguments: caller.audit_arguments.clone(),
            name: name.to_owned(),
            bytes,
            at: Timestamp::now(),
            start,
            is_open: true,
        }
    }

    /// Ends the record with the result of the call.
    pub(super) fn ended(self, result: &Ended) {
        match result {
            Ok(outcome) => {
                let beside = outcome.beside.as_ref().map_or(0, size);
                self.succeeded(size(&outcome.value) + beside);
            }
            Err(interrupt) => self.failed(interrupt.fault()),
        }
    }

    /// Ends the record of a successful call, whose result has `bytes` bytes of JSON.
    pub fn succeeded(mut self, bytes: usize) {
        self.end(End::Success(bytes));
    }

    /// Ends the record of a failed call.
    pub fn failed(mut self, fault: &Fault) {
        self.end(End::Failure(fault));
    }

    fn end(&mut self, end: End<'_>) {
        self.is_open = false;
        let (failure, bytes_out, named) = match end {
            End::Success(bytes) => (None, bytes, None),
            End::Failure(fault) => (Some(fault.code()), size(&fault.to_json()), fault.operation()),
            End::Abandoned => (Some(Code::Cancelled), 0, None),
        };
        let tables = self.policy.tables();
        // If a surface refuses a call, only its fault names the operation: the tool's name does not.
        let found = tables.lookup(&self.name).or_else(|| tables.lookup(named?));
        let index = found.map(|found| usize::from(found.operation));
        let decision = match index {
            Some(index) => self.policy.decide(index),
            None => match failure {
                Some(Code::ToolNotFound) => Decision::Hidden,
                Some(Code::WritesDisabled) => Decision::WritesDisabled,
                _ => Decision::Visible,
            },
        };
        let record = Record {
            at: self.at,
            principal: self.principal.clone(),
            client: self.client.take(),
            surface: self.surface,
            name: std::mem::take(&mut self.name),
            instance: self
                .arguments
                .instance()
                .map(Into::into)
                .or_else(|| self.recorder.served.clone()),
            operation: index.map(|index| self.policy.authority.operation(index)),
            policy: self.policy.clone(),
            decision,
            failure,
            duration: self.start.elapsed(),
            bytes_in: self.bytes,
            bytes_out,
            trace: self.trace,
            arguments: self.arguments.clone(),
        };
        if let Some(span) = &mut self.span {
            span.end(&record);
        }
        self.recorder.ended(record);
    }
}

impl Drop for AuditEntry {
    fn drop(&mut self) {
        if self.is_open {
            self.end(End::Abandoned);
        }
    }
}
