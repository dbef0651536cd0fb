//! The engine, which all endpoints of a process share.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use super::resources::Templates;
use crate::discovery::{Indexes, rules};
use crate::savings::Savings;
use toolwrit_core::authority::{Authority, AuthorityVersion, LiveAuthority};
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::provider::Providers;
use toolwrit_core::recorder::Recorder;
use toolwrit_core::toolset::Toolset;
use toolwrit_core::updates::Updates;
use toolwrit_retrieval::contexts::ContextRule;

/// The handlers and the pipeline that calls them. One per process, shared by all endpoints.
pub struct Engine {
    toolset: Arc<dyn Toolset>,
    pub(super) live: LiveAuthority,
    pub(super) pipeline: Pipeline,
    savings: Savings,
    latest: RwLock<Arc<Prepared>>,
    pub(crate) updates: Updates,
}

/// Values derived from one version of the authority, shared by all endpoints.
pub(super) struct Prepared {
    of: AuthorityVersion,
    pub(super) providers: Arc<Providers>,
    pub(super) indexes: Indexes,
    /// The rules of the authority's contexts, compiled at the first message.
    pub(super) contexts: LazyLock<Vec<ContextRule>, Box<dyn FnOnce() -> Vec<ContextRule> + Send>>,
    /// The URI templates of the resources, in manifest order.
    pub(super) templates: Templates,
}

impl Prepared {
    fn new(authority: &Authority, providers: Arc<Providers>) -> Self {
        let of_contexts = authority.clone();
        Self {
            of: authority.version(),
            providers,
            indexes: Indexes::default(),
            contexts: LazyLock::new(Box::new(move || rules(of_contexts.tables()))),
            templates: Templates::new(authority.clone()),
        }
    }
}

/// The providers of an authority. The toolset reports whether each of them is available.
fn providers(toolset: &Arc<dyn Toolset>, authority: &Authority) -> Arc<Providers> {
    let handlers = toolset.clone();
    let ask = move |name: &str| handlers.provider(name);
    Arc::new(Providers::new(authority.tables().providers, ask))
}

impl Engine {
    /// Creates the engine that runs the handlers of a toolset.
    pub fn new(
        toolset: Arc<dyn Toolset>,
        settings: &CallSettings,
        recorder: Recorder,
    ) -> Arc<Self> {
        let live = toolset.live().cloned();
        let live = live.unwrap_or_else(|| LiveAuthority::new(toolset.authority()));
        let updates = toolset.updates();
        let authority = live.now();
        let prepared = Prepared::new(&authority, providers(&toolset, &authority));
        Arc::new(Self {
            savings: Savings::new(recorder.state.clone()),
            pipeline: Pipeline::new(toolset.clone(), settings, recorder, updates.clone()),
            latest: RwLock::new(Arc::new(prepared)),
            updates,
            live,
            toolset,
        })
    }

    /// Returns the authority that is served now.
    pub fn authority(&self) -> Authority {
        self.live.now()
    }

    /// Returns the authority as a value that may change while the server runs.
    pub fn live(&self) -> &LiveAuthority {
        &self.live
    }

    /// Whether the authority, and with it every list, may change.
    pub(crate) fn may_change(&self) -> bool {
        self.toolset.live().is_some()
    }

    /// Returns the values derived from an authority. Only those of the last authority are cached.
    pub(super) fn prepared(&self, authority: &Authority) -> Arc<Prepared> {
        let latest = self.latest.read().unwrap_or_else(PoisonError::into_inner).clone();
        if latest.of == authority.version() {
            return latest;
        }
        let providers = if latest.providers.are(authority.tables().providers) {
            latest.providers.clone()
        } else {
            providers(&self.toolset, authority)
        };
        let prepared = Arc::new(Prepared::new(authority, providers));
        *self.latest.write().unwrap_or_else(PoisonError::into_inner) = prepared.clone();
        prepared
    }

    /// Returns how many calls may be running or queued at once.
    pub(crate) fn most_calls(&self) -> usize {
        self.pipeline.most_calls()
    }

    /// Closes the application, in bounded time.
    pub async fn close(&self) {
        self.pipeline.close().await;
    }

    /// Returns the costs of tool listings.
    pub fn savings(&self) -> &Savings {
        &self.savings
    }
}
