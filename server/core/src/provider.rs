//! Providers: whether what some operations need from outside is available now. The application is asked at
//! the first request, and later at most once a second, when a request needs it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::authority::{Operation, Provider};
use crate::fault::{Code, Fault};

/// Milliseconds for which an answer of the application is valid.
const FRESH: u64 = 1000;

/// Whether a provider is available.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provision {
    /// It can be used.
    Available,
    /// It cannot be used.
    Missing {
        /// What would make it available, as a sentence for the operator.
        enable: String,
    },
}

impl Provision {
    /// Returns [`Provision::Missing`]; `enable` says what would make the provider available.
    pub fn missing(enable: impl Into<String>) -> Self {
        Self::Missing { enable: enable.into() }
    }
}

/// The current availability of the providers of an authority.
pub struct Providers {
    ask: Box<dyn Fn(&str) -> Provision + Send + Sync>,
    states: Vec<ProviderState>,
    /// Grows whenever the availability of a provider changes.
    version: AtomicU64,
    begun: Instant,
    /// When to ask again, in milliseconds since `begun`.
    due: AtomicU64,
}

struct ProviderState {
    name: String,
    title: String,
    is_available: AtomicBool,
    enable: Mutex<String>,
}

impl Providers {
    /// Creates the declared providers. `ask` returns whether the provider of a name is available.
    pub fn new(
        declared: &[Provider<'_>],
        ask: impl Fn(&str) -> Provision + Send + Sync + 'static,
    ) -> Self {
        let state = |provider: &Provider<'_>| ProviderState {
            name: provider.name.to_owned(),
            title: provider.title.to_owned(),
            is_available: AtomicBool::new(true),
            enable: Mutex::default(),
        };
        Self {
            states: declared.iter().map(state).collect(),
            ask: Box::new(ask),
            version: AtomicU64::new(0),
            begun: Instant::now(),
            due: AtomicU64::new(0),
        }
    }

    /// Whether these are the declared providers, in the same order.
    pub fn are(&self, declared: &[Provider<'_>]) -> bool {
        let names = declared.iter().map(|provider| provider.name);
        names.eq(self.states.iter().map(|state| state.name.as_str()))
    }

    /// Asks the application, unless its last answer is still valid.
    pub(crate) fn refresh(&self) {
        if self.states.is_empty() {
            return;
        }
        let now = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.due.load(Ordering::Relaxed);
        let next = now.saturating_add(FRESH);
        let (order, unordered) = (Ordering::Relaxed, Ordering::Relaxed);
        if now < due || self.due.compare_exchange(due, next, order, unordered).is_err() {
            return;
        }
        for state in &self.states {
            self.refresh_one(state);
        }
    }

    fn refresh_one(&self, state: &ProviderState) {
        let name = state.name.as_str();
        // The pipeline's panic guard does not cover this call, and a caller is waiting.
        let answer = catch_unwind(AssertUnwindSafe(|| (self.ask)(name)));
        let is_available = match answer.unwrap_or_else(|_| defect(name)) {
            Provision::Available => true,
            Provision::Missing { enable } => {
                *state.enable.lock().unwrap_or_else(PoisonError::into_inner) = enable;
                false
            }
        };
        if state.is_available.swap(is_available, Ordering::Relaxed) != is_available {
            self.version.fetch_add(1, Ordering::Release);
            tracing::info!(
                provider = name,
                is_available,
                "the availability of a provider has changed"
            );
        }
    }

    /// Returns a number that changes whenever the availability of a provider changes.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Whether the provider that the operation requires is available.
    pub(crate) fn suffice(&self, operation: &Operation) -> bool {
        self.state(operation).is_none_or(|state| state.is_available.load(Ordering::Relaxed))
    }

    /// Returns the fault for a caller of an operation whose provider is missing.
    pub(crate) fn missing(&self, operation: &Operation) -> Fault {
        let state = self.state(operation);
        let title = state.map_or("a provider", |state| state.title.as_str());
        let message = format!("`{}` needs {title}, which is not available.", operation.id);
        let fault = Fault::new(Code::ProviderUnavailable, message);
        match state {
            Some(state) => {
                let enable = state.enable.lock().unwrap_or_else(PoisonError::into_inner);
                fault.hinting(enable.as_str())
            }
            None => fault,
        }
    }

    fn state(&self, operation: &Operation) -> Option<&ProviderState> {
        self.states.get(usize::from(operation.requires?))
    }
}

fn defect(provider: &str) -> Provision {
    tracing::error!(
        provider,
        "the application panicked when asked for the availability of a provider"
    );
    Provision::missing(
        "The application could not say whether it is available. The server's log has the reason.",
    )
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let states = self.states.iter();
        f.debug_map()
            .entries(states.map(|s| (&s.name, s.is_available.load(Ordering::Relaxed))))
            .finish()
    }
}
