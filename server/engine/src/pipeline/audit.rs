//! Every call leaves a record and is counted, whatever became of it: answered, failed, or given up by
//! its caller.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt as _;
use jiff::Timestamp;

use super::Service;
use crate::call::{Call, Caller, Trail};
use crate::fault::{Code, Fault, Result};
use crate::identity::Principal;
use crate::metrics::{Ended, Metrics};
use crate::outcome::Outcome;
use crate::policy::{Decision, Policy};
use crate::state::{Record, State, size};
use crate::surface::Kind;
use crate::trace::Span;

pub(super) struct Audit<N> {
    evidence: Evidence,
    next: N,
}

/// Where calls leave their traces. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Evidence {
    pub(crate) state: State,
    pub(crate) metrics: Arc<Metrics>,
}

impl<N> Audit<N> {
    pub(super) fn new(evidence: Evidence, next: N) -> Self {
        Self { evidence, next }
    }
}

impl<N: Service<Call>> Service<Call> for Audit<N> {
    fn call(&self, mut call: Call) -> impl Future<Output = Result<Outcome>> + Send {
        let entry =
            Entry::open(&self.evidence, &call.caller, &call.name, call.bytes, Instant::now());
        // What the handler calls on belongs to this call.
        call.caller.trace = entry.span.context();
        self.next.call(call).inspect(move |result| match result {
            Ok(outcome) => entry.succeeded(size(&outcome.value)),
            Err(fault) => entry.failed(fault),
        })
    }
}

/// A record that is being made. Dropped before its end is known, it says that the call was
/// cancelled.
pub(crate) struct Entry {
    evidence: Evidence,
    policy: Arc<Policy>,
    principal: Principal,
    client: Option<Arc<str>>,
    surface: Option<Kind>,
    span: Span,
    trail: Trail,
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

impl Entry {
    pub(super) fn open(
        evidence: &Evidence,
        caller: &Caller,
        name: &str,
        bytes: usize,
        start: Instant,
    ) -> Self {
        Self {
            evidence: evidence.clone(),
            policy: caller.policy.clone(),
            principal: caller.principal.clone(),
            client: caller.client.clone(),
            surface: caller.surface,
            span: Span::begin(caller.trace),
            trail: caller.trail.clone(),
            name: name.to_owned(),
            bytes,
            at: Timestamp::now(),
            start,
            is_open: true,
        }
    }

    /// The call was answered with so many bytes of JSON.
    pub(crate) fn succeeded(mut self, bytes: usize) {
        self.end(End::Success(bytes));
    }

    /// The call failed.
    pub(crate) fn failed(mut self, fault: &Fault) {
        self.end(End::Failure(fault));
    }

    fn end(&mut self, end: End<'_>) {
        self.is_open = false;
        let (failure, bytes_out, named) = match end {
            End::Success(bytes) => (None, bytes, None),
            End::Failure(fault) => (Some(fault.code()), size(&fault.to_json()), fault.operation()),
            End::Abandoned => (Some(Code::Cancelled), 0, None),
        };
        let authority = self.policy.authority;
        // A surface that refuses a call knows which operation was meant; the tool's name does not say.
        let found = authority.lookup(&self.name).or_else(|| authority.lookup(named?));
        let index = found.map(|found| usize::from(found.operation));
        let decision = match index {
            Some(index) => self.policy.decide(index),
            None if failure == Some(Code::ToolNotFound) => Decision::Hidden,
            None => Decision::Visible,
        };
        let record = Record {
            at: self.at,
            principal: self.principal.clone(),
            client: self.client.take(),
            surface: self.surface,
            name: std::mem::take(&mut self.name),
            operation: index.map(|index| &authority.operations[index]),
            focus: self.policy.focus(),
            role: self.policy.role(),
            decision,
            failure,
            duration: self.start.elapsed(),
            bytes_in: self.bytes,
            bytes_out,
            trace: self.span.context(),
            trail: self.trail.clone(),
        };
        record.trace();
        self.span.end(&record);
        self.evidence.metrics.ended(&Ended {
            operation: index,
            failure,
            duration: record.duration,
            bytes_in: record.bytes_in,
            bytes_out,
        });
        self.evidence.state.record(record);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if self.is_open {
            self.end(End::Abandoned);
        }
    }
}
