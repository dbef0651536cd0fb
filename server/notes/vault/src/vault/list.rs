//! Listing a folder.

use std::cmp::Reverse;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;

use jiff::Timestamp;

use super::Vault;
use crate::error::Result;
use crate::glob::PathGlob;
use crate::path::{Folder, VaultPath};
use crate::storage::root::{created_time, modified_time};
use crate::storage::sync::{SyncState, is_conflict};
use crate::storage::walk::{CancelCheck, Depth, LastFolder, Visited, walk};

/// A file or folder in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    pub path: VaultPath,
    /// What it is.
    pub kind: EntryKind,
    /// What a sync program has done to it.
    pub state: Option<SyncState>,
}

/// Metadata of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Size in bytes; zero for folders.
    pub size: u64,
    /// When it was created, if the file system knows; otherwise when it last changed.
    pub created: Option<Timestamp>,
    /// When it last changed, if the file system knows.
    pub modified: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListOrder {
    /// Ordered by path.
    Path,
    /// The latest change first.
    Modified,
    /// The largest first.
    Size,
    /// Another order each time.
    Random,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A Markdown file.
    Note,
    /// Any other file.
    Attachment,
    Folder,
}

/// The content of a folder, in the order of the paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderListing {
    /// The entries. Each folder comes before its content.
    pub entries: Vec<FolderEntry>,
    /// How many visible entries are left out: symbolic links, special files, names that no vault
    /// path can have. A folder that may not be read counts as one.
    pub left_out: usize,
}

impl FolderEntry {
    fn visited(Visited { path, is_folder, .. }: Visited<'_>) -> Self {
        let kind = if is_folder { EntryKind::Folder } else { EntryKind::of_file(&path) };
        let state = (!is_folder && is_conflict(&path)).then_some(SyncState::Conflict);
        Self { path, kind, state }
    }

    fn undownloaded(path: VaultPath) -> Self {
        Self { kind: EntryKind::of_file(&path), path, state: Some(SyncState::NotDownloaded) }
    }
}

impl EntryKind {
    fn of_file(path: &VaultPath) -> Self {
        if path.is_note() { Self::Note } else { Self::Attachment }
    }
}

impl Vault {
    /// Lists a folder and its subfolders down to `depth`. Hidden names are left out. A `glob` keeps
    /// the files and folders that it matches.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Cancelled`, `Io`.
    pub fn list(
        &self,
        folder: &Folder,
        depth: Depth,
        glob: Option<&PathGlob>,
        cancel: CancelCheck<'_>,
    ) -> Result<FolderListing> {
        let mut entries = Vec::new();
        let unvisited = walk(self.root(), folder, depth, cancel, &mut |visited| {
            if glob.is_none_or(|glob| glob.matches(&visited.path)) {
                entries.push(FolderEntry::visited(visited));
            }
            ControlFlow::Continue(())
        })?;
        let left_out = unvisited.left_out.len();
        let undownloaded = unvisited.undownloaded.into_iter();
        let undownloaded: Vec<_> =
            undownloaded.filter(|path| glob.is_none_or(|glob| glob.matches(path))).collect();
        if !undownloaded.is_empty() {
            entries.extend(undownloaded.into_iter().map(FolderEntry::undownloaded));
            entries.sort_by(|a, b| a.path.cmp(&b.path));
        }
        Ok(FolderListing { entries, left_out })
    }

    /// The visible entries of the whole vault that are not part of it: symbolic links, special files, names that no vault
    /// path can have, and folders that may not be read.
    ///
    /// # Errors
    /// `Cancelled`, `Io`.
    pub fn left_out(&self, cancel: CancelCheck<'_>) -> Result<Vec<String>> {
        let go_on = &mut |_: Visited<'_>| ControlFlow::Continue(());
        let unvisited = walk(self.root(), &Folder::ROOT, Depth::DEEP, cancel, go_on)?;
        Ok(unvisited.left_out.iter().map(ToString::to_string).collect())
    }

    /// Sorts entries that are in the order of their paths into another order. Equal entries keep
    /// their order. Entries that no longer exist or have no time come last.
    pub fn sort(&self, entries: &mut Vec<FolderEntry>, order: ListOrder) {
        match order {
            ListOrder::Path => return,
            ListOrder::Random => {
                let state = RandomState::new();
                return entries.sort_by_cached_key(|entry| state.hash_one(entry.path.as_str()));
            }
            ListOrder::Modified | ListOrder::Size => {}
        }
        let stats = self.stat(entries);
        let mut sorted: Vec<_> = stats.into_iter().zip(entries.drain(..)).collect();
        match order {
            ListOrder::Path | ListOrder::Random => {}
            ListOrder::Modified => {
                sorted.sort_by_key(|(stat, _)| Reverse(stat.and_then(|s| s.modified)));
            }
            ListOrder::Size => sorted.sort_by_key(|(stat, _)| Reverse(stat.map(|stat| stat.size))),
        }
        entries.extend(sorted.into_iter().map(|(_, entry)| entry));
    }

    /// Reads sizes and times, in the order of the entries; `None` for entries that no longer exist.
    pub fn stat(&self, entries: &[FolderEntry]) -> Vec<Option<FileStat>> {
        let mut folder = LastFolder::new(self.root());
        let stat = |entry: &FolderEntry| {
            let metadata = folder.open(&entry.path)?.symlink_metadata(entry.path.name()).ok()?;
            let size = if entry.kind == EntryKind::Folder { 0 } else { metadata.len() };
            Some(FileStat {
                size,
                created: created_time(&metadata),
                modified: modified_time(&metadata),
            })
        };
        entries.iter().map(stat).collect()
    }
}
