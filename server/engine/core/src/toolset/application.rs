//! The handlers of an open application.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::app::{App, Hooks, Opened};
use super::setup::Setup;
use super::{ProviderTables, Tools, Toolset};
use crate::arguments::value::ArgValues;
use crate::authority::{Authority, LiveAuthority};
use crate::call::context::Context;
use crate::policy::instances::check_names;
use crate::provider::Supervised;
use crate::result::running::RunningHandler;
use crate::updates::Updates;

/// The handlers of an open application.
pub struct Application<T> {
    tools: T,
    authority: Authority,
    updates: Updates,
    bound: Vec<Arc<dyn Supervised>>,
}

impl<T: Tools> Application<T> {
    /// Wraps an open application, and the `updates` that it was opened with.
    pub fn new(app: T::App, updates: Updates, providers: ProviderTables) -> Self {
        let instances = app.instances();
        let tools = T::new(app);
        let authority = tools.authority().with_instances(instances);
        Self { tools, authority, updates, bound: T::bound_providers(providers) }
    }

    /// Opens the application.
    ///
    /// # Errors
    /// As [`App::open`], and if an instance names a focus mode or a role that the manifest does not declare.
    pub async fn open(
        options: <T::App as App>::Options,
        providers: ProviderTables,
    ) -> Opened<Self> {
        let updates = Updates::default();
        let app = T::App::open(options, updates.clone()).await?;
        let opened = Self::new(app, updates, providers);
        check_names(&opened.authority)?;
        Ok(opened)
    }

    /// Returns the application.
    pub fn app(&self) -> &T::App {
        self.tools.app()
    }
}

impl<T: Tools> Toolset for Application<T> {
    fn authority(&self) -> Authority {
        self.authority.clone()
    }

    fn live(&self) -> Option<&LiveAuthority> {
        self.tools.live()
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        cx: &'a Context,
        arguments: ArgValues,
    ) -> RunningHandler<'a> {
        self.tools.call(operation, cx, arguments)
    }

    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        self.tools.call_by_id(id, cx, arguments)
    }

    fn setup(&self) -> Option<Setup> {
        let setup = self.tools.app().setup();
        Some(self.bound.iter().cloned().fold(setup, Setup::supervised))
    }

    fn hooks(&self) -> &dyn Hooks {
        self.tools.app()
    }

    fn updates(&self) -> Updates {
        self.updates.clone()
    }
}
