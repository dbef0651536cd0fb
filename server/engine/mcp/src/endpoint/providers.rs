//! The capabilities of providers: their operations, or why they cannot be used and what would change that.

use serde_json::{Map, Value, json};

use super::Endpoint;
use toolwrit_core::authority::{Operation, Served, parameter_types};
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::Decision;
use toolwrit_core::toolset::InstalledPlugin;

impl Endpoint {
    /// Returns the providers that exist for the caller, by name, each as [`Self::provider`].
    pub fn providers(&self) -> Map<String, Value> {
        let all = self.tables().providers.iter().enumerate();
        let known = all.filter(|(at, _)| self.policy.knows_provider(*at));
        known.map(|(at, provider)| (provider.name.clone(), self.capabilities(at))).collect()
    }

    /// Returns a provider: `{"enabled": true, "version": .., "operations": {..}}`, or `{"enabled": false, "reason":
    /// .., "message": .., "remedy": ..}`. `None` if it does not exist for the caller.
    pub fn provider(&self, name: &str) -> Option<Value> {
        self.policy.refresh();
        let at = self.tables().providers.iter().position(|provider| provider.name == name)?;
        self.policy.knows_provider(at).then(|| self.capabilities(at))
    }

    /// Returns the providers that exist for the caller, by name, and the plugins of the software that the application
    /// works with, by id. A plugin for which a provider stands names it. Blocks.
    pub fn plugins(&self) -> Map<String, Value> {
        let mut plugins = self.providers();
        for plugin in self.known_plugins() {
            let entry = installed(&plugin);
            plugins.entry(plugin.id).or_insert(entry);
        }
        plugins
    }

    /// Returns the provider of this name, the one that stands for the plugin with this id, or the plugin. Blocks.
    pub fn plugin(&self, id: &str) -> Option<Value> {
        self.provider(id).or_else(|| {
            let plugin = self.known_plugins().into_iter().find(|plugin| plugin.id == id)?;
            let provider = plugin.provider.and_then(|name| self.provider(name));
            Some(provider.unwrap_or_else(|| installed(&plugin)))
        })
    }

    /// The plugins of the application, without those whose provider does not exist for the caller. A caller without any
    /// provider has no use for them.
    fn known_plugins(&self) -> Vec<InstalledPlugin> {
        let providers = self.providers();
        let mut plugins = self.engine.read_plugins();
        plugins.retain(|plugin| match plugin.provider {
            Some(name) => providers.contains_key(name),
            None => !providers.is_empty(),
        });
        plugins
    }

    fn capabilities(&self, at: usize) -> Value {
        let provider = &self.tables().providers[at];
        let providers = self.policy.providers();
        let mut entry = Map::new();
        let mut add = |key: &str, value: Value| entry.insert(key.to_owned(), value);
        add("title", provider.title.as_str().into());
        add("summary", provider.summary.as_str().into());
        if let Some(why) = providers.and_then(|providers| providers.unavailable(at)) {
            add("enabled", false.into());
            add("reason", why.reason.as_str().into());
            add("message", why.message.into());
            add("remedy", why.remedy.into());
            return entry.into();
        }
        add("enabled", true.into());
        if let Some(status) = providers.and_then(|providers| providers.status(at)) {
            if let Some(version) = status.version() {
                add("version", version.into());
            }
            if let Some(failure) = status.failure() {
                add("failing", failure.into());
            }
            if !status.refused().is_empty() {
                add("refused", status.refused().into());
            }
            if !status.problems().is_empty() {
                add("problems", status.problems().into());
            }
        }
        let operations = self.tables().operations.iter().enumerate().filter(|(index, row)| {
            let is_own = row.requires.is_some_and(|provider| usize::from(provider) == at);
            is_own && row.served == Served::Tool && self.policy.decide(*index) == Decision::Visible
        });
        let operations =
            operations.map(|(_, row)| (name_within(&provider.name, row), operation(row)));
        add("operations", Value::Object(operations.collect()));
        entry.into()
    }
}

/// `{"enabled": true, "version": .., "provider": ..}`.
fn installed(plugin: &InstalledPlugin) -> Value {
    let mut entry = json!({ "enabled": plugin.is_enabled });
    if let Some(version) = &plugin.version {
        entry["version"] = version.as_str().into();
    }
    if let Some(provider) = plugin.provider {
        entry["provider"] = provider.into();
    }
    entry
}

/// Returns the name of an operation within its provider: `query` for `plugin.dataview.query`. Other operations that
/// need the provider keep their id.
fn name_within(provider: &str, operation: &Operation) -> String {
    let rest = operation.name.strip_prefix(provider);
    let name = rest.and_then(|rest| rest.strip_prefix(['.', ':']));
    name.unwrap_or(&operation.id).to_owned()
}

fn operation(operation: &Operation) -> Value {
    let mut entry = json!({
        "id": operation.id,
        "summary": operation.summary,
        "effect": operation.effect.as_str(),
        "params": parameter_types(operation),
    });
    let examples = operation.examples.iter().map(|example| parse_row_text(&example.args));
    let examples: Vec<Value> = examples.collect();
    if !examples.is_empty() {
        entry["examples"] = examples.into();
    }
    entry
}
