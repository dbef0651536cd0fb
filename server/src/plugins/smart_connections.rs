//! Smart Connections: search by meaning, which is prepared while the plugin is switched on.

use std::sync::atomic::{AtomicBool, Ordering};

use toolwrit::{BoxFuture, Offers, Probe, Provider, Result};
use toolwrit_plugins::community::PluginsStamp;
use toolwrit_plugins::smart_connections::{SmartConnections, SmartEnv};
use toolwrit_vault::Vault;

use super::detection::CommunityPlugin;
use super::watch::Watch;

pub(super) const PLUGIN: CommunityPlugin =
    CommunityPlugin { id: "smart-connections", title: "Smart Connections" };

pub(super) struct Meanings {
    vault: Vault,
    search: SmartConnections,
    /// Whether the index is being built, or is built.
    is_started: AtomicBool,
    watch: Watch<PluginsStamp>,
}

impl Meanings {
    pub(super) fn new(vault: &Vault, search: SmartConnections) -> Self {
        let watch = Watch::new(vault, PluginsStamp::read);
        Self { vault: vault.clone(), search, is_started: AtomicBool::new(false), watch }
    }
}

impl Provider for Meanings {
    fn name(&self) -> &'static str {
        "smart-connections"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async {
            let probe = PLUGIN.probe(&self.vault);
            let is_on = matches!(probe, Probe::Available { .. });
            if is_on && !self.is_started.swap(true, Ordering::Relaxed) {
                self.search.start();
            }
            Ok(probe)
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.watch.wait_for_change())
    }
}

impl Offers for Meanings {
    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async { Ok(find_problems(&self.vault)) })
    }
}

/// The lines that cannot be read in what the plugin has saved.
pub(crate) fn find_problems(vault: &Vault) -> Vec<String> {
    let broken = SmartEnv::read(vault).map(|saved| saved.broken).unwrap_or_default();
    broken.into_iter().map(|line| format!("{}:{}: {}", line.file, line.line, line.reason)).collect()
}
