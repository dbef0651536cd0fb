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

use std::sync::Arc;

use toolwrit::{Code, Context, Fault, InstalledPlugin, Probe, Reason, Result, Setup, Unavailable};
use toolwrit_plugins::community::CommunityPlugins;
use toolwrit_vault::Vault;

use crate::served_vault::ServedVault;
use community::Detected;
use dataview_js::DataviewJs;
use detection::CommunityPlugin;
pub(crate) use models::Models;
pub(crate) use sample_vault::OPEN as OPEN_SAMPLE;
use smart_connections::Meanings;
use templater::Templates;

const DATAVIEW: CommunityPlugin = CommunityPlugin { id: "dataview", title: "Dataview" };

/// What makes the running Obsidian available for another vault.
const FIRST: &str = "Name the vault that is open in Obsidian first when starting the server.";

/// The ids of the community plugins for which a provider stands.
const PROVIDERS: [(&str, &str); 3] = [
    (DATAVIEW.id, "dataview"),
    (templater::PLUGIN.id, "templater"),
    (smart_connections::PLUGIN.id, "smart-connections"),
];

/// Adds the providers for these vaults. A plugin that one of them has can be used; [`check_available`] says for a call whether
/// its vault has it.
pub(crate) fn add_providers(setup: Setup, served: &[ServedVault]) -> Setup {
    let Some(first) = served.first() else { return setup };
    let (vault, api) = (&first.vault, first.rest_api.as_ref());
    let vaults: Arc<[Vault]> = served.iter().map(|open| open.vault.clone()).collect();
    let installed = vault.clone();
    setup
        .plugins(move || find_installed(&installed))
        .provider(Detected::new("dataview", DATAVIEW, &vaults))
        .offering(Templates::new(&vaults))
        .offering(Meanings::new(served))
        .provider(DataviewJs::new(vault, api))
        .provider(obsidian::Obsidian::new(api.is_some()))
        .provider(sample_vault::SampleVault { is_open: first.is_sample })
}

/// Checks that a vault has the plugin that a call needs, if several vaults are served.
///
/// # Errors
/// `PROVIDER_UNAVAILABLE` with the reason.
pub(crate) async fn check_available(
    open: &ServedVault,
    provider: &str,
    cx: &Context,
) -> Result<()> {
    let probe: fn(&Vault) -> Probe = match provider {
        "dataview" => |vault| DATAVIEW.probe(vault),
        "templater" => templater::probe_templater,
        "smart-connections" => |vault| smart_connections::PLUGIN.probe(vault),
        "dataview-js" | "obsidian" if open.rest_api.is_none() => |_| {
            let message = "Obsidian's REST API is used for the first vault only.";
            Probe::Unavailable(Unavailable::new(Reason::NeedsConfiguration, message, FIRST))
        },
        _ => return Ok(()),
    };
    let vault = open.vault.clone();
    match cx.blocking(move |_| Ok(probe(&vault))).await? {
        Probe::Available { .. } => Ok(()),
        Probe::Unavailable(Unavailable { message, remedy, .. }) => {
            let message = format!("In the vault `{}`: {message}", open.vault.name());
            Err(Fault::new(Code::ProviderUnavailable, message).hinting(remedy))
        }
    }
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
