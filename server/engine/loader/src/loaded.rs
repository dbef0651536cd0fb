//! A loaded authority as a toolset. It has no handlers: the engine or the API of a provider carries out each operation.

use std::future::ready;
use std::sync::Arc;

use serde_json::Value;
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::authority::{Authority, LiveAuthority};
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::Fault;
use toolwrit_core::provider::Supervised;
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::{ProviderTables, Setup, Toolset};
use toolwrit_gateway::bound::bound_providers;

/// An authority without handlers, which may be replaced while it is served.
pub struct Loaded {
    authority: Authority,
    live: LiveAuthority,
    providers: Vec<Arc<dyn Supervised>>,
}

impl Loaded {
    /// Serves this authority, with what the operator says about the providers of its APIs. All its operations are built in
    /// or bound to APIs.
    pub fn new(authority: Authority, settings: ProviderTables) -> Self {
        let providers = bound_providers(authority.tables(), settings);
        Self { live: LiveAuthority::new(authority.clone()), authority, providers }
    }
}

impl Toolset for Loaded {
    fn authority(&self) -> Authority {
        self.authority.clone()
    }

    fn live(&self) -> Option<&LiveAuthority> {
        Some(&self.live)
    }

    fn call<'a>(&'a self, _: usize, cx: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        let fault = Fault::internal(format!("`{}` has no handler", cx.operation()));
        RunningHandler::new(Box::new(ready(Err::<Value, _>(fault))))
    }

    fn setup(&self) -> Option<Setup> {
        Some(self.providers.iter().cloned().fold(Setup::new(), Setup::supervised))
    }
}
