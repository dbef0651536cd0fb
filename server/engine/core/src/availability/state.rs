//! What is known of each provider, shared by the task that examines it and by the policies.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Instant;

use futures::future::join_all;
use tokio::sync::{Notify, watch};

use super::figures::UpstreamFigures;
use super::status::{ProviderStatus, Unavailable};
use crate::fault::{Code, Fault};

/// Milliseconds for which the result of a probe is valid while requests arrive.
const FRESH: u64 = 1000;
/// More examinations than there can be.
const ENDED: u64 = u64::MAX;

/// The operations of a provider that cannot be used although it can, by id, with the reasons.
pub type Withheld = BTreeMap<String, Unavailable>;

/// Reads what a provider measures of itself.
type Measure = Box<dyn Fn() -> Option<UpstreamFigures> + Send + Sync>;

/// The states of all providers of an application.
#[derive(Default)]
pub struct ProviderStates {
    states: Vec<Arc<ProviderState>>,
    changes: watch::Sender<u64>,
}

impl ProviderStates {
    /// Returns the states of providers with these names and measures, none of which has been examined.
    pub(crate) fn new<'a>(providers: impl Iterator<Item = (&'a str, Measure)>) -> Self {
        Self::from_parts(providers, watch::Sender::new(0))
    }

    /// Returns the states of other providers, which take the place of these. Receivers of changes see both.
    pub(crate) fn replaced_by<'a>(
        &self,
        providers: impl Iterator<Item = (&'a str, Measure)>,
    ) -> Self {
        Self::from_parts(providers, self.changes.clone())
    }

    fn from_parts<'a>(
        providers: impl Iterator<Item = (&'a str, Measure)>,
        changes: watch::Sender<u64>,
    ) -> Self {
        let states = providers
            .map(|(name, measure)| Arc::new(ProviderState::new(name, measure, changes.clone())));
        Self { states: states.collect(), changes }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<ProviderState>> {
        self.states.iter()
    }

    pub(crate) fn find_by_name(&self, name: &str) -> Option<&Arc<ProviderState>> {
        self.states.iter().find(|state| state.name == name)
    }

    /// Whether a provider is another server that is starting.
    pub fn has_starting_servers(&self) -> bool {
        self.states.iter().filter_map(|state| state.figures()).any(|figures| figures.is_starting)
    }

    /// Begins to examine each provider.
    pub fn begin(&self) {
        self.states.iter().for_each(|state| state.begin());
    }

    /// Waits until each provider has been examined once.
    pub async fn wait_until_examined(&self) {
        join_all(self.states.iter().map(|state| state.wait_until_examined())).await;
    }

    /// Waits until the provider of this name has been examined once.
    pub async fn wait_until_provider_examined(&self, name: &str) {
        if let Some(state) = self.find_by_name(name) {
            state.wait_until_examined().await;
        }
    }

    /// Returns a receiver of a number that grows whenever the availability of a provider changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns that number.
    pub(crate) fn version(&self) -> u64 {
        *self.changes.borrow()
    }
}

/// What is known of one provider.
pub(crate) struct ProviderState {
    name: String,
    status: Mutex<ProviderStatus>,
    is_available: AtomicBool,
    withheld: RwLock<Arc<Withheld>>,
    measure: Measure,
    /// Whether it has failed and will be tried again after a while, so that requests need not ask.
    is_failing: AtomicBool,
    /// Grows whenever the availability of any provider changes.
    changes: watch::Sender<u64>,
    /// Whether the task may begin to examine the provider.
    has_begun: watch::Sender<bool>,
    /// Asks the task to examine the provider.
    pub(crate) wake: Notify,
    /// Tells the task that calls have failed, and that a retry is due.
    pub(crate) failed: Notify,
    /// Whether the operations are to be read again, too.
    pub(crate) is_outdated: AtomicBool,
    /// How often the provider has been examined; [`ENDED`] if it will not be examined again.
    examined: watch::Sender<u64>,
    begun: Instant,
    /// When a request asks for the next probe, in milliseconds since `begun`.
    due: AtomicU64,
}

impl ProviderState {
    fn new(name: &str, measure: Measure, changes: watch::Sender<u64>) -> Self {
        Self {
            name: name.to_owned(),
            status: Mutex::default(),
            is_available: AtomicBool::new(false),
            withheld: RwLock::default(),
            measure,
            is_failing: AtomicBool::new(false),
            changes,
            has_begun: watch::Sender::new(false),
            wake: Notify::new(),
            failed: Notify::new(),
            is_outdated: AtomicBool::new(true),
            examined: watch::Sender::new(0),
            begun: Instant::now(),
            due: AtomicU64::new(FRESH),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn is_available(&self) -> bool {
        self.is_available.load(Ordering::Relaxed)
    }

    /// Returns what it measures of itself.
    pub(crate) fn figures(&self) -> Option<UpstreamFigures> {
        (self.measure)()
    }

    /// Returns the operations that cannot be used although it can.
    pub(crate) fn withheld(&self) -> Arc<Withheld> {
        self.withheld.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the operations that cannot be used although it can.
    pub(crate) fn withhold(&self, withheld: Withheld) {
        if *self.withheld() == withheld {
            return;
        }
        let (provider, operations) = (self.name(), withheld.len());
        *self.withheld.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(withheld);
        self.changes.send_modify(|times| *times += 1);
        tracing::info!(
            provider,
            operations,
            "the operations that a provider withholds have changed"
        );
    }

    pub(crate) fn status(&self) -> MutexGuard<'_, ProviderStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to examine the provider, if that has not begun yet.
    pub(crate) fn begin(&self) {
        self.has_begun.send_if_modified(|has_begun| !std::mem::replace(has_begun, true));
    }

    /// Waits until the provider may be examined.
    pub(crate) async fn begun(&self) {
        // The sender lives as long as `self`.
        let _ = self.has_begun.subscribe().wait_for(|has_begun| *has_begun).await;
    }

    /// Counts an examination.
    pub(crate) fn examined(&self) {
        self.examined.send_modify(|times| *times = times.saturating_add(1));
    }

    /// Ends the examinations. Nobody waits for one any more.
    pub(crate) fn end(&self) {
        self.examined.send_replace(ENDED);
    }

    /// Waits until the provider has been examined once, or will not be.
    pub(crate) async fn wait_until_examined(&self) {
        if *self.examined.borrow() > 0 {
            return;
        }
        self.begin();
        // The sender lives as long as `self`.
        let _ = self.examined.subscribe().wait_for(|times| *times > 0).await;
    }

    /// Asks for a probe, unless the last one is still valid, or the next one is due after a failure.
    pub(crate) fn refresh(&self) {
        if self.is_failing.load(Ordering::Relaxed) {
            return;
        }
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.due.load(Ordering::Relaxed);
        let (next, order) = (now.saturating_add(FRESH), Ordering::Relaxed);
        if now >= due && self.due.compare_exchange(due, next, order, order).is_ok() {
            self.wake.notify_one();
        }
    }

    /// Examines the provider and its operations now, and waits for the result.
    pub(crate) async fn examine_now(&self) {
        let mut examined = self.examined.subscribe();
        self.begin();
        // An examination that runs already may have missed what the caller has changed.
        let wanted = examined.borrow_and_update().saturating_add(2);
        while *examined.borrow_and_update() < wanted {
            self.is_outdated.store(true, Ordering::Release);
            self.wake.notify_one();
            // The sender lives as long as `self`.
            let _ = examined.changed().await;
        }
    }

    /// Records how a call that needed the provider has ended: with this fault, or well.
    pub(crate) fn record(&self, fault: Option<&Fault>) {
        let is_provider_fault = |fault: &&Fault| {
            matches!(
                fault.code(),
                Code::UpstreamError | Code::ProviderUnavailable | Code::Internal | Code::Timeout
            )
        };
        let is_disabled = {
            let mut status = self.status();
            match fault.filter(is_provider_fault) {
                Some(fault) => status.call_failed(fault.message()),
                None => status.served(),
            }
            self.publish(&status)
        };
        if is_disabled {
            self.failed.notify_one();
        }
    }

    /// Publishes whether the provider is available. Returns whether that has changed.
    pub(crate) fn publish(&self, status: &ProviderStatus) -> bool {
        let is_available = status.is_available();
        self.is_failing.store(status.retry().is_some(), Ordering::Relaxed);
        let has_changed = self.is_available.swap(is_available, Ordering::Relaxed) != is_available;
        if has_changed {
            self.changes.send_modify(|times| *times += 1);
            let reason = status.unavailable().map(|why| why.message);
            let provider = self.name();
            tracing::info!(
                provider,
                is_available,
                reason,
                "the availability of a provider has changed"
            );
        }
        has_changed
    }
}
