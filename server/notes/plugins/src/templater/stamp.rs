//! What changes when templates change.

use toolwrit_vault::{FileStat, Vault, VaultPath};

use super::Templater;
use super::settings::Settings;

/// What changes when a template is added, removed or edited, or when the plugins or their settings say that templates
/// are elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplatesStamp {
    settings: Result<Option<Settings>, String>,
    files: Vec<(VaultPath, Option<FileStat>)>,
}

impl TemplatesStamp {
    /// Reads it, without reading the templates.
    pub fn read(vault: &Vault) -> Self {
        let settings = Settings::read(vault);
        let files = match &settings {
            Ok(Some(settings)) => {
                let templater = Templater { vault, settings: settings.clone() };
                let listed = templater.list_notes(&|| false).unwrap_or_default();
                let stats = vault.stat(&listed);
                listed.into_iter().map(|entry| entry.path).zip(stats).collect()
            }
            _ => Vec::new(),
        };
        Self { settings, files }
    }
}
