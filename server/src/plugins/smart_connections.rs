//! Smart Connections: search by meaning, which is prepared while the plugin is switched on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolwrit::{BoxFuture, Offers, Probe, Provider, Result};
use toolwrit_plugins::community::PluginsStamp;
use toolwrit_plugins::smart_connections::{SmartConnections, SmartEnv};
use toolwrit_vault::Vault;

use super::detection::{CommunityPlugin, probe_any};
use super::watch::Watch;
use crate::served_vault::ServedVault;

pub(super) const PLUGIN: CommunityPlugin =
    CommunityPlugin { id: "smart-connections", title: "Smart Connections" };

pub(super) struct Meanings {
    vaults: Vec<Searched>,
    watch: Watch<PluginsStamp>,
}

/// A vault, and the search in it.
struct Searched {
    vault: Vault,
    search: SmartConnections,
    /// Whether the index is being built, or is built.
    is_started: AtomicBool,
}

impl Searched {
    fn new(open: &ServedVault) -> Self {
        let (vault, search) = (open.vault.clone(), open.smart_connections.clone());
        Self { vault, search, is_started: AtomicBool::new(false) }
    }

    /// Starts to build the index if the plugin is switched on.
    fn start(&self) {
        let is_on = matches!(PLUGIN.probe(&self.vault), Probe::Available { .. });
        if is_on && !self.is_started.swap(true, Ordering::Relaxed) {
            self.search.start();
        }
    }
}

impl Meanings {
    pub(super) fn new(served: &[ServedVault]) -> Self {
        let vaults: Arc<[Vault]> = served.iter().map(|open| open.vault.clone()).collect();
        let watch = Watch::new(&vaults, PluginsStamp::read);
        Self { vaults: served.iter().map(Searched::new).collect(), watch }
    }
}

impl Provider for Meanings {
    fn name(&self) -> &'static str {
        "smart-connections"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async {
            self.vaults.iter().for_each(Searched::start);
            let vaults: Vec<Vault> = self.vaults.iter().map(|one| one.vault.clone()).collect();
            Ok(probe_any(&vaults, |vault| PLUGIN.probe(vault)))
        })
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.watch.wait_for_change())
    }
}

impl Offers for Meanings {
    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(async {
            Ok(self.vaults.iter().flat_map(|one| find_problems(&one.vault)).collect())
        })
    }
}

/// The lines that cannot be read in what the plugin has saved.
pub(crate) fn find_problems(vault: &Vault) -> Vec<String> {
    let broken = SmartEnv::read(vault).map(|saved| saved.broken).unwrap_or_default();
    broken.into_iter().map(|line| format!("{}:{}: {}", line.file, line.line, line.reason)).collect()
}
