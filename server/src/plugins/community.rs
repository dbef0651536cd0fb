//! A community plugin that is only detected: the server offers no operations of it.

use toolwrit::{BoxFuture, Probe, Provider, Result};
use toolwrit_vault::Vault;

use super::detection::{CommunityPlugin, changed};

/// The plugin, and the vault in which it may be installed.
pub(super) struct Detected {
    /// The name in the manifest.
    pub(super) name: &'static str,
    pub(super) plugin: CommunityPlugin,
    pub(super) vault: Vault,
}

impl Provider for Detected {
    fn name(&self) -> &'static str {
        self.name
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async { Ok(self.plugin.probe(&self.vault)) })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(changed(&self.vault))
    }
}
