//! Providers to which the manifest binds operations: HTTP APIs, commands of the server's machine, and other MCP servers. The
//! rows of an authority have the tables of `toolwrit-bindings` as JSON, static or loaded, and this crate makes a
//! [`Provider`](toolwrit_core::provider::Provider) of each.
//!
//! Commands need the feature `commands`, and other MCP servers the feature `upstreams`. Without it, such a provider is not
//! available, and says so.

mod bound_provider;
mod fault;
mod introduced;
mod kept_key;
mod over_replicas;
mod reached;
mod settings;
#[cfg(feature = "upstreams")]
mod upstream;
mod warning;

use std::sync::Arc;

use toolwrit_core::authority::Tables;
use toolwrit_core::provider::Supervised;
use toolwrit_core::toolset::ProviderTables;

use bound_provider::BoundProvider;
pub use settings::{ProviderProblem, ProviderSettings};
pub use toolwrit_bindings::{CursorKey, Environment};

/// Whether this program can carry out operations that are commands.
pub const RUNS_COMMANDS: bool = cfg!(feature = "commands");

/// Makes the providers of an authority with settings from tables and from the environment of this process. Called by
/// generated code.
pub fn bound_providers(tables: &Tables, settings: ProviderTables) -> Vec<Arc<dyn Supervised>> {
    let settings =
        ProviderSettings::new(settings, Environment::process().of_server(&tables.server.env));
    providers(tables, &settings, &kept_key::cursor_key())
}

/// Makes the providers to which the operations of an authority are bound. One whose settings cannot be used is not
/// available.
pub fn providers(
    tables: &Tables,
    settings: &ProviderSettings,
    cursor_key: &CursorKey,
) -> Vec<Arc<dyn Supervised>> {
    let bound = tables.providers.iter().enumerate().filter_map(|(at, declared)| {
        let operations = tables
            .operations
            .iter()
            .filter(|row| row.requires.is_some_and(|provider| usize::from(provider) == at));
        let bindings = operations.filter_map(|row| row.binding.as_deref());
        let (name, table) = (declared.name.as_str(), declared.binding.as_deref()?);
        Some(BoundProvider::new(name, table, bindings, (settings, cursor_key), tables))
    });
    bound.map(|provider| Arc::new(provider) as Arc<dyn Supervised>).collect()
}
