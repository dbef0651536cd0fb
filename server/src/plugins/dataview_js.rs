//! JavaScript of Dataview, which only a running Obsidian can execute.

use std::sync::Arc;

use toolwrit::{BoxFuture, Probe, Provider, Reason, Result, Unavailable};
use toolwrit_plugins::community::PluginsStamp;
use toolwrit_vault::Vault;

use super::DATAVIEW;
use super::watch::Watch;
use crate::rest_api::{ApiError, ENABLE, JAVASCRIPT_ROUTE, KEY_VARIABLE, RestApi};

/// Dataview in the Obsidian that the API belongs to.
pub(super) struct DataviewJs {
    vault: Vault,
    api: Option<RestApi>,
    watch: Watch<PluginsStamp>,
}

impl DataviewJs {
    pub(super) fn new(vault: &Vault, api: Option<&RestApi>) -> Self {
        let watch = Watch::new(&Arc::from([vault.clone()]), PluginsStamp::read);
        Self { vault: vault.clone(), api: api.cloned(), watch }
    }

    /// Asks the API only if the plugin is switched on. Blocks.
    fn examine(&self) -> Probe {
        let plugin = DATAVIEW.probe(&self.vault);
        if let Probe::Unavailable(_) = plugin {
            return plugin;
        }
        let Some(api) = &self.api else {
            let message = format!(
                "JavaScript of Dataview runs only inside Obsidian. The variable {KEY_VARIABLE} is not set."
            );
            return unavailable(Reason::NeedsConfiguration, message, ENABLE);
        };
        match api.runs_javascript() {
            Ok(true) => plugin,
            Ok(false) => unavailable(
                Reason::NotInstalled,
                format!(
                    "Obsidian's Local REST API has no extension that runs JavaScript of Dataview, at {JAVASCRIPT_ROUTE}."
                ),
                "Install such an extension in Obsidian, or use `plugin.dataview.query`, which needs none.",
            ),
            Err(error @ ApiError::NotRunning { .. }) => unavailable(
                Reason::NotRunning,
                error.to_string(),
                "Start Obsidian with this vault and its plugin Local REST API.",
            ),
            Err(error) => unavailable(
                Reason::Failed,
                error.to_string(),
                "Run `toolwrit doctor`, which says what is wrong with the connection.",
            ),
        }
    }
}

fn unavailable(reason: Reason, message: impl Into<String>, remedy: &str) -> Probe {
    Probe::Unavailable(Unavailable::new(reason, message, remedy))
}

impl Provider for DataviewJs {
    fn name(&self) -> &'static str {
        "dataview-js"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async { Ok(self.examine()) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.watch.wait_for_change())
    }
}
