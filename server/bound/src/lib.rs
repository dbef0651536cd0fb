//! Providers whose operations the manifest binds to their APIs. The rows of an authority have the tables of
//! `toolwrit-bindings` as JSON, static or loaded, and this crate makes a [`Provider`] of each API.

mod fault;
mod http_api;
mod kept_key;
mod settings;

use std::sync::Arc;

use toolwrit_core::authority::Tables;
use toolwrit_core::provider::Provider;
use toolwrit_core::toolset::ProviderTables;

pub use settings::{ProviderProblem, ProviderSettings};
pub use toolwrit_bindings::{CursorKey, Environment};

/// Makes the providers of an authority with settings from tables and from the environment of this process. Called by
/// generated code.
pub fn bound_providers(tables: &Tables<'_>, settings: ProviderTables) -> Vec<Arc<dyn Provider>> {
    let settings = ProviderSettings::new(settings, Environment::process());
    providers(tables, &settings, &kept_key::cursor_key())
}

/// Makes a provider of each API to which the operations of an authority are bound. An API whose settings cannot be used is
/// a provider that is not available.
pub fn providers(
    tables: &Tables<'_>,
    settings: &ProviderSettings,
    cursor_key: &CursorKey,
) -> Vec<Arc<dyn Provider>> {
    let apis = tables.providers.iter().enumerate().filter_map(|(at, declared)| {
        let operations = tables
            .operations
            .iter()
            .filter(|row| row.requires.is_some_and(|provider| usize::from(provider) == at));
        let tables = operations.filter_map(|row| row.binding);
        Some(http_api::HttpApi::new(declared.name, declared.api?, tables, settings, cursor_key))
    });
    apis.map(|api| Arc::new(api) as Arc<dyn Provider>).collect()
}
