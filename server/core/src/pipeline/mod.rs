//! The phases of a call, in order, whichever transport it came through. Each phase has a file of its
//! own.

mod audit;
mod cache;
mod confirmation;
mod deadline;
mod dispatcher;
mod guard;
mod idempotency;
mod limits;
mod policy;
mod rate;
mod retry;
mod session_limit;
mod timeouts;
mod validation;

use std::future::Future;
use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::authority::{OperationHandle, Tables};
use crate::call::{Bound, Call, Caller};
use crate::claim::IdempotencyKey;
use crate::confirmed::Confirmed;
use crate::dialogue::Interrupt;
use crate::fault::{Fault, Result};
use crate::outcome::Outcome;
use crate::recorder::Recorder;
use crate::session_calls::MostCalls;
use crate::toolset::Toolset;
use crate::updates::Updates;
use crate::watchdog::Watchdog;
pub use audit::AuditEntry;
use cache::{Cache, Lookup};
use confirmation::Confirmation;
use deadline::Deadline;
use dispatcher::Dispatcher;
use idempotency::{Begun, Idempotency};
use limits::HandlerLimits;
pub use limits::Places;
use rate::Rate;
use retry::Retry;
use session_limit::SessionLimit;
pub use timeouts::Timeouts;

/// What a call came to, or why it ended without an outcome.
type Ended = std::result::Result<Outcome, Interrupt>;

/// What an operator may set about how calls are carried out.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Handlers at work at once; the manifest's number when absent.
    pub concurrency: Option<u32>,
    /// Of these, for one principal; when absent, half of them for one that has an account.
    pub per_principal: Option<u32>,
    /// Calls that may wait for a place.
    pub queue: usize,
    /// Calls a second from one principal.
    pub rate: Option<NonZeroU32>,
    /// Calls of one session, or without one of a principal in an hour; the manifest's number when absent.
    pub session_calls: Option<MostCalls>,
    /// How long handlers may run.
    pub timeouts: Timeouts,
}

impl Settings {
    /// Most handlers of an authority that are at work at once.
    pub fn handlers(&self, tables: &Tables<'_>) -> u32 {
        self.concurrency.unwrap_or(tables.concurrency).max(1)
    }

    /// Most calls of one session; none for any number.
    fn session_calls(&self, tables: &Tables<'_>) -> Option<u32> {
        self.session_calls.map_or(tables.session_calls, MostCalls::number)
    }

    /// Most calls that are at work or wait for their turn.
    fn most_calls(&self, tables: &Tables<'_>) -> usize {
        self.queue.saturating_add(self.handlers(tables) as usize)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            concurrency: None,
            per_principal: None,
            queue: 256,
            rate: None,
            session_calls: None,
            timeouts: Timeouts::default(),
        }
    }
}

/// The whole way from a named operation to its outcome.
pub struct Pipeline {
    most_calls: usize,
    phases: Arc<Phases>,
}

/// What the phases keep between calls. Phases that keep nothing are functions.
struct Phases {
    recorder: Recorder,
    rate: Rate,
    session_limit: SessionLimit,
    idempotency: Idempotency,
    confirmation: Confirmation,
    cache: Cache,
    limits: HandlerLimits,
    timeouts: Timeouts,
    retry: Retry,
    dispatcher: Dispatcher,
    watchdog: Watchdog,
}

impl Phases {
    /// Runs a call through every phase. Idempotency, confirmation and the result cache stand between
    /// validation and limits: they need checked arguments, and a call must not take a handler's place
    /// before them.
    async fn run(self: &Arc<Self>, mut call: Call) -> Ended {
        let entry = AuditEntry::begin(&self.recorder, &mut call);
        let result = self.answer(call).await;
        entry.ended(&result);
        result
    }

    async fn answer(self: &Arc<Self>, call: Call) -> Ended {
        self.count(&call.caller)?;
        let admitted = policy::admit(call)?;
        let alias = admitted.alias;
        let (mut call, shaping) = validation::bind(admitted)?;
        let operation = call.operation.clone();
        let id = operation.row().id;
        let outcome = match idempotency::key(&mut call)? {
            Some(key) => {
                let once = self.once(key, call).await;
                once.map_err(|interrupt| interrupt.map(|fault| fault.of(id)))?
            }
            None => self.confirmed(call).await?,
        };
        let value = shaping.apply(operation.row(), outcome.value).map_err(|fault| fault.of(id))?;
        Ok(Outcome { operation, alias, value })
    }

    /// Counts a request against its caller's rate, and what that lets through against its session.
    fn count(&self, caller: &Caller) -> Result<()> {
        self.rate.check(&caller.principal)?;
        self.session_limit.check(caller)
    }

    /// Runs a call that has an idempotency key. It runs in a task of its own, so that it reaches its
    /// end, and the key its answer, also when its caller has gone.
    async fn once(self: &Arc<Self>, key: IdempotencyKey, mut call: Bound) -> Ended {
        call.caller.cancellation = call.caller.cancellation.child_token();
        let _not_begun = call.caller.cancellation.clone().drop_guard();
        let phases = self.clone();
        let run = tokio::spawn(async move {
            match phases.idempotency.begin(key, &mut call).await? {
                Begun::Before(value) => {
                    Ok(Outcome { operation: call.operation, alias: None, value })
                }
                Begun::Now(turn) => {
                    let result = phases.confirmed(call).await;
                    turn.end(&result).await;
                    result
                }
            }
        });
        run.await.unwrap_or_else(|_| Err(Fault::internal("a call with a key broke off").into()))
    }

    /// Asks for confirmation where the operation requires it, and executes the call.
    async fn confirmed(&self, mut call: Bound) -> Ended {
        let Some(request) = confirmation::request(&call) else { return self.execute(call).await };
        let operation = call.operation.clone();
        let id = operation.row().id;
        let consent = self.consent(&call, &request).await;
        let confirmed = consent.map_err(|interrupt| interrupt.map(|fault| fault.of(id)))?;
        call.confirmed = confirmed;
        let result = self.execute(call).await;
        self.confirmation.renew(&request, confirmed, result)
    }

    /// Completes when exactly this call is confirmed. Only a question needs a preview.
    async fn consent(
        &self,
        call: &Bound,
        request: &confirmation::ConfirmationRequest,
    ) -> std::result::Result<Confirmed, Interrupt> {
        if let Some(confirmed) = self.confirmation.redeem(call, request)? {
            return Ok(confirmed);
        }
        let preview = match confirmation::dry(call) {
            Some(dry) => Some(self.execute(dry).await?.value),
            None => None,
        };
        self.confirmation.ask(call, request, preview.as_ref()).await
    }

    /// The phases from the cache to the handler. A preview passes them as the call itself does.
    async fn execute(&self, mut call: Bound) -> Ended {
        let operation = call.operation.clone();
        let row = operation.row();
        let reuse = match self.cache.look_up(&mut call) {
            Lookup::Hit(value) => {
                return Ok(Outcome { operation: call.operation, alias: None, value });
            }
            Lookup::Miss(reuse) => reuse,
        };
        let places = self.limits.places(&call.caller, Some(row)).await;
        let places = places.map_err(|fault| fault.of(row.id))?;
        // The places are free when the last of the call's work has ended.
        call.held.keep((self.recorder.counters.handlers.hold(), places));
        let timeout = self.timeouts.of(&operation);
        let deadline = Deadline::begin(&mut call, timeout).map_err(|fault| fault.of(row.id))?;
        let dialogue = call.caller.dialogue.clone();
        let attempt = |call| {
            let handler = self.dispatcher.call(call, deadline.moment());
            guard::catch(row.id, self.watchdog.watch(handler))
        };
        let work = pin!(self.retry.run(call, deadline.moment(), attempt));
        let result = deadline.limit(work).await;
        let outcome = result.map_err(|fault| dialogue.interrupt(fault.of(row.id)))?;
        self.cache.keep(reuse, &outcome);
        Ok(outcome)
    }
}

impl Pipeline {
    /// A pipeline to these handlers.
    pub fn new(
        toolset: Arc<dyn Toolset>,
        settings: &Settings,
        recorder: Recorder,
        updates: Updates,
    ) -> Self {
        let authority = toolset.authority();
        let tables = authority.tables();
        let Recorder { state, counters, .. } = recorder.clone();
        let phases = Phases {
            rate: Rate::new(settings.rate, counters.clone()),
            session_limit: SessionLimit::new(settings.session_calls(tables), counters.clone()),
            idempotency: Idempotency::new(state),
            confirmation: Confirmation::new(),
            cache: Cache::new(counters.clone()),
            limits: HandlerLimits::new(tables, settings, counters.clone()),
            timeouts: settings.timeouts.clone(),
            retry: Retry::new(counters.clone()),
            dispatcher: Dispatcher::new(toolset, updates),
            watchdog: Watchdog::default(),
            recorder,
        };
        Self { most_calls: settings.most_calls(tables), phases: Arc::new(phases) }
    }

    /// Most calls that are at work or wait for their turn.
    pub fn most_calls(&self) -> usize {
        self.most_calls
    }

    /// How long the handler of an operation may run.
    pub fn timeout(&self, operation: &OperationHandle) -> Duration {
        self.phases.timeouts.of(operation)
    }

    /// Runs a call. The future is boxed once, so that callers do not carry the state of all phases.
    pub fn call(&self, call: Call) -> impl Future<Output = Ended> + Send + Unpin {
        Box::pin(self.phases.run(call))
    }

    /// Closes the application behind the handlers, in bounded time.
    pub async fn close(&self) {
        self.phases.dispatcher.close().await;
    }

    /// Counts a request that passes no phase.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` when its caller sends too much.
    pub fn count(&self, caller: &Caller) -> Result<()> {
        self.phases.count(caller)
    }

    /// What a look around takes until it ends: it counts against its caller's rate, and takes a
    /// handler's place.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`, as for a call.
    pub async fn turn(&self, caller: &Caller) -> Result<Places> {
        self.count(caller)?;
        self.phases.limits.places(caller, None).await
    }

    /// The record of a request that ends before the phases: it looks around, or its surface refuses
    /// it.
    pub fn note(&self, caller: &Caller, name: &str, bytes: usize, start: Instant) -> AuditEntry {
        AuditEntry::open(&self.phases.recorder, caller, name, bytes, start)
    }
}
