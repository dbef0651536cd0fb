//! Files that Obsidian keeps in its hidden folder: its settings, and the layout of its windows. They are only read.

pub(crate) mod layout;
pub(crate) mod settings;
