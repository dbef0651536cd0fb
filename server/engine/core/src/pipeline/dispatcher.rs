//! The last phase: the generated table calls the author's handler.

use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, Weak};
use std::time::Instant;

use futures::FutureExt as _;
use serde_json::Value;

use crate::arguments::value::ArgValues;
use crate::authority::{AuthorityVersion, Builtin, Operation, Returns};
use crate::builtin::Builtins;
use crate::call::calls::CallRunner;
use crate::call::context::Context;
use crate::call::{Caller, Validated};
use crate::fault::{Code, Fault, Result};
use crate::json::size::size;
use crate::pipeline::prompt_text;
use crate::provider::Supervisors;
use crate::result::outcome::Outcome;
use crate::result::running::RunningHandler;
use crate::shared::{Replicas, Shared};
use crate::toolset::{Toolset, close};
use crate::updates::Updates;

use super::bound::bound;

pub(super) struct Dispatcher {
    toolset: Arc<dyn Toolset>,
    /// The authority whose positions the toolset uses.
    version: AuthorityVersion,
    supervisors: Arc<Supervisors>,
    updates: Updates,
    replicas: Option<Replicas>,
    builtins: Builtins,
    runner: Weak<dyn CallRunner>,
}

impl Dispatcher {
    pub(super) fn new(
        toolset: Arc<dyn Toolset>,
        supervisors: Arc<Supervisors>,
        updates: Updates,
        shared: Arc<dyn Shared>,
        builtins: Builtins,
        runner: Weak<dyn CallRunner>,
    ) -> Self {
        let version = toolset.authority().version();
        let replicas = Replicas::of(shared);
        Self { toolset, version, supervisors, updates, replicas, builtins, runner }
    }

    pub(super) fn call(
        &self,
        call: Validated,
        deadline: Instant,
    ) -> impl Future<Output = Result<Outcome>> + Send {
        let Begun { context, by_engine, arguments } = self.begin(call, deadline);
        async move {
            let operation = &context.operation;
            let row = operation.row();
            self.toolset.hooks().before(&context).await?;
            // Probes decide whether an API is available, because its failures may be those of one account.
            let watched = operation.provider().filter(|_| row.binding.is_none());
            let mut watched =
                Watched { provider: watched, supervisors: &self.supervisors, deadline };
            let handler = self.handler(&context, by_engine.as_ref(), arguments);
            // `after` also runs after a panic, which then continues to the panic guard.
            let (outcome, panic) = match AssertUnwindSafe(handler).catch_unwind().await {
                Ok(outcome) => (outcome.and_then(|value| fitting(row, value)), None),
                Err(panic) => (Err(Fault::internal("The handler panicked.")), Some(panic)),
            };
            watched.ended(outcome.as_ref());
            drop(watched);
            self.toolset.hooks().after(&context, outcome.as_ref()).await;
            if let Some(panic) = panic {
                resume_unwind(panic);
            }
            Ok(Outcome::new(context.operation, outcome?))
        }
    }

    /// Gives the handler of a call what it may know of it.
    fn begin(&self, call: Validated, deadline: Instant) -> Begun {
        let Validated { operation, arguments, instance, confirmed, held, caller, .. } = call;
        let caller = *caller;
        let by_engine = operation.row().builtin.map(|builtin| (builtin, caller.clone()));
        let context = Context {
            operation,
            instance,
            caller: caller.info,
            session: caller.session,
            cancellation: caller.cancellation,
            deadline,
            dialogue: caller.dialogue,
            confirmed,
            reports: caller.reports,
            updates: self.updates.clone(),
            bound_calls: self.supervisors.clone(),
            replicas: self.replicas.clone(),
            runner: Some(self.runner.clone()),
            held,
        };
        Begun { context, by_engine, arguments }
    }

    /// Returns what carries out the operation: the engine, its provider, or the application.
    fn handler<'a>(
        &'a self,
        context: &'a Context,
        by_engine: Option<&'a (Builtin, Caller)>,
        arguments: ArgValues,
    ) -> RunningHandler<'a> {
        let operation = &context.operation;
        let row = operation.row();
        if let Some((builtin, caller)) = by_engine {
            let arguments = arguments.into_map(&row.inputs);
            let run = self.builtins.run(*builtin, context, caller, arguments);
            return RunningHandler::new(Box::new(run));
        }
        if let Some(messages) = prompt_text::messages(operation, &arguments) {
            return RunningHandler::new(Box::new(ready(Ok(messages))));
        }
        if let Some(name) = operation.added_by() {
            let arguments = arguments.into_map(&row.inputs);
            let call = self.supervisors.call(name, &row.id, context, arguments);
            return RunningHandler::new(Box::new(call));
        }
        if let Some(name) = operation.provider().filter(|_| row.binding.is_some()) {
            let arguments = arguments.into_map(&row.inputs);
            return RunningHandler::new(Box::new(bound(context, name, row, arguments)));
        }
        if operation.authority().base() == self.version {
            self.toolset.call(operation.index(), context, arguments)
        } else {
            self.toolset.call_by_id(&row.id, context, arguments.into_map(&row.inputs))
        }
    }

    pub(super) async fn close(&self) {
        self.supervisors.close().await;
        close(self.toolset.clone()).await;
    }
}

/// A call whose handler is about to run.
struct Begun {
    context: Context,
    /// Set if the engine carries it out, on behalf of this caller.
    by_engine: Option<(Builtin, Caller)>,
    arguments: ArgValues,
}

/// Records how a call ends that needs a provider.
struct Watched<'a> {
    /// `None` if the call needs none, or has ended.
    provider: Option<&'a str>,
    supervisors: &'a Supervisors,
    deadline: Instant,
}

impl Watched<'_> {
    fn ended(&mut self, outcome: std::result::Result<&Value, &Fault>) {
        if let Some(provider) = self.provider.take() {
            self.supervisors.record(provider, outcome);
        }
    }
}

impl Drop for Watched<'_> {
    /// A call that is dropped after its deadline has timed out; otherwise it was cancelled.
    fn drop(&mut self) {
        if Instant::now() >= self.deadline {
            let fault = Fault::new(Code::Timeout, "A call has timed out.");
            self.ended(Err(&fault));
        }
    }
}

/// Returns the result of a handler. Refuses content that is too large, because it cannot be truncated. Providers limit the
/// results of tools themselves.
fn fitting(operation: &Operation, value: Value) -> Result<Value> {
    let is_whole =
        matches!(operation.returns, Returns::Content | Returns::Resource | Returns::Messages)
            && !operation.returns_tool_result;
    let (bytes, most) = (if is_whole { size(&value) } else { 0 }, operation.result_bytes);
    if u64::try_from(bytes).is_ok_and(|bytes| bytes > most) {
        return Err(Fault::too_large(format!("The result has {bytes} bytes."))
            .expecting(format!("at most {most} bytes")));
    }
    Ok(value)
}
