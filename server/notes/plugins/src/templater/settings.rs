//! Where the templates are: the settings of Templater, or of the core plugin Templates.

use serde_json::Value as Json;
use toolwrit_vault::{Folder, Vault};

use super::placeholders::Placeholders;
use crate::community::CommunityPlugins;

/// The plugin's id.
pub(super) const TEMPLATER: &str = "templater-obsidian";

/// The settings that templates are run with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Settings {
    pub(crate) folder: Folder,
    pub(crate) placeholders: Placeholders,
    /// Whether Templater also runs in notes that other plugins create.
    pub(crate) on_creation: bool,
}

impl Settings {
    /// Reads the settings of the plugins that are switched on. The folder of Templater counts first; `None` if no
    /// plugin sets a folder.
    pub(crate) fn read(vault: &Vault) -> Result<Option<Self>, String> {
        let plugins = CommunityPlugins::read(vault);
        let is_on = plugins.find_plugin(TEMPLATER).is_some_and(|plugin| plugin.is_enabled);
        let templater = if is_on { vault.plugin_settings(TEMPLATER)? } else { None };
        let core = vault.core_plugin_settings("templates")?;
        let text = |json: &Json, key: &str| {
            let value = json.get(key).and_then(Json::as_str).map(str::trim);
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let of_plugin = templater.as_ref().and_then(|data| text(data, "templates_folder"));
        let enabled = core.as_ref().filter(|_| vault.is_core_plugin_enabled("templates", true));
        let shared = enabled.and_then(|data| text(data, "folder"));
        let Some(folder) = of_plugin.or(shared) else { return Ok(None) };
        let folder = Folder::parse(folder.trim_matches('/')).map_err(|error| error.to_string())?;
        let mut placeholders = Placeholders::default();
        if let Some(core) = &core {
            placeholders.date_format = text(core, "dateFormat").unwrap_or(placeholders.date_format);
            placeholders.time_format = text(core, "timeFormat").unwrap_or(placeholders.time_format);
        }
        let trigger = |data: &Json| data.get("trigger_on_file_creation").and_then(Json::as_bool);
        let on_creation = templater.as_ref().and_then(trigger).unwrap_or(false);
        Ok(Some(Self { folder, placeholders, on_creation }))
    }
}
