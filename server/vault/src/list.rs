//! Listing a folder.

use std::ops::ControlFlow;

use jiff::Timestamp;

use crate::error::Result;
use crate::glob::PathGlob;
use crate::path::{Folder, VaultPath};
use crate::vault::{Vault, modified};
use crate::walk::{CancelCheck, Depth, LastFolder, walk};

/// A file or folder in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: VaultPath,
    /// What it is.
    pub kind: EntryKind,
}

/// What the file system knows of a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Size in bytes; zero for folders.
    pub size: u64,
    /// When it last changed, if the file system knows.
    pub modified: Option<Timestamp>,
}

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A Markdown file.
    Note,
    /// Any other file.
    Attachment,
    /// A folder.
    Folder,
}

/// What a folder holds, in the order of the paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The entries, each folder before what it holds.
    pub entries: Vec<Entry>,
    /// How many visible entries cannot be named by any vault path: symbolic links, special files,
    /// names that are not portable.
    pub left_out: usize,
}

impl Vault {
    /// Lists a folder, with everything below it if `recursive`. Hidden names are not shown. A
    /// `glob` keeps the files and folders it matches.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Cancelled`, `Io`.
    pub fn list(
        &self,
        folder: &Folder,
        recursive: bool,
        glob: Option<&PathGlob>,
        cancel: CancelCheck<'_>,
    ) -> Result<Listing> {
        let depth = if recursive { Depth::Deep } else { Depth::Shallow };
        let mut entries = Vec::new();
        let left_out = walk(self.root(), folder, depth, cancel, &mut |visited| {
            if glob.is_none_or(|glob| glob.matches(&visited.path)) {
                let kind = if visited.is_folder {
                    EntryKind::Folder
                } else if visited.path.is_note() {
                    EntryKind::Note
                } else {
                    EntryKind::Attachment
                };
                entries.push(Entry { path: visited.path, kind });
            }
            ControlFlow::Continue(())
        })?;
        Ok(Listing { entries, left_out })
    }

    /// Looks up sizes and times, in the order of the entries; `None` for what is gone meanwhile.
    pub fn stat(&self, entries: &[Entry]) -> Vec<Option<FileStat>> {
        let mut folder = LastFolder::new(self.root());
        let stat = |entry: &Entry| {
            let metadata = folder.of(&entry.path)?.symlink_metadata(entry.path.name()).ok()?;
            let size = if entry.kind == EntryKind::Folder { 0 } else { metadata.len() };
            Some(FileStat { size, modified: modified(&metadata) })
        };
        entries.iter().map(stat).collect()
    }
}
