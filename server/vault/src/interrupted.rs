//! Reports on interrupted changes of several files, and on foreign records of such changes.

use std::path::PathBuf;

use cap_fs_ext::DirExt;

use crate::error::{Result, VaultError};
use crate::journal::{CHANGE, Leftovers};
use crate::lock::STATE;
use crate::vault::{Access, Vault};

/// The record's name in earlier releases, which kept it in the vault.
const FORMER_RECORD: &str = "journal.json";

/// Interrupted changes of several files that an operator should know of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Interruptions {
    /// Whether a change is incomplete. Another program is working on it, or the next writer will
    /// finish it.
    pub is_pending: bool,
    /// Where a refused record was moved. It was not carried out, because the engine did not write
    /// it for this vault on this machine.
    pub refused: Option<PathBuf>,
    /// The path of the list of files that an interrupted change left unchanged because they had
    /// been edited since, and the list.
    pub blocked: Option<(PathBuf, Vec<String>)>,
    /// Files in the vault that look like a change of another user or of an earlier release. They
    /// are never carried out. Paths from the root.
    pub foreign: Vec<String>,
}

impl Vault {
    /// Looks for interrupted changes. Changes nothing.
    pub fn interruptions(&self) -> Interruptions {
        let Leftovers { is_pending, refused, blocked } = self.store().leftovers();
        Interruptions { is_pending, refused, blocked, foreign: self.foreign_changes() }
    }

    /// Checks that changes of several files can be recorded, by writing an empty record.
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

    /// Logs what is found when a vault is opened.
    pub(crate) fn warn_of_interruptions(&self) {
        let foreign = self.foreign_changes();
        if !foreign.is_empty() {
            tracing::warn!(
                ?foreign,
                "the vault contains files that look like interrupted changes of other users; they are not carried out"
            );
        }
        // A writer has finished the change already, unless another program is working on it.
        if self.access() == Access::ReadOnly && self.store().leftovers().is_pending {
            tracing::warn!(
                "a change of several files is half done: another program is at work on it, or it was \
                 interrupted and waits for a server that may write"
            );
        }
    }
}
