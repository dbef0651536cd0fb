//! What popular plugins of Obsidian do, computed from a vault on disk. Obsidian need not run.
//!
//! A module per plugin. They know the vault, but no MCP and no operations. All calls block; run them on a
//! blocking thread. Dataview and Bases are in the crate `toolwrit-dataview`.
//!
//! - `templater/`: `script` parses the JavaScript of templates, `run` interprets it, `parameters` finds what a template
//!   asks for, `refused` lists what templates may not use, and `stamp` makes a value that differs once a template has
//!   changed. The interpreter has only what templates use, so that its limits on steps, memory and depth hold
//!   everywhere, and nothing in it reaches a file, the network or another program.
//! - `periodic/` finds or creates daily, weekly, monthly, quarterly and yearly notes.
//! - `tasks/` changes the status of a task: `settings` are those of the plugin Tasks, `fields` reads the dates at the end of
//!   its line, `recurrence` finds its next occurrence, and `change` puts them together.
//! - `smart_connections/` finds passages by meaning: `sections` splits notes, `index` keeps their vectors, and
//!   `smart_env` examines what the plugin saved.

pub mod community;
pub mod periodic;
pub mod smart_connections;
pub mod tasks;
pub mod templater;

pub use toolwrit_moment::Moment;
