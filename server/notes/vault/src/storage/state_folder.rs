//! The user's state folder, which holds the user's key and the records of unfinished changes.

use std::io;
use std::path::{Path, PathBuf};

use super::private::PrivateFolder;
use super::root::VaultRoot;
use super::seal::SealKey;

/// The state folder, or why there is none.
#[derive(Clone)]
pub(crate) struct StateFolder(Result<PathBuf, &'static str>);

impl StateFolder {
    /// Uses this folder, unless it is in the vault. It is created when it is needed.
    pub(crate) fn new(root: &VaultRoot, folder: Option<&Path>) -> Self {
        Self(match folder.map(std::path::absolute) {
            None => Err("the vault was opened without a state folder"),
            Some(Ok(folder)) if !is_within(&folder, &root.location) => Ok(folder),
            Some(_) => Err("the state folder is inside the vault"),
        })
    }

    pub(crate) fn path(&self) -> io::Result<&Path> {
        self.0.as_deref().map_err(|reason| io::Error::other(*reason))
    }

    /// The user's key, created if it does not exist.
    pub(crate) fn key(&self) -> io::Result<SealKey> {
        SealKey::load_or_create(&PrivateFolder::create(self.path()?)?)
    }
}

/// Whether a folder, which may not exist yet, is inside the vault.
fn is_within(folder: &Path, vault: &Path) -> bool {
    let there = folder.ancestors().find_map(|folder| folder.canonicalize().ok());
    there.is_none_or(|there| there.starts_with(vault))
}
