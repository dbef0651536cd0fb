//! Reports on interrupted changes of several files, and on foreign records of such changes.

use std::path::PathBuf;

use cap_fs_ext::DirExt;

use super::store::{BLOCKED, CHANGE, RECORD, RECORD_LIMIT, REFUSED, Store};
use crate::storage::own_folder::OWN_FOLDER;
use crate::storage::private::PrivateFolder;
use crate::storage::root::VaultRoot;

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

impl Store {
    /// Looks for interrupted changes. Changes nothing.
    pub(crate) fn interruptions(&self, root: &VaultRoot) -> Interruptions {
        let foreign = self.foreign_changes(root);
        let nothing = Interruptions { foreign, ..Interruptions::default() };
        let Some(path) = self.records_folder() else { return nothing };
        let Ok(Some(folder)) = PrivateFolder::open(&path) else { return nothing };
        let blocked = folder.read(BLOCKED, RECORD_LIMIT).ok().flatten();
        let files =
            blocked.map(|text| String::from_utf8_lossy(&text).lines().map(str::to_owned).collect());
        Interruptions {
            is_pending: folder.has(RECORD),
            refused: folder.has(REFUSED).then(|| path.join(REFUSED)),
            blocked: files.map(|files| (path.join(BLOCKED), files)),
            ..nothing
        }
    }

    fn foreign_changes(&self, root: &VaultRoot) -> Vec<String> {
        let Ok(engine_folder) = root.dir.open_dir_nofollow(OWN_FOLDER) else { return Vec::new() };
        let ours = self.staging_name();
        let is_foreign = |name: &str| {
            let is_change = name.starts_with(CHANGE) && ours.as_deref() != Some(name);
            let holds_files = || {
                let folder = engine_folder.open_dir_nofollow(name);
                folder.and_then(|folder| folder.entries()).is_ok_and(|mut all| all.next().is_some())
            };
            name == FORMER_RECORD || is_change && holds_files()
        };
        let names = engine_folder.entries().into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut foreign: Vec<String> = names.filter(|name| is_foreign(name)).collect();
        foreign.sort_unstable();
        foreign.into_iter().map(|name| format!("{OWN_FOLDER}/{name}")).collect()
    }
}
