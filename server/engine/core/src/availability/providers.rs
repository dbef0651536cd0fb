//! The providers that an authority declares, as the policy sees them.

use std::sync::Arc;

use super::figures::UpstreamFigures;
use super::state::{ProviderState, ProviderStates};
use super::status::{ProviderStatus, Reason, Unavailable};
use crate::authority::{Operation, Tables};
use crate::fault::{Code, Fault};

/// The providers that an authority declares, in its order.
pub struct Providers {
    declared: Vec<Declared>,
    states: Arc<ProviderStates>,
}

struct Declared {
    title: String,
    /// `None` if the application does not implement it.
    state: Option<Arc<ProviderState>>,
}

impl Providers {
    /// Returns the providers that these tables declare.
    pub fn new(tables: &Tables, states: Arc<ProviderStates>) -> Self {
        let declared = tables.providers.iter().map(|provider| Declared {
            title: provider.title.clone(),
            state: states.find_by_name(&provider.name).cloned(),
        });
        Self { declared: declared.collect(), states }
    }

    /// Asks for new probes, unless the last ones are still valid.
    pub(crate) fn refresh(&self) {
        for declared in &self.declared {
            if let Some(state) = &declared.state {
                state.refresh();
            }
        }
    }

    /// Waits until each provider has been examined once.
    pub(crate) async fn wait_until_all_examined(&self) {
        self.states.wait_until_examined().await;
    }

    /// Waits until the provider at this position has been examined once.
    pub(crate) async fn wait_until_examined(&self, at: usize) {
        if let Some(state) = self.declared.get(at).and_then(|one| one.state.as_ref()) {
            state.wait_until_examined().await;
        }
    }

    /// Examines the provider at this position now, and waits for the result.
    pub(crate) async fn examine(&self, at: usize) {
        if let Some(state) = self.declared.get(at).and_then(|one| one.state.as_ref()) {
            state.examine_now().await;
        }
    }

    /// Returns a number that changes whenever the availability of a provider changes.
    pub(crate) fn version(&self) -> u64 {
        self.states.version()
    }

    /// Whether the provider that the operation requires is available, and does not withhold it.
    pub(crate) fn suffice(&self, operation: &Operation) -> bool {
        operation.requires.is_none_or(|at| {
            let declared = self.declared.get(usize::from(at));
            let state = declared.and_then(|declared| declared.state.as_ref());
            state.is_some_and(|state| {
                state.is_available() && !state.withheld().contains_key(&operation.id)
            })
        })
    }

    /// Returns what the provider at this position measures of itself.
    pub fn figures(&self, at: usize) -> Option<UpstreamFigures> {
        self.declared.get(at)?.state.as_ref()?.figures()
    }

    /// Returns what is known of the provider at this position of [`Tables::providers`]; `None` if the application
    /// does not implement it.
    pub fn status(&self, at: usize) -> Option<ProviderStatus> {
        let state = self.declared.get(at)?.state.as_ref()?;
        Some(state.status().clone())
    }

    /// Returns why the provider at this position cannot be used; `None` if it can.
    pub fn unavailable(&self, at: usize) -> Option<Unavailable> {
        match self.status(at) {
            Some(status) => status.unavailable(),
            None => Some(Unavailable::new(
                Reason::NotInstalled,
                "This server does not implement it.",
                "Another version of the server may.",
            )),
        }
    }

    /// Returns the fault for a caller of an operation whose provider is missing.
    pub(crate) fn missing(&self, operation: &Operation) -> Fault {
        let at = operation.requires.map(usize::from);
        let declared = at.and_then(|at| self.declared.get(at));
        let withheld = declared
            .and_then(|declared| declared.state.as_ref())
            .filter(|state| state.is_available());
        if let Some(why) = withheld.and_then(|state| state.withheld().get(&operation.id).cloned()) {
            return Fault::new(Code::ProviderUnavailable, why.message).hinting(why.remedy);
        }
        let title = declared.map_or("a provider", |declared| declared.title.as_str());
        let why = at.and_then(|at| self.unavailable(at));
        let details = why.as_ref().map(|why| format!(" {}", why.message)).unwrap_or_default();
        let message = format!("`{}` needs {title}, which is not available.{details}", operation.id);
        let fault = Fault::new(Code::ProviderUnavailable, message);
        match why {
            Some(why) => fault.hinting(why.remedy),
            None => fault,
        }
    }
}

impl std::fmt::Debug for Providers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let available = self.declared.iter().map(|declared| {
            let state = declared.state.as_ref();
            (&declared.title, state.is_some_and(|state| state.is_available()))
        });
        f.debug_map().entries(available).finish()
    }
}
