//! Files and folders on the disk, below everything that knows what a note is.

pub(crate) mod atomic;
mod attributes;
pub(crate) mod file_system;
mod missing;
pub(crate) mod own_folder;
pub(crate) mod private;
pub(crate) mod root;
pub(crate) mod seal;
pub(crate) mod state_folder;
pub(crate) mod sync;
pub(crate) mod walk;
pub(crate) mod watcher;
