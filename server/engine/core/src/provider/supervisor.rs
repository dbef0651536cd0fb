//! Examines providers: at the start, when they report a change, on demand, and after failures.

use std::fmt;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::{BoxFuture, Control, KnownOffer, OperatorView, Supervised};
use crate::authority::{Authority, DynamicOperation, LiveAuthority};
use crate::availability::{Probe, ProviderState, ProviderStates, UpstreamFigures, Withheld};
use crate::call::bound_call::{BoundCall, BoundCalls};
use crate::call::context::Context;
use crate::fault::{Code, Fault, Result};
use crate::updates::Updates;

/// The time that a probe has, with the list of operations.
const PROBE_TIME: Duration = Duration::from_secs(10);
/// The time for which changes are collected. It also limits how often a provider is examined.
const CHANGES_TIME: Duration = Duration::from_millis(20);
/// The time for which the end of running probes is awaited. Those that block their threads may last longer.
const CLOSE_TIME: Duration = Duration::from_secs(1);

/// The providers of an application, which others may replace while it runs.
#[derive(Default)]
pub struct Supervisors(RwLock<Arc<SupervisedProviders>>);

/// Providers, and the tasks that examine them. The tasks end with it.
#[derive(Default)]
pub struct SupervisedProviders {
    providers: Vec<Arc<dyn Supervised>>,
    states: Arc<ProviderStates>,
    tasks: Vec<AbortOnDropHandle<()>>,
    probes: Probes,
}

/// The threads of running probes.
#[derive(Default, Clone)]
struct Probes {
    running: TaskTracker,
    /// Ends them.
    end: CancellationToken,
}

impl Supervisors {
    /// Supervises these providers: examines each when [`ProviderStates::begin`] or a call asks for it. Their operations join
    /// the authority, and they announce changed resources.
    ///
    /// # Panics
    /// If there are providers, and no runtime.
    pub fn start(
        providers: Vec<Arc<dyn Supervised>>,
        live: &LiveAuthority,
        updates: &Updates,
    ) -> Self {
        let states = ProviderStates::new(measured(&providers));
        let supervised =
            SupervisedProviders::start(providers, states, &live.now(), (live, updates));
        Self(RwLock::new(Arc::new(supervised)))
    }

    /// The same for the providers of an authority that is not served yet. [`Self::replace`] lets them take the place of the
    /// current ones.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_next(
        &self,
        providers: Vec<Arc<dyn Supervised>>,
        authority: &Authority,
        (live, updates): (&LiveAuthority, &Updates),
    ) -> SupervisedProviders {
        let states = self.now().states.replaced_by(measured(&providers));
        SupervisedProviders::start(providers, states, authority, (live, updates))
    }

    /// Replaces the providers. Running calls end with those with which they began.
    pub fn replace(&self, next: SupervisedProviders) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
    }

    fn now(&self) -> Arc<SupervisedProviders> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the examination of the providers, in bounded time.
    pub(crate) async fn close(&self) {
        self.now().close().await;
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.now().providers.is_empty()
    }

    /// Returns what an operator sees of the provider of this name; `None` if there is no such provider.
    pub fn operator_view(&self, name: &str) -> Option<OperatorView> {
        self.find_by_name(name).ok().map(|provider| provider.operator_view())
    }

    /// Does what an operator has asked for, and then examines the provider of this name.
    ///
    /// # Errors
    /// As [`Supervised::control`], and if there is no such provider.
    pub async fn control(&self, name: &str, control: Control) -> Result<()> {
        let controlled = self.find_by_name(name)?.control(control).await;
        if let Some(state) = self.states().find_by_name(name) {
            state.examine_now().await;
        }
        controlled
    }

    /// Returns what is known of the providers.
    pub fn states(&self) -> Arc<ProviderStates> {
        self.now().states.clone()
    }

    /// Runs an operation of the provider of this name.
    ///
    /// # Errors
    /// As [`Offers::call`](super::Offers::call).
    pub(crate) async fn call(
        &self,
        name: &str,
        operation: &str,
        cx: &Context,
        arguments: Map<String, Value>,
    ) -> Result<Value> {
        self.find_by_name(name)?.call(operation, cx, arguments).await
    }

    /// Identifies what the operations of all providers change for an account. Handlers may use any of them.
    pub(crate) fn location(&self, account: Option<&str>) -> String {
        let mut all = String::new();
        for provider in &self.now().providers {
            let location = provider.location(account);
            if !location.is_empty() {
                all.extend(["\n", provider.name(), ": ", &location]);
            }
        }
        all
    }

    fn find_by_name(&self, name: &str) -> Result<Arc<dyn Supervised>> {
        let now = self.now();
        let found = now.providers.iter().find(|provider| provider.name() == name).cloned();
        found.ok_or_else(|| Fault::internal(format!("the provider `{name}` does not exist")))
    }

    /// Records how a call that needed a provider has ended.
    pub(crate) fn record(&self, name: &str, outcome: std::result::Result<&Value, &Fault>) {
        let now = self.now();
        let mut providers = now.providers.iter();
        if providers.any(|provider| provider.name() == name && provider.judges_itself()) {
            return;
        }
        if let Some(state) = now.states.find_by_name(name) {
            state.record(outcome.err());
        }
    }
}

impl SupervisedProviders {
    fn start(
        providers: Vec<Arc<dyn Supervised>>,
        states: ProviderStates,
        authority: &Authority,
        (live, updates): (&LiveAuthority, &Updates),
    ) -> Self {
        let declared = &authority.tables().providers;
        let declared = |name: &str| declared.iter().any(|provider| provider.name == name);
        for provider in providers.iter().filter(|provider| !declared(provider.name())) {
            let name = provider.name();
            tracing::warn!(
                provider = name,
                "the manifest does not declare a provider of the application"
            );
        }
        let probes = Probes::default();
        let examining = providers.iter().zip(states.iter()).map(|(provider, state)| {
            let (provider, state) = (provider.clone(), state.clone());
            let supervised = ExaminedProvider { provider, state, probes: probes.clone() };
            supervised.introduce(live);
            tokio::spawn(supervised.supervise(live.clone()))
        });
        let announcing = providers.iter().zip(states.iter()).map(|(provider, state)| {
            let (provider, state, updates) = (provider.clone(), state.clone(), updates.clone());
            tokio::spawn(async move {
                state.begun().await;
                provider.announce(&updates).await;
            })
        });
        let tasks = examining.chain(announcing).map(AbortOnDropHandle::new).collect();
        Self { tasks, probes, providers, states: Arc::new(states) }
    }

    /// Ends the examinations. Who waits for one goes on with what is known.
    fn end(&self) {
        self.tasks.iter().for_each(AbortOnDropHandle::abort);
        self.probes.end.cancel();
        self.states.iter().for_each(|state| state.end());
    }

    async fn close(&self) {
        self.end();
        self.probes.running.close();
        let _ = timeout(CLOSE_TIME, self.probes.running.wait()).await;
    }

    /// Returns what is known of the providers.
    pub fn states(&self) -> &Arc<ProviderStates> {
        &self.states
    }
}

/// The names of providers, and how to read what they measure.
fn measured(
    providers: &[Arc<dyn Supervised>],
) -> impl Iterator<Item = (&str, Box<dyn Fn() -> Option<UpstreamFigures> + Send + Sync>)> {
    providers.iter().map(|provider| {
        let shared = provider.clone();
        (provider.name(), Box::new(move || shared.figures()) as Box<_>)
    })
}

impl BoundCalls for Supervisors {
    fn call<'a>(&'a self, provider: &'a str, call: BoundCall<'a>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move { self.find_by_name(provider)?.call_bound(call).await })
    }
}

impl fmt::Debug for Supervisors {
    /// Writes the names of the providers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = self.now();
        f.debug_list().entries(now.providers.iter().map(|provider| provider.name())).finish()
    }
}

/// A provider, and what is known of it.
struct ExaminedProvider {
    provider: Arc<dyn Supervised>,
    state: Arc<ProviderState>,
    probes: Probes,
}

impl ExaminedProvider {
    /// Begins with what is known of the provider. The first examination reports problems.
    fn introduce(&self, live: &LiveAuthority) {
        if let Some(KnownOffer { probe, operations }) = self.provider.known() {
            live.provide(self.provider.name(), operations);
            let mut status = self.state.status();
            status.probed(probe);
            self.state.publish(&status);
        }
    }

    /// Examines the provider whenever there is a reason, until the task is aborted.
    async fn supervise(self, live: LiveAuthority) {
        self.state.begun().await;
        let provider = self.provider.clone();
        let mut changed = next_change(&*provider);
        let mut running = None;
        loop {
            let is_outdated = self.state.is_outdated.swap(false, Ordering::AcqRel);
            self.examine(&live, &mut running, is_outdated).await;
            self.state.examined();
            loop {
                tokio::select! {
                    () = &mut changed => {
                        sleep(CHANGES_TIME).await;
                        self.state.is_outdated.store(true, Ordering::Release);
                        changed = next_change(&*provider);
                        break;
                    }
                    () = self.state.wake.notified() => break,
                    () = self.state.failed.notified() => {}
                    () = self.retry() => {
                        self.state.is_outdated.store(true, Ordering::Release);
                        break;
                    }
                }
            }
        }
    }

    /// Completes when a provider that has failed is to be tried again.
    async fn retry(&self) {
        let wait = self.state.status().retry();
        match wait {
            Some(wait) => sleep(wait).await,
            None => pending().await,
        }
    }

    /// Probes the provider, and reads its operations if they may have changed.
    async fn examine(
        &self,
        live: &LiveAuthority,
        running: &mut Option<JoinHandle<Result<Found>>>,
        is_outdated: bool,
    ) {
        // Before the first success, and after a failure, the operations are not known.
        let is_outdated = is_outdated || !self.state.is_available();
        let job = running.get_or_insert_with(|| {
            let (provider, runtime) = (self.provider.clone(), Handle::current());
            self.probes.spawn(move |end| {
                let found = end.run_until_cancelled(find(&*provider, is_outdated));
                runtime
                    .block_on(found)
                    .unwrap_or_else(|| Err(Fault::cancelled("The server is stopping.")))
            })
        });
        let found = match timeout(PROBE_TIME, job).await {
            Ok(found) => {
                *running = None;
                found.unwrap_or_else(|_| Err(Fault::internal("The probe of a provider panicked.")))
            }
            // The job goes on, and the next examination waits for it rather than start another.
            Err(_) => Err(Fault::new(
                Code::Timeout,
                format!("It has not answered within {} seconds.", PROBE_TIME.as_secs()),
            )),
        };
        let name = self.provider.name();
        let mut status = self.state.status();
        match found {
            Ok(Found { probe, offer }) => {
                status.probed(probe);
                if let Some(Offer { operations, problems, withheld, instructions }) = offer {
                    status.instruct(instructions);
                    self.state.withhold(withheld);
                    for problem in
                        problems.iter().filter(|problem| !status.problems().contains(problem))
                    {
                        tracing::warn!(provider = name, %problem, "a provider cannot use a part of its data");
                    }
                    status.report(problems);
                    let refused = live.provide(name, operations);
                    for why in refused.iter().filter(|why| !status.refuses(why)) {
                        tracing::warn!(provider = name, %why, "an operation of a provider cannot be added");
                    }
                    status.refuse(&refused);
                }
            }
            Err(fault) => {
                tracing::warn!(provider = name, reason = fault.message(), "a provider has failed");
                status.failed(fault.message());
            }
        }
        self.state.publish(&status);
    }
}

impl Probes {
    /// Runs a probe in a thread of its own, which ends before the runtime does: timers panic without it.
    fn spawn<T: Send + 'static>(
        &self,
        probe: impl FnOnce(&CancellationToken) -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let end = self.end.clone();
        self.running.spawn_blocking(move || probe(&end))
    }
}

impl Drop for SupervisedProviders {
    fn drop(&mut self) {
        self.end();
    }
}

/// The result of an examination. `offer` is `None` if it was not read.
struct Found {
    probe: Probe,
    offer: Option<Offer>,
}

/// What a provider offers, and what it cannot use.
struct Offer {
    operations: Vec<DynamicOperation>,
    problems: Vec<String>,
    withheld: Withheld,
    instructions: Option<String>,
}

async fn find(provider: &dyn Supervised, is_outdated: bool) -> Result<Found> {
    let probe = provider.probe().await?;
    let reads = is_outdated && matches!(probe, Probe::Available { .. });
    let offer = if reads {
        let operations = provider.operations().await?;
        let problems = provider.problems().await?;
        let (withheld, instructions) = (provider.withheld(), provider.instructions());
        Some(Offer { operations, problems, withheld, instructions })
    } else {
        None
    };
    Ok(Found { probe, offer })
}

/// Waits for the next change that a provider reports. A provider that panics reports no further change.
fn next_change(provider: &dyn Supervised) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        if AssertUnwindSafe(provider.changed()).catch_unwind().await.is_err() {
            tracing::error!(
                provider = provider.name(),
                "a provider panicked while waiting for a change"
            );
            pending::<()>().await;
        }
    })
}
