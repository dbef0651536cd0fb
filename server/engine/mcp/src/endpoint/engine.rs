//! The engine, which all endpoints of a process share.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use std::time::Duration;

use serde_json::{Map, Value};

use super::replicas::{self, PlaceTaken};
use super::resources::Templates;
use crate::discovery::{Indexes, rules};
use tokio::sync::watch;
use tokio::time::timeout;
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::audit::savings::Savings;
use toolwrit_core::audit::storage::State;
use toolwrit_core::authority::{Authority, AuthorityVersion, Changes, LiveAuthority};
use toolwrit_core::availability::Providers;
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::Policy;
use toolwrit_core::provider::{Supervised, Supervisors};
use toolwrit_core::toolset::{InstalledPlugin, Setup, Toolset};
use toolwrit_core::updates::Updates;
use toolwrit_retrieval::contexts::ContextRule;

/// The handlers and the pipeline that calls them. One per process, shared by all endpoints.
pub struct Engine {
    /// Whether the toolset replaces its authority.
    is_live: bool,
    setup: Arc<Setup>,
    pub(super) live: LiveAuthority,
    /// `None` without an application.
    supervisors: Option<Arc<Supervisors>>,
    pub(super) pipeline: Pipeline,
    savings: Savings,
    pub(crate) state: State,
    latest: RwLock<Arc<Prepared>>,
    pub(crate) updates: Updates,
}

/// Values derived from one version of the authority, shared by all endpoints.
pub(super) struct Prepared {
    of: AuthorityVersion,
    /// `None` without an application: every provider then counts as available.
    pub(super) providers: Option<Arc<Providers>>,
    pub(super) indexes: Indexes,
    /// The rules of the authority's contexts, compiled at the first message.
    pub(super) contexts: LazyLock<Vec<ContextRule>, Box<dyn FnOnce() -> Vec<ContextRule> + Send>>,
    /// The URI templates of the resources, in manifest order.
    pub(super) templates: Templates,
}

impl Prepared {
    fn new(authority: &Authority, supervisors: Option<&Arc<Supervisors>>) -> Self {
        let providers = |supervisors: &Arc<Supervisors>| {
            Arc::new(Providers::new(authority.tables(), supervisors.states()))
        };
        let of_contexts = authority.clone();
        Self {
            of: authority.version(),
            providers: supervisors.map(providers),
            indexes: Indexes::default(),
            contexts: LazyLock::new(Box::new(move || rules(of_contexts.tables()))),
            templates: Templates::new(authority.clone()),
        }
    }

    /// Returns the same policy, which also requires the providers of the authority.
    pub(super) fn policy(&self, policy: Policy) -> Policy {
        match &self.providers {
            Some(providers) => policy.with_providers(providers.clone()),
            None => policy,
        }
    }
}

impl Engine {
    /// How long a server waits for its providers before it serves. One that is later is listed when it answers.
    pub const START_TIME: Duration = Duration::from_millis(500);

    /// Creates the engine that runs the handlers of a toolset, and begins to examine its providers.
    ///
    /// # Panics
    /// If there are providers or replicas, and no runtime.
    pub fn new(
        toolset: Arc<dyn Toolset>,
        settings: &CallSettings,
        recorder: Recorder,
    ) -> Arc<Self> {
        let engine = Self::for_one_call(toolset, settings, recorder);
        if let Some(supervisors) = &engine.supervisors {
            supervisors.states().begin();
        }
        replicas::follow(&engine);
        engine
    }

    /// Creates an engine that examines a provider when a call needs it, and not before.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn for_one_call(
        toolset: Arc<dyn Toolset>,
        settings: &CallSettings,
        recorder: Recorder,
    ) -> Arc<Self> {
        let live = toolset.live().cloned();
        let is_live = live.is_some();
        let live = live.unwrap_or_else(|| LiveAuthority::new(toolset.authority()));
        let updates = toolset.updates();
        let authority = live.now();
        let setup = toolset.setup();
        let has_application = setup.is_some();
        let mut setup = setup.unwrap_or_default();
        let providers = setup.take_providers();
        let supervisors =
            has_application.then(|| Arc::new(Supervisors::start(providers, &live, &updates)));
        let setup = Arc::new(setup);
        let prepared = Prepared::new(&authority, supervisors.as_ref());
        Arc::new(Self {
            is_live,
            savings: recorder.savings.clone(),
            state: recorder.state.clone(),
            pipeline: Pipeline::new(
                toolset,
                setup.clone(),
                supervisors.clone().unwrap_or_default(),
                settings,
                recorder,
                updates.clone(),
            ),
            supervisors,
            latest: RwLock::new(Arc::new(prepared)),
            updates,
            live,
            setup,
        })
    }

    /// Returns the authority that is served now.
    pub fn authority(&self) -> Authority {
        self.live.now()
    }

    /// Returns what outlives a request, and what replicas share.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the authority as a value that may change while the server runs.
    pub fn live(&self) -> &LiveAuthority {
        &self.live
    }

    /// Whether the authority, and with it every list, may change.
    pub(crate) fn may_change(&self) -> bool {
        self.is_live || self.supervisors.as_ref().is_some_and(|all| !all.is_empty())
    }

    /// Whether a provider is another server that is starting.
    pub(crate) fn has_starting_servers(&self) -> bool {
        self.supervisors.as_ref().is_some_and(|all| all.states().has_starting_servers())
    }

    /// Returns the source of changes of the authority, and of the availability of its providers.
    pub(crate) fn changes(&self) -> (Changes, Option<watch::Receiver<u64>>) {
        (self.live.changes(), self.supervisors.as_ref().map(|all| all.states().changes()))
    }

    /// Makes sure that no other replica serves what only one may. Waits for the lease of one that has just ended.
    ///
    /// # Errors
    /// Who serves it, or that it cannot be found out.
    pub async fn take_place(&self) -> Result<(), PlaceTaken> {
        let is_alone = self.state.shared().replica().is_none();
        if is_alone || !self.setup.is_exclusive() {
            return Ok(());
        }
        let location = self.state.location().unwrap_or(self.setup.as_location());
        replicas::take_place(&self.state, location).await
    }

    /// Waits until each provider has been examined once, but not longer than this.
    pub async fn examined_within(&self, time: Duration) {
        if let Some(supervisors) = &self.supervisors {
            let _ = timeout(time, supervisors.states().wait_until_examined()).await;
        }
    }

    /// Waits until the provider of this name has been examined once, but not longer than this.
    pub async fn provider_examined_within(&self, name: &str, time: Duration) {
        if let Some(supervisors) = &self.supervisors {
            let _ = timeout(time, supervisors.states().wait_until_provider_examined(name)).await;
        }
    }

    /// Replaces the authority, and the providers of its operations. Running calls end under the authority with which they
    /// began. The new providers are examined before, as at the start.
    ///
    /// # Panics
    /// If there are providers, and no runtime.
    pub async fn replace(&self, authority: Authority, providers: Vec<Arc<dyn Supervised>>) {
        if let Some(supervisors) = &self.supervisors {
            let next = supervisors.start_next(providers, &authority, (&self.live, &self.updates));
            let _ = timeout(Self::START_TIME, next.states().wait_until_examined()).await;
            supervisors.replace(next);
        }
        for why in self.live.replace(authority) {
            tracing::warn!(%why, "an operation of a provider does not fit the new authority");
        }
    }

    /// Returns the values derived from an authority. Only those of the last authority are cached.
    pub(super) fn prepared(&self, authority: &Authority) -> Arc<Prepared> {
        let latest = self.latest.read().unwrap_or_else(PoisonError::into_inner).clone();
        if latest.of == authority.version() {
            return latest;
        }
        let prepared = Arc::new(Prepared::new(authority, self.supervisors.as_ref()));
        *self.latest.write().unwrap_or_else(PoisonError::into_inner) = prepared.clone();
        prepared
    }

    /// Returns what examines the providers; `None` without an application.
    pub(super) fn supervisors(&self) -> Option<&Supervisors> {
        self.supervisors.as_deref()
    }

    /// Returns what the application says about itself under a policy.
    pub(super) fn facts(&self, policy: &Policy) -> Map<String, Value> {
        self.setup.collect_facts(policy)
    }

    /// Describes what is served, for people.
    pub fn described(&self) -> Option<String> {
        self.setup.describe()
    }

    /// Returns the name of what is served, if the application serves one thing of several possible ones.
    pub(crate) fn served_name(&self) -> Option<&str> {
        self.setup.as_name()
    }

    /// Returns what the application says first to models.
    pub(crate) fn instructions(&self) -> Option<&str> {
        self.setup.as_instructions()
    }

    /// Reads the plugins of the software that the application works with. Blocks.
    pub(super) fn read_plugins(&self) -> Vec<InstalledPlugin> {
        self.setup.read_plugins()
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
