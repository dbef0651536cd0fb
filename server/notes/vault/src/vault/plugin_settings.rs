//! The settings that plugins of Obsidian keep in the vault.

use serde_json::Value;

use super::Vault;

impl Vault {
    /// The settings of a community plugin, by its id. The folder of a plugin may have another name than its id.
    /// `None` if the plugin is not installed; `null` if it has saved no settings.
    ///
    /// # Errors
    /// Which file cannot be read, and why.
    pub fn plugin_settings(&self, id: &str) -> Result<Option<Value>, String> {
        let has_id = |folder: &String| {
            let manifest = self.obsidian_json(&format!("plugins/{folder}/manifest.json"));
            matches!(manifest, Ok(Some(manifest)) if manifest["id"].as_str() == Some(id))
        };
        let Some(folder) = self.obsidian_folders("plugins").into_iter().find(has_id) else {
            return Ok(None);
        };
        let data = self.obsidian_json(&format!("plugins/{folder}/data.json"))?;
        Ok(Some(data.unwrap_or_default()))
    }

    /// Obsidian's own settings for the vault; `None` if it has saved none.
    ///
    /// # Errors
    /// Which file cannot be read, and why.
    pub fn app_settings(&self) -> Result<Option<Value>, String> {
        self.obsidian_json("app.json")
    }

    /// The settings of a core plugin; `None` if it has saved none.
    ///
    /// # Errors
    /// Which file cannot be read, and why.
    pub fn core_plugin_settings(&self, id: &str) -> Result<Option<Value>, String> {
        self.obsidian_json(&format!("{id}.json"))
    }

    /// Whether a core plugin is enabled. Without saved settings the default of Obsidian applies.
    pub fn is_core_plugin_enabled(&self, id: &str, default: bool) -> bool {
        match self.obsidian_json("core-plugins.json") {
            // Newer versions save a switch for each plugin, older ones a list of the enabled ones.
            Ok(Some(Value::Object(switches))) => {
                switches.get(id).and_then(Value::as_bool).unwrap_or(default)
            }
            Ok(Some(Value::Array(enabled))) => {
                enabled.iter().any(|plugin| plugin.as_str() == Some(id))
            }
            _ => default,
        }
    }
}
