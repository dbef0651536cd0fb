//! The names by which programs that sync folders mark files.

use crate::path::VaultPath;

/// What a sync program has done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncState {
    /// It is another version of a file that was changed in two places.
    Conflict,
    /// It is only in iCloud, and its content is not here.
    NotDownloaded,
}

/// Whether a name is that of a conflicting version: `Plan (Conflicted copy phone 202608281200)` of Obsidian Sync,
/// `Plan (Ada's conflicted copy 2026-08-28)` of Dropbox, Nextcloud and others, `Plan.sync-conflict-20260828-120000-ABCDEFG`
/// of Syncthing.
pub(crate) fn is_conflict(path: &VaultPath) -> bool {
    let stem = path.stem().to_lowercase();
    let note = stem.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    stem.contains(".sync-conflict-") || note.is_some_and(|(_, note)| note.contains("conflict"))
}

/// The name of the file that an entry stands for while it is only in iCloud: `.Plan.md.icloud` for `Plan.md`.
pub(crate) fn undownloaded_name(entry: &str) -> Option<&str> {
    entry.strip_prefix('.')?.strip_suffix(".icloud").filter(|name| !name.is_empty())
}

/// The entry that stands for a file while it is only in iCloud.
pub(crate) fn placeholder(name: &str) -> String {
    format!(".{name}.icloud")
}
