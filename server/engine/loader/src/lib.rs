//! Serves a tool-authority manifest without a compiler: [`load`] makes the same authority that the macro embeds in a crate.
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.

mod loaded;
mod watch;

use toolwrit_core::authority::Authority;

pub use loaded::Loaded;
pub use toolwrit_gateway::bound::{RUNS_COMMANDS, bound_providers};
pub use watch::FileWatch;

/// Makes the authority of a manifest. `version` is that of the program that serves it, and its environment variables begin with
/// `env`.
pub fn load(manifest: &toolwrit_manifest::Authority, version: &str, env: &str) -> Authority {
    let mut tables = toolwrit_manifest::rows::tables(manifest, version);
    env.clone_into(&mut tables.server.env);
    Authority::new(tables)
}
