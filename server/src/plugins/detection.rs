//! Detects Obsidian's community plugins in the vault.

use toolwrit::{Probe, Reason, Unavailable};
use toolwrit_plugins::community::CommunityPlugins;
use toolwrit_vault::Vault;

/// A community plugin of Obsidian.
#[derive(Debug, Clone, Copy)]
pub(super) struct CommunityPlugin {
    /// The id in its manifest.
    pub(super) id: &'static str,
    /// The name for people.
    pub(super) title: &'static str,
}

impl CommunityPlugin {
    /// Examines whether the plugin is installed in the vault and switched on. Blocks.
    pub(super) fn probe(self, vault: &Vault) -> Probe {
        let Self { id, title } = self;
        let plugins = CommunityPlugins::read(vault);
        let why = match plugins.find_plugin(id) {
            Some(plugin) if plugin.is_enabled => {
                return Probe::Available { version: plugin.version.clone() };
            }
            Some(_) => Unavailable::new(
                Reason::Disabled,
                format!("The plugin {title} is installed, but switched off."),
                format!("Switch {title} on in Obsidian's settings, under Community plugins."),
            ),
            None => {
                let is_listed = plugins.enabled.iter().any(|enabled| enabled == id);
                let message = if is_listed {
                    format!(
                        "Obsidian lists the plugin {title} as switched on, but it is not installed."
                    )
                } else {
                    format!("The plugin {title} is not installed in this vault.")
                };
                // The plugin may be one of those that cannot be read.
                let problems = plugins.problems.iter().map(|problem| format!(" {problem}."));
                Unavailable::new(
                    Reason::NotInstalled,
                    message + &problems.collect::<String>(),
                    format!(
                        "Install {title} in Obsidian, under Community plugins, and switch it on."
                    ),
                )
            }
        };
        Probe::Unavailable(why)
    }
}

/// Probes vaults, and returns the first that has what is probed, or why the first vault has it not.
pub(super) fn probe_any(vaults: &[Vault], probe: impl Fn(&Vault) -> Probe) -> Probe {
    let mut probes = vaults.iter().map(probe);
    let first = probes.next();
    match first {
        Some(available @ Probe::Available { .. }) => available,
        Some(why) => probes.find(|probe| matches!(probe, Probe::Available { .. })).unwrap_or(why),
        None => Probe::Available { version: None },
    }
}
