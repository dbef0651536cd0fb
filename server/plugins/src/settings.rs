//! The settings that plugins of Obsidian keep in the vault.

use serde_json::Value as Json;
use toolwrit_vault::Vault;

/// The settings of a community plugin, by its id. The folder of a plugin may have another name than its id.
/// `None` if the plugin is not installed; empty if it has saved no settings.
///
/// # Errors
/// Which file cannot be read, and why.
pub(crate) fn plugin_data(vault: &Vault, id: &str) -> Result<Option<Json>, String> {
    let has_id = |folder: &String| {
        let manifest = vault.obsidian_json(&format!("plugins/{folder}/manifest.json"));
        matches!(manifest, Ok(Some(manifest)) if manifest.get("id").and_then(Json::as_str) == Some(id))
    };
    let Some(folder) = vault.obsidian_folders("plugins").into_iter().find(has_id) else {
        return Ok(None);
    };
    let data = vault.obsidian_json(&format!("plugins/{folder}/data.json"))?;
    Ok(Some(data.unwrap_or_default()))
}

/// The settings of a core plugin; `None` if it has saved none.
///
/// # Errors
/// Why the file cannot be read.
pub(crate) fn core_plugin(vault: &Vault, id: &str) -> Result<Option<Json>, String> {
    vault.obsidian_json(&format!("{id}.json"))
}

/// Whether a core plugin is enabled. Without saved settings the default of Obsidian applies.
pub(crate) fn is_core_enabled(vault: &Vault, id: &str, default: bool) -> bool {
    match vault.obsidian_json("core-plugins.json") {
        // Newer versions save a switch for each plugin, older ones a list of the enabled ones.
        Ok(Some(Json::Object(switches))) => {
            switches.get(id).and_then(Json::as_bool).unwrap_or(default)
        }
        Ok(Some(Json::Array(enabled))) => enabled.iter().any(|it| it.as_str() == Some(id)),
        _ => default,
    }
}
