//! The providers of the vault server: Obsidian's plugins, as far as this server does what they do, the running
//! Obsidian itself, and the sample vault. A file per provider.

mod community;
mod dataview_js;
mod detection;
mod obsidian;
mod sample_vault;

use std::sync::Arc;

use toolwrit::Provider;
use toolwrit_vault::Vault;

use crate::rest_api::RestApi;
use community::Detected;
use detection::CommunityPlugin;
pub(crate) use sample_vault::OPEN as OPEN_SAMPLE;

/// The community plugins, each with the name of its provider.
const PLUGINS: [(&str, CommunityPlugin); 3] = [
    ("dataview", DATAVIEW),
    ("templater", CommunityPlugin { id: "templater-obsidian", title: "Templater" }),
    ("smart-connections", CommunityPlugin { id: "smart-connections", title: "Smart Connections" }),
];

const DATAVIEW: CommunityPlugin = CommunityPlugin { id: "dataview", title: "Dataview" };

/// The providers for this vault.
pub(crate) fn providers(
    vault: &Vault,
    is_sample: bool,
    rest_api: Option<&RestApi>,
) -> Vec<Arc<dyn Provider>> {
    let plugins = PLUGINS.into_iter().map(|(name, plugin)| {
        Arc::new(Detected { name, plugin, vault: vault.clone() }) as Arc<dyn Provider>
    });
    let obsidian: Arc<dyn Provider> = Arc::new(obsidian::Obsidian::new(rest_api.is_some()));
    let sample: Arc<dyn Provider> = Arc::new(sample_vault::SampleVault { is_open: is_sample });
    let javascript: Arc<dyn Provider> =
        Arc::new(dataview_js::DataviewJs { vault: vault.clone(), api: rest_api.cloned() });
    plugins.chain([javascript, obsidian, sample]).collect()
}
