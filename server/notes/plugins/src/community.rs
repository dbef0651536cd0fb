//! Obsidian's community plugins in a vault: which are installed, and which are switched on. Each has a folder with a
//! `manifest.json` below `plugins/`, and `community-plugins.json` has the ids of those that are on. A plugin's folder
//! need not have the plugin's id as its name.

use serde_json::Value;
use toolwrit_vault::{FileStamp, Vault};

const ENABLED: &str = "community-plugins.json";
const FOLDER: &str = "plugins";
/// The most plugins that are read.
const MOST: usize = 1000;

/// A community plugin that is installed in a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledPlugin {
    /// Its id, from its manifest.
    pub id: String,
    /// Its version, from its manifest.
    pub version: Option<String>,
    /// Whether it is switched on.
    pub is_enabled: bool,
}

/// The community plugins of a vault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommunityPlugins {
    /// The installed plugins. Of several with one id, only that in the first folder.
    pub installed: Vec<InstalledPlugin>,
    /// The ids that Obsidian lists as switched on, also of plugins that are not installed.
    pub enabled: Vec<String>,
    /// Files that could not be understood, each with the reason.
    pub problems: Vec<String>,
}

impl CommunityPlugins {
    /// Reads the community plugins of a vault.
    pub fn read(vault: &Vault) -> Self {
        let mut plugins = Self::default();
        match vault.obsidian_json(ENABLED) {
            Ok(None) => {}
            Ok(Some(Value::Array(ids))) => {
                let ids = ids.iter().filter_map(Value::as_str).take(MOST);
                plugins.enabled = ids.map(str::to_owned).collect();
            }
            Ok(Some(_)) => plugins.problems.push(format!("{ENABLED}: it is not a list of ids")),
            Err(problem) => plugins.problems.push(problem),
        }
        for folder in plugin_folders(vault) {
            match read_installed_plugin(vault, &folder, &plugins.enabled) {
                Ok(Some(plugin)) if plugins.find_plugin(&plugin.id).is_none() => {
                    plugins.installed.push(plugin);
                }
                Ok(_) => {}
                Err(problem) => plugins.problems.push(problem),
            }
        }
        plugins
    }

    pub fn find_plugin(&self, id: &str) -> Option<&InstalledPlugin> {
        self.installed.iter().find(|plugin| plugin.id == id)
    }
}

/// The plugin in a folder; `None` without a manifest, because then it is none.
fn read_installed_plugin(
    vault: &Vault,
    folder: &str,
    enabled: &[String],
) -> Result<Option<InstalledPlugin>, String> {
    let path = manifest_path(folder);
    let Some(manifest) = vault.obsidian_json(&path)? else { return Ok(None) };
    let id = manifest["id"].as_str().filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| format!("{path}: it has no `id`"))?;
    Ok(Some(InstalledPlugin {
        id: id.to_owned(),
        version: manifest["version"].as_str().map(str::to_owned),
        is_enabled: enabled.iter().any(|enabled| enabled == id),
    }))
}

/// What changes when plugins are installed, removed or switched, and when a manifest arrives or changes. Cheaper to
/// read than [`CommunityPlugins`]: it reads no file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PluginsStamp {
    enabled: Option<FileStamp>,
    /// The folders of plugins, with their manifests.
    manifests: Vec<(String, Option<FileStamp>)>,
}

impl PluginsStamp {
    pub fn read(vault: &Vault) -> Self {
        let stamped = |folder: String| {
            let manifest = vault.obsidian_stamp(&manifest_path(&folder));
            (folder, manifest)
        };
        Self {
            enabled: vault.obsidian_stamp(ENABLED),
            manifests: plugin_folders(vault).map(stamped).collect(),
        }
    }
}

fn plugin_folders(vault: &Vault) -> impl Iterator<Item = String> {
    vault.obsidian_folders(FOLDER).into_iter().take(MOST)
}

fn manifest_path(folder: &str) -> String {
    format!("{FOLDER}/{folder}/manifest.json")
}
