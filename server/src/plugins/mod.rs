//! The providers of the vault server: Obsidian's plugins, as far as this server does what they do, the running
//! Obsidian itself, and the sample vault. A file per provider.

mod community;
mod dataview_js;
mod detection;
mod models;
mod obsidian;
mod sample_vault;
pub(crate) mod smart_connections;
pub(crate) mod templater;
mod watch;

use toolwrit::{InstalledPlugin, Setup};
use toolwrit_plugins::community::CommunityPlugins;
use toolwrit_plugins::smart_connections::SmartConnections;
use toolwrit_vault::Vault;

use crate::rest_api::RestApi;
use community::Detected;
use dataview_js::DataviewJs;
use detection::CommunityPlugin;
pub(crate) use models::Models;
pub(crate) use sample_vault::OPEN as OPEN_SAMPLE;
use smart_connections::Meanings;
use templater::Templates;

const DATAVIEW: CommunityPlugin = CommunityPlugin { id: "dataview", title: "Dataview" };

/// The ids of the community plugins for which a provider stands.
const PROVIDERS: [(&str, &str); 3] = [
    (DATAVIEW.id, "dataview"),
    (templater::PLUGIN.id, "templater"),
    (smart_connections::PLUGIN.id, "smart-connections"),
];

/// Adds the providers for this vault.
pub(crate) fn add_providers(
    setup: Setup,
    vault: &Vault,
    search: &SmartConnections,
    is_sample: bool,
    rest_api: Option<&RestApi>,
) -> Setup {
    let installed = vault.clone();
    setup
        .plugins(move || find_installed(&installed))
        .provider(Detected::new("dataview", DATAVIEW, vault))
        .offering(Templates::new(vault))
        .offering(Meanings::new(vault, search.clone()))
        .provider(DataviewJs::new(vault, rest_api))
        .provider(obsidian::Obsidian::new(rest_api.is_some()))
        .provider(sample_vault::SampleVault { is_open: is_sample })
}

/// The community plugins of the vault, each with the provider that stands for it.
fn find_installed(vault: &Vault) -> Vec<InstalledPlugin> {
    let installed = CommunityPlugins::read(vault).installed.into_iter();
    installed
        .map(|plugin| InstalledPlugin {
            provider: PROVIDERS.iter().find(|(id, _)| *id == plugin.id).map(|(_, name)| *name),
            id: plugin.id,
            version: plugin.version,
            is_enabled: plugin.is_enabled,
        })
        .collect()
}
