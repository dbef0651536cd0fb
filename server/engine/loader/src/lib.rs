//! Serves a tool-authority manifest without a compiler: [`load`] builds the tables that the macro generates for the
//! same manifest. There is a file for each kind of rows, as in the macro.
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.

mod access;
mod aliases;
mod fields;
mod loaded;
mod merged;
mod operations;
mod rows;
mod search;
mod served;
mod tables;
mod watch;

use toolwrit_core::authority::Authority;

pub use loaded::Loaded;
pub use toolwrit_gateway::bound::{RUNS_COMMANDS, bound_providers};
pub use watch::FileWatch;

/// Builds the authority of a manifest. `version` is that of the program that serves it.
pub fn load(manifest: &toolwrit_manifest::Authority, version: &str) -> Authority {
    Authority::load(|arena| tables::tables(manifest, version, arena))
}
