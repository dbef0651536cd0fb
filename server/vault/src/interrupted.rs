//! What there is to say of changes of several files that were interrupted, or that others want to have been.

use std::path::PathBuf;

use cap_fs_ext::DirExt;

use crate::error::{Result, VaultError};
use crate::journal::{CHANGE, Leftovers};
use crate::lock::STATE;
use crate::vault::{Access, Vault};

/// Where records were kept once, in the vault.
const FORMER_RECORD: &str = "journal.json";

/// What an operator should know of changes of several files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interruptions {
    /// Whether a change is half done: a program is at work on it, or the next writer finishes it.
    pub is_pending: bool,
    /// A record that was not carried out, because the engine did not write it for this vault on this
    /// machine. Where it was put.
    pub refused: Option<PathBuf>,
    /// Files that an interrupted change left as they were, because they had been edited since. Where the
    /// list of them is, and the list.
    pub blocked: Option<(PathBuf, Vec<String>)>,
    /// What lies in the vault and looks like a change of somebody else, or of an earlier release. It is
    /// never carried out. Paths from the root.
    pub foreign: Vec<String>,
}

impl Vault {
    /// Looks for changes that were interrupted. Changes nothing.
    pub fn interruptions(&self) -> Interruptions {
        let Leftovers { is_pending, refused, blocked } = self.store().leftovers();
        Interruptions { is_pending, refused, blocked, foreign: self.foreign_changes() }
    }

    /// Whether changes of several files can be put on record: does so with none.
    ///
    /// # Errors
    /// `NoJournal`.
    pub fn check_journal(&self) -> Result<()> {
        let checked = self.store().check();
        checked.map_err(|error| VaultError::NoJournal { reason: error.to_string() })
    }

    fn foreign_changes(&self) -> Vec<String> {
        let Ok(own) = self.root().dir.open_dir_nofollow(STATE) else { return Vec::new() };
        let ours = self.store().staging_name();
        let is_foreign = |name: &str| {
            let is_change = name.starts_with(CHANGE) && ours.as_deref() != Some(name);
            let holds_files = || {
                let folder = own.open_dir_nofollow(name);
                folder.and_then(|folder| folder.entries()).is_ok_and(|mut all| all.next().is_some())
            };
            name == FORMER_RECORD || is_change && holds_files()
        };
        let names = own.entries().into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut foreign: Vec<String> = names.filter(|name| is_foreign(name)).collect();
        foreign.sort_unstable();
        foreign.into_iter().map(|name| format!("{STATE}/{name}")).collect()
    }

    /// Tells the log what is found when a vault is opened.
    pub(crate) fn warn_of_interruptions(&self) {
        let foreign = self.foreign_changes();
        if !foreign.is_empty() {
            tracing::warn!(
                ?foreign,
                "the vault holds what looks like interrupted changes of others; they are not carried out"
            );
        }
        // Whoever may write has finished it, unless another program is at work on it.
        if self.access() == Access::ReadOnly && self.store().leftovers().is_pending {
            tracing::warn!(
                "a change of several files is half done: another program is at work on it, or it was \
                 interrupted and waits for a server that may write"
            );
        }
    }
}
