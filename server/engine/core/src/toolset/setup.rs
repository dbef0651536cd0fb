//! What an application says of itself once, after it is open.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::call::context::Context;
use crate::diagnosis::Check;
use crate::fault::{Code, Fault, Result};
use crate::policy::Policy;
use crate::provider::{Offering, Offers, Probed, Provider, Supervised};

type Facts = Box<dyn Fn() -> Map<String, Value> + Send + Sync>;
type Description = Box<dyn Fn() -> String + Send + Sync>;
type Checks = Box<dyn Fn() -> Vec<Check> + Send + Sync>;
type Plugins = Box<dyn Fn() -> Vec<InstalledPlugin> + Send + Sync>;
type SampleData =
    Box<dyn for<'a> Fn(&'a Context) -> BoxFuture<'a, Result<Vec<String>>> + Send + Sync>;

/// A plugin of the software that an application works with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledPlugin {
    /// Its id there.
    pub id: String,
    /// Its version, if it says one.
    pub version: Option<String>,
    /// Whether it is switched on there.
    pub is_enabled: bool,
    /// The provider that does here what the plugin does there, by its name in the manifest.
    pub provider: Option<&'static str>,
}

/// What an application tells the engine about itself: its providers, and what introspection, `doctor` and some operations of
/// the engine need. Everything is optional.
#[derive(Default)]
#[must_use]
pub struct Setup {
    providers: Vec<Arc<dyn Supervised>>,
    facts: Vec<Facts>,
    private_facts: Vec<Facts>,
    name: Option<String>,
    instructions: Option<String>,
    description: Option<Description>,
    location: String,
    is_exclusive: bool,
    checks: Vec<Checks>,
    plugins: Vec<Plugins>,
    sample_data: Option<SampleData>,
}

impl Setup {
    /// Begins an empty setup.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a provider that the manifest declares. Operations that require a missing one are not listed, and are refused with
    /// `PROVIDER_UNAVAILABLE`.
    pub fn provider(self, provider: impl Provider) -> Self {
        self.supervised(Arc::new(Probed(provider)))
    }

    /// Adds a provider that the manifest declares and that adds operations of its own.
    pub fn offering(self, provider: impl Offers) -> Self {
        self.supervised(Arc::new(Offering(provider)))
    }

    /// Adds a provider of the engine itself.
    #[doc(hidden)]
    pub fn supervised(mut self, provider: Arc<dyn Supervised>) -> Self {
        self.providers.push(provider);
        self
    }

    /// Adds facts about the application for `introspect`, such as the name and the size of what it serves. They are collected
    /// at each introspection, so collecting them must be quick.
    pub fn facts(mut self, facts: impl Fn() -> Map<String, Value> + Send + Sync + 'static) -> Self {
        self.facts.push(Box::new(facts));
        self
    }

    /// Adds facts that only the user who started the server may know, such as a path. They take the place of others of their names.
    pub fn private_facts(
        mut self,
        facts: impl Fn() -> Map<String, Value> + Send + Sync + 'static,
    ) -> Self {
        self.private_facts.push(Box::new(facts));
        self
    }

    /// Sets the name of what is served, such as that of a folder. The title of the server begins with it, so that users can tell
    /// several servers apart. With several instances their names stand there.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets what the instructions for models begin with, such as what the user must still do.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Sets how people are told what is served, such as `~/Notes (2,310 notes)`. It may take a moment.
    pub fn described(mut self, describe: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.description = Some(Box::new(describe));
        self
    }

    /// Adds plugins of other software for `GET /plugins`. They are read at each request, in a thread that may block.
    pub fn plugins(
        mut self,
        plugins: impl Fn() -> Vec<InstalledPlugin> + Send + Sync + 'static,
    ) -> Self {
        self.plugins.push(Box::new(plugins));
        self
    }

    /// Identifies what the handlers change, such as the path of a folder. An idempotency key that was used at one location is
    /// refused at another. Without it, the application always changes the same, besides what its providers say of themselves.
    pub fn location(mut self, location: impl Into<String>) -> Self {
        self.location = location.into();
        self
    }

    /// Says that only one of several replicas may serve the location at a time, because its handlers keep what they know of
    /// it in memory. A second one does not start.
    pub fn exclusive(mut self) -> Self {
        self.is_exclusive = true;
        self
    }

    /// Adds findings of `doctor`. A check may take a moment, but must not change anything of value.
    pub fn check<C: IntoIterator<Item = Check>>(
        mut self,
        check: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self {
        self.checks.push(Box::new(move || check().into_iter().collect()));
        self
    }

    /// Sets what restores the missing parts of the application's own sample data, for an operation with `builtin:
    /// seed_test_data`. It returns what it has created, and changes nothing that exists.
    pub fn sample_data(
        mut self,
        create: impl for<'a> Fn(&'a Context) -> BoxFuture<'a, Result<Vec<String>>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.sample_data = Some(Box::new(create));
        self
    }

    /// Takes the providers.
    #[doc(hidden)]
    pub fn take_providers(&mut self) -> Vec<Arc<dyn Supervised>> {
        std::mem::take(&mut self.providers)
    }

    /// Collects the facts for a policy.
    #[doc(hidden)]
    pub fn collect_facts(&self, policy: &Policy) -> Map<String, Value> {
        let private = self.private_facts.iter().filter(|_| policy.is_operators());
        self.facts.iter().chain(private).flat_map(|facts| facts()).collect()
    }

    /// Describes what is served, for people.
    #[doc(hidden)]
    pub fn describe(&self) -> Option<String> {
        self.description.as_ref().map(|describe| describe())
    }

    /// Returns the name of what is served.
    #[doc(hidden)]
    pub fn as_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns what the instructions for models begin with.
    #[doc(hidden)]
    pub fn as_instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// Reads the plugins. Blocks.
    #[doc(hidden)]
    pub fn read_plugins(&self) -> Vec<InstalledPlugin> {
        self.plugins.iter().flat_map(|plugins| plugins()).collect()
    }

    /// Runs the checks.
    #[doc(hidden)]
    pub fn run_checks(&self) -> Vec<Check> {
        self.checks.iter().flat_map(|check| check()).collect()
    }

    /// Returns the location; empty without one.
    #[doc(hidden)]
    pub fn as_location(&self) -> &str {
        &self.location
    }

    /// Whether only one replica may serve the location.
    #[doc(hidden)]
    pub fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// Creates the sample data.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if the application has none.
    pub(crate) async fn create_sample_data(&self, cx: &Context) -> Result<Vec<String>> {
        match &self.sample_data {
            Some(create) => create(cx).await,
            None => Err(Fault::new(Code::ProviderUnavailable, "This server has no sample data.")),
        }
    }
}
