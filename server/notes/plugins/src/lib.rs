//! What popular plugins of Obsidian do, computed from a vault on disk. Obsidian need not run.
//!
//! A module per plugin. They know the vault, but no MCP and no operations. All calls block; run them on a
//! blocking thread. Dataview and Bases are in the crate `toolwrit-dataview`.

pub mod community;
pub mod daily;
pub mod smart_connections;
pub mod templater;

pub use toolwrit_moment::Moment;
