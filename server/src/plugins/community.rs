//! A community plugin that adds no operations: the vault only says whether it can be used.

use toolwrit::{BoxFuture, Probe, Provider, Result};
use toolwrit_plugins::community::PluginsStamp;
use toolwrit_vault::Vault;

use super::detection::CommunityPlugin;
use super::watch::Watch;

/// The plugin, and the vault in which it may be installed.
pub(super) struct Detected {
    /// The name in the manifest.
    name: &'static str,
    plugin: CommunityPlugin,
    vault: Vault,
    watch: Watch<PluginsStamp>,
}

impl Detected {
    pub(super) fn new(name: &'static str, plugin: CommunityPlugin, vault: &Vault) -> Self {
        let watch = Watch::new(vault, PluginsStamp::read);
        Self { name, plugin, vault: vault.clone(), watch }
    }
}

impl Provider for Detected {
    fn name(&self) -> &'static str {
        self.name
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async { Ok(self.plugin.probe(&self.vault)) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.watch.wait_for_change())
    }
}
