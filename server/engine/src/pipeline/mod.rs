//! What every call passes, whichever door it came through. This file lists the layers in order;
//! each has a file of its own.

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
mod validation;

use std::future::{Future, Ready, ready};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;

use futures::future::Either;

use crate::authority::Authority;
use crate::call::{Call, Caller};
use crate::fault::Result;
use crate::outcome::Outcome;
use crate::recorder::Recorder;
use crate::toolset::Toolset;
use crate::updates::Updates;
pub(crate) use audit::Entry;
use limits::Bounds;
pub(crate) use limits::Places;
use rate::Meter;

/// One layer, in the manner of `tower`: it may answer itself, or pass the request on, in the next
/// phase's type.
///
/// Its future holds that of the layer within, and is moved into that of the layer around it. So a layer
/// looks at the request before it makes one, and boxes what few calls need.
pub(crate) trait Service<Request>: Send + Sync {
    fn call(&self, request: Request) -> impl Future<Output = Result<Outcome>> + Send;
}

/// Passes on what a layer lets through, or answers why it does not.
fn onward<R, F>(
    looked_at: Result<R>,
    next: impl FnOnce(R) -> F,
) -> Either<F, Ready<Result<Outcome>>> {
    match looked_at {
        Ok(request) => Either::Left(next(request)),
        Err(fault) => Either::Right(ready(Err(fault))),
    }
}

/// The layers, outermost first. Idempotency, confirmation and the result cache stand between validation
/// and limits: they need checked arguments, and none should take a handler's place.
type Layers = audit::Audit<
    rate::Rate<
        policy::Gate<
            validation::Validation<
                idempotency::Idempotency<
                    confirmation::Confirmation<
                        cache::Cache<
                            limits::Limits<
                                deadline::Deadline<
                                    retry::Retry<guard::Guard<dispatcher::Dispatcher>>,
                                >,
                            >,
                        >,
                    >,
                >,
            >,
        >,
    >,
>;

/// What an operator may set about how calls are carried out.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Handlers at work at once; the manifest's number when absent.
    pub(crate) concurrency: Option<u32>,
    /// Of these, for one principal.
    pub(crate) per_principal: Option<u32>,
    /// Calls that may wait for a place.
    pub(crate) queue: usize,
    /// Calls a second from one principal.
    pub(crate) rate: Option<NonZeroU32>,
}

impl Settings {
    /// Most handlers of an authority that are at work at once.
    fn at_once(&self, authority: &Authority) -> u32 {
        self.concurrency.unwrap_or(authority.concurrency).max(1)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { concurrency: None, per_principal: None, queue: 256, rate: None }
    }
}

/// The whole way from a named operation to its outcome.
pub(crate) struct Pipeline {
    layers: Layers,
    at_once: u32,
    recorder: Recorder,
    /// What the layers ask, too.
    meter: Arc<Meter>,
    bounds: Arc<Bounds>,
}

impl Pipeline {
    pub(crate) fn new(
        toolset: Arc<dyn Toolset>,
        settings: &Settings,
        recorder: Recorder,
        updates: Updates,
    ) -> Self {
        let authority = toolset.authority();
        let Recorder { state, counters, .. } = recorder.clone();
        let dispatcher = dispatcher::Dispatcher::new(toolset, updates);
        let guard = guard::Guard::new(dispatcher);
        let retry = retry::Retry::new(counters.clone(), guard);
        let deadline = deadline::Deadline::new(retry);
        let bounds = Arc::new(Bounds::new(authority, settings, counters.clone()));
        let limits = limits::Limits::new(bounds.clone(), deadline);
        let cache = cache::Cache::new(authority, counters.clone(), limits);
        let confirmation = confirmation::Confirmation::new(cache);
        let idempotency = idempotency::Idempotency::new(state, confirmation);
        let validation = validation::Validation::new(idempotency);
        let gate = policy::Gate::new(validation);
        let meter = Arc::new(Meter::new(settings.rate, counters.clone()));
        let rate = rate::Rate::new(meter.clone(), gate);
        let layers = audit::Audit::new(recorder.clone(), rate);
        Self { layers, at_once: settings.at_once(authority), recorder, meter, bounds }
    }

    /// Most handlers that are at work at once.
    pub(crate) fn at_once(&self) -> u32 {
        self.at_once
    }

    /// Runs a call. Boxed, so that whoever carries a request about does not carry all layers with it.
    pub(crate) fn call(&self, call: Call) -> impl Future<Output = Result<Outcome>> + Send + Unpin {
        Box::pin(self.layers.call(call))
    }

    /// Counts a request that no layer sees.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED` when its caller sends too much.
    pub(crate) fn count(&self, caller: &Caller) -> Result<()> {
        self.meter.check(&caller.principal)
    }

    /// What a look around takes until it ends: it counts against its caller's rate, and takes a
    /// handler's place.
    ///
    /// # Errors
    /// `LIMIT_EXCEEDED`, as for a call.
    pub(crate) async fn turn(&self, caller: &Caller) -> Result<Places> {
        self.count(caller)?;
        self.bounds.turn(caller).await
    }

    /// The record of a request that ends before the layers: it looks around, or its surface refuses
    /// it.
    pub(crate) fn note(&self, caller: &Caller, name: &str, bytes: usize, start: Instant) -> Entry {
        Entry::open(&self.recorder, caller, name, bytes, start)
    }
}
