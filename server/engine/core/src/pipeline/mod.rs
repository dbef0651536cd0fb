//! The pipeline: the phases of every call, in order, for all transports. Each phase has a file of its own.

mod aliases;
mod audit;
mod behind;
mod bound;
mod cache;
mod confirmation;
mod deadline;
mod dispatcher;
mod guard;
mod idempotency;
mod limits;
mod merged;
mod policy;
mod preview;
mod prompt_text;
mod rate;
mod retry;
mod session_limit;
mod settings;
mod timeouts;
mod unconfirmed;
mod validation;

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde_json::Value;

use crate::audit::claim::IdempotencyKey;
use crate::audit::recorder::Recorder;
use crate::authority::{Builtin, Effect, OperationHandle, Returns, instances};
use crate::builtin::Builtins;
use crate::call::calls::{CallRunner, Calls};
use crate::call::{Call, Caller, Validated};
use crate::dialogue::confirmed::Confirmed;
use crate::dialogue::{Dialogue, Interrupt};
use crate::fault::{Code, Fault, Result};
use crate::provider::Supervisors;
use crate::result::outcome::Outcome;
use crate::result::shaping::{Shaped, Shaping};
use crate::runtime::watchdog::Watchdog;
use crate::shared::Heard;
use crate::toolset::{Setup, Toolset};
use crate::updates::Updates;
pub use audit::AuditEntry;
use cache::{CacheLookup, ResultCache};
use confirmation::Confirmation;
use deadline::Deadline;
use dispatcher::Dispatcher;
use idempotency::{Begun, Idempotency};
use limits::HandlerLimits;
pub use limits::Permits;
use rate::Rate;
use retry::Retry;
use session_limit::SessionLimit;
pub use settings::CallSettings;
pub use timeouts::Timeouts;

/// The outcome of a call, or why it ended without one.
type Ended = std::result::Result<Outcome, Interrupt>;

/// Runs calls, from the name of an operation to its outcome.
pub struct Pipeline {
    most_calls: usize,
    phases: Arc<Phases>,
}

/// A call that passed validation, and what its later phases need.
struct Ready {
    call: Validated,
    alias: Option<u16>,
    shaping: Shaping,
    key: Option<IdempotencyKey>,
}

/// The phases that have state. Phases without state are functions.
struct Phases {
    recorder: Arc<Recorder>,
    rate: Rate,
    session_limit: SessionLimit,
    idempotency: Idempotency,
    confirmation: Confirmation,
    cache: ResultCache,
    limits: HandlerLimits,
    timeouts: Timeouts,
    retry: Retry,
    dispatcher: Dispatcher,
    watchdog: Watchdog,
}

impl Phases {
    /// Runs a call through every phase. Idempotency, confirmation and the cache come between validation and
    /// limits: they need checked arguments, and a call must not take a permit before them.
    async fn run(self: &Arc<Self>, mut call: Call) -> Ended {
        // Before the record, which names the operation.
        let resolved = merged::resolve(call.caller.policy(), &mut call.name, &mut call.arguments);
        let entry = AuditEntry::begin(&self.recorder, &mut call);
        let result = self.answer(call, resolved).await;
        entry.ended(&result);
        if let Ok(outcome) = &result {
            self.recorded(&outcome.operation).await;
        }
        result
    }

    /// Waits until a change is in the audit, if the operator requires that.
    async fn recorded(&self, operation: &OperationHandle) {
        let operation = operation.row();
        if operation.effect != Effect::Read && self.recorder.state.written().await.is_err() {
            // It is done, so it is no failure. The record waits, and the next change is refused.
            tracing::error!(operation = operation.id, "a change is not in the audit yet");
        }
    }

    /// `resolved` is the fault of a call that names no operation of a merged tool.
    async fn answer(self: &Arc<Self>, call: Call, resolved: Result<()>) -> Ended {
        let Ready { call, alias, shaping, key } = self.ready(call, resolved).await?;
        let operation = call.operation.clone();
        let id = &operation.row().id;
        if operation.row().effect != Effect::Read && self.recorder.state.written().await.is_err() {
            return Err(unrecorded().of_operation(id).into());
        }
        let instance = call.instance;
        let outcome = match key {
            Some(key) => {
                let once = self.once(key, call).await;
                once.map_err(|interrupt| interrupt.map(|fault| fault.of_operation(id)))?
            }
            None => self.confirmed(call).await?,
        };
        let shaped = shaping.apply(operation.row(), outcome.value);
        let Shaped { mut value, beside, meta } = shaped.map_err(|fault| fault.of_operation(id))?;
        name_instance(&operation, instance, &mut value);
        Ok(Outcome { operation, alias, value, beside, meta })
    }

    /// Runs the phases that need no permit and change nothing: from the limits of the caller to validation.
    async fn ready(&self, call: Call, resolved: Result<()>) -> Result<Ready> {
        self.count(&call.caller).await?;
        resolved?;
        policy::examined(&call).await?;
        let admitted = policy::admit(call)?;
        let alias = admitted.alias;
        let (mut call, shaping) = validation::validate(admitted).await?;
        let key = idempotency::key(&mut call)?;
        Ok(Ready { call, alias, shaping, key })
    }

    /// Runs a call up to validation, and drops it.
    async fn check(&self, mut call: Call) -> Result<()> {
        let resolved = merged::resolve(call.caller.policy(), &mut call.name, &mut call.arguments);
        self.ready(call, resolved).await.map(drop)
    }

    /// Counts a request against the rate limit, and if that allows it, against the session limit.
    async fn count(&self, caller: &Caller) -> Result<()> {
        self.rate.check(caller.principal()).await?;
        self.session_limit.check(caller).await
    }

    /// Runs a call that has an idempotency key. It runs in a task of its own, so that it ends, and its answer
    /// is stored, even if the client disconnects.
    async fn once(self: &Arc<Self>, key: IdempotencyKey, mut call: Validated) -> Ended {
        call.caller.cancellation = call.caller.cancellation.child_token();
        let _not_begun = call.caller.cancellation.clone().drop_guard();
        let phases = self.clone();
        let run = tokio::spawn(async move {
            match phases.idempotency.begin(key, &mut call).await? {
                Begun::Before(value) => Ok(Outcome::new(call.operation, value)),
                Begun::Now(keyed_call) => {
                    let result = phases.confirmed(call).await;
                    keyed_call.end(&result).await;
                    result
                }
            }
        });
        run.await.unwrap_or_else(|_| {
            Err(Fault::internal("the task of a call with an idempotency key was aborted").into())
        })
    }

    /// Asks for confirmation if the operation requires it, and executes the call.
    async fn confirmed(&self, mut call: Validated) -> Ended {
        let Some(request) = self.confirmation.request(&call).await else {
            return self.execute(call).await;
        };
        let operation = call.operation.clone();
        let id = &operation.row().id;
        let consent = self.consent(&call, &request).await;
        let confirmed =
            consent.map_err(|interrupt| interrupt.map(|fault| fault.of_operation(id)))?;
        call.confirmed = confirmed;
        if operation.row().builtin == Some(Builtin::BatchGet) {
            call.caller.dialogue = Dialogue::Settled;
        }
        let result = self.execute(call).await;
        self.confirmation.renew(&request, confirmed, result).await
    }

    /// Returns the confirmation of this call, or asks for it. Only the question needs a preview.
    async fn consent(
        &self,
        call: &Validated,
        request: &confirmation::ConfirmationRequest,
    ) -> std::result::Result<Confirmed, Interrupt> {
        if let Some(confirmed) = self.confirmation.redeem(call, request).await? {
            return Ok(confirmed);
        }
        let preview = match confirmation::dry(call) {
            Some(dry) => Some(self.execute(dry).await?.value),
            None => None,
        };
        self.confirmation.ask(call, request, preview.as_ref()).await
    }

    /// Runs the phases from the cache to the handler, for calls and for previews.
    async fn execute(&self, mut call: Validated) -> Ended {
        let operation = call.operation.clone();
        let row = operation.row();
        let reuse = match self.cache.look_up(&mut call) {
            CacheLookup::Hit(value) => return Ok(Outcome::new(call.operation, value)),
            CacheLookup::Miss(reuse) => reuse,
        };
        // The reads of a batch take permits of their own, and would wait for those of batches. A nested call would wait for
        // that of the call that makes it.
        let permits = if row.builtin == Some(Builtin::BatchGet) || call.caller.is_nested {
            None
        } else {
            let permits = self.limits.acquire(&call.caller, Some(row)).await;
            Some(permits.map_err(|fault| fault.of_operation(&row.id))?)
        };
        // The permits are released when the last work of the call has ended.
        call.held.keep((self.recorder.counters.handlers.hold(), permits));
        let timeout = self.timeouts.for_operation(&operation);
        let deadline =
            Deadline::begin(&mut call, timeout).map_err(|fault| fault.of_operation(&row.id))?;
        let dialogue = call.caller.dialogue.clone();
        let attempt = |call| {
            let handler = self.dispatcher.call(call, deadline.instant());
            guard::catch(
                self.recorder.state.shared().replica(),
                &row.id,
                self.watchdog.watch(handler),
            )
        };
        let work = pin!(self.retry.run(call, deadline.instant(), attempt));
        let result = deadline.limit(work).await;
        reuse.told().await;
        let outcome = result.map_err(|fault| dialogue.interrupt(fault.of_operation(&row.id)))?;
        self.cache.keep(reuse, &outcome);
        Ok(outcome)
    }
}

/// The refusal of a change that would not be in the audit.
fn unrecorded() -> Fault {
    Fault::new(
        Code::ProviderUnavailable,
        "The server must record each change, and cannot at the moment. Nothing was done.",
    )
    .retry_after(5.0)
    .hinting("Send the same call again later. The server's log has the reason.")
}

/// Names the instance in a result that is an object, if the application serves several.
fn name_instance(operation: &OperationHandle, instance: usize, value: &mut Value) {
    let authority = operation.authority();
    let row = operation.row();
    let parameter = instances::parameter(authority.tables(), row);
    let is_named =
        |name: &&str| row.input(name).is_some() && matches!(row.returns, Returns::Object(_));
    if let (Some(instance), Some(parameter), Value::Object(object)) =
        (authority.instances().get(instance), parameter.filter(is_named), value)
    {
        object.insert(parameter.to_owned(), instance.name.as_str().into());
    }
}

impl CallRunner for Phases {
    fn run_call(self: Arc<Self>, call: Call) -> BoxFuture<'static, Ended> {
        Box::pin(async move { self.run(call).await })
    }
}

impl Pipeline {
    /// Creates the pipeline for the handlers of a toolset, with the setup of its application, and its providers.
    pub fn new(
        toolset: Arc<dyn Toolset>,
        setup: Arc<Setup>,
        supervisors: Arc<Supervisors>,
        settings: &CallSettings,
        recorder: Recorder,
        updates: Updates,
    ) -> Self {
        let authority = toolset.authority();
        let tables = authority.tables();
        let Recorder { state, counters, calls, savings, .. } = recorder.clone();
        let served = setup.as_name().filter(|_| authority.instances().is_empty());
        let recorder = recorder.of_served(served);
        let location = state.location().unwrap_or(setup.as_location()).to_owned();
        let phases = Arc::new_cyclic(|phases: &Weak<Phases>| Phases {
            rate: Rate::new(settings.rate, state.clone(), counters.clone()),
            session_limit: SessionLimit::new(
                settings.session_calls(tables),
                state.clone(),
                counters.clone(),
            ),
            confirmation: Confirmation::new(location.clone(), state.clone()),
            idempotency: Idempotency::new(state.clone(), location, supervisors.clone()),
            cache: ResultCache::new(state, counters.clone()),
            limits: HandlerLimits::new(tables, settings, recorder.state.share(), counters.clone()),
            timeouts: settings.timeouts.clone(),
            retry: Retry::new(counters.clone()),
            dispatcher: Dispatcher::new(
                toolset,
                supervisors,
                updates,
                recorder.state.share(),
                Builtins::new(setup, calls, savings, phases.clone()),
                phases.clone(),
            ),
            watchdog: Watchdog::default(),
            recorder: Arc::new(recorder),
        });
        Self { most_calls: settings.most_calls(tables), phases }
    }

    /// Returns how many calls may be running or queued at once.
    pub fn most_calls(&self) -> usize {
        self.most_calls
    }

    /// Returns how long the handler of an operation may run.
    pub fn timeout(&self, operation: &OperationHandle) -> Duration {
        self.phases.timeouts.for_operation(operation)
    }

    /// Runs a call. The future is boxed once, because it holds the state of all phases.
    pub fn call(&self, call: Call) -> impl Future<Output = Ended> + Send + Unpin {
        Box::pin(self.phases.run(call))
    }

    /// Checks a call as [`Self::call`] does, and stops before confirmation, cache and handler. It counts against the
    /// limits of the caller, and is not recorded, because nothing is called.
    ///
    /// # Errors
    /// The fault with which the call would fail before its handler.
    pub fn check(&self, call: Call) -> impl Future<Output = Result<()>> + Send + Unpin {
        Box::pin(self.phases.check(call))
    }

    /// Returns calls on behalf of this caller.
    pub fn calls(&self, caller: Box<Caller>) -> Calls {
        let phases: Weak<Phases> = Arc::downgrade(&self.phases);
        Calls::new(phases, caller)
    }

    /// Does what other replicas have told.
    pub fn hear(&self, heard: &Heard) {
        self.phases.cache.hear(heard);
    }

    /// Closes the application, in bounded time.
    pub async fn close(&self) {
        self.phases.dispatcher.close().await;
    }

    /// Counts a request that does not run through the phases.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` if the caller exceeds a limit.
    pub async fn count(&self, caller: &Caller) -> Result<()> {
        self.phases.count(caller).await
    }

    /// Admits a query that runs no operation: counts it against the caller's limits, and waits for permits.
    /// The query holds them until it ends.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`, as for a call.
    pub async fn acquire_permits(&self, caller: &Caller) -> Result<Permits> {
        self.count(caller).await?;
        self.phases.limits.acquire(caller, None).await
    }

    /// Begins the audit record of a request that does not run through the phases: a query, or a call that its
    /// surface refuses.
    pub fn note(&self, caller: &Caller, name: &str, bytes: usize, start: Instant) -> AuditEntry {
        AuditEntry::open(&self.phases.recorder, caller, name, bytes, start)
    }
}
