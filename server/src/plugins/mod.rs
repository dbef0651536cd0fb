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

use toolwrit::Setup;
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

/// Adds the providers for this vault.
pub(crate) fn add_providers(
    setup: Setup,
    vault: &Vault,
    search: &SmartConnections,
    is_sample: bool,
    rest_api: Option<&RestApi>,
) -> Setup {
    setup
        .provider(Detected::new("dataview", DATAVIEW, vault))
        .offering(Templates::new(vault))
        .offering(Meanings::new(vault, search.clone()))
        .provider(DataviewJs::new(vault, rest_api))
        .provider(obsidian::Obsidian::new(rest_api.is_some()))
        .provider(sample_vault::SampleVault { is_open: is_sample })
}
