//! A community plugin that adds no operations: the vault only says whether it can be used.

use std::sync::Arc;

use toolwrit::{BoxFuture, Probe, Provider, Result};
use toolwrit_plugins::community::PluginsStamp;
use toolwrit_vault::Vault;

use super::detection::{CommunityPlugin, probe_any};
use super::watch::Watch;

/// The plugin, and the vaults in which it may be installed.
pub(super) struct Detected {
    /// The name in the manifest.
    name: &'static str,
    plugin: CommunityPlugin,
    vaults: Arc<[Vault]>,
    watch: Watch<PluginsStamp>,
}

impl Detected {
    pub(super) fn new(name: &'static str, plugin: CommunityPlugin, vaults: &Arc<[Vault]>) -> Self {
        let watch = Watch::new(vaults, PluginsStamp::read);
        Self { name, plugin, vaults: vaults.clone(), watch }
    }
}

impl Provider for Detected {
    fn name(&self) -> &'static str {
        self.name
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async { Ok(probe_any(&self.vaults, |vault| self.plugin.probe(vault))) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.watch.wait_for_change())
    }
}
