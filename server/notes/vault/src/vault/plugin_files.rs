//! Reading what Obsidian and its plugins keep in the vault besides notes.

use std::time::SystemTime;

use cap_fs_ext::{DirExt, MetadataExt};
use cap_std::fs::Dir;
use serde_json::Value;

use super::Vault;
use crate::obsidian::settings::{CONFIG_FOLDER, find_config, read_json};
use crate::storage::root::{ReadOutcome, read_limited};

/// Metadata of a file that tells one state of it from another, without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Another file may have taken its place, with a time of its own.
    inode: u64,
}

impl Vault {
    /// A file of JSON in Obsidian's configuration folder, such as `daily-notes.json` or
    /// `plugins/dataview/data.json`; `None` if it does not exist. Symbolic links are not followed.
    ///
    /// # Errors
    /// The file, and why it cannot be read.
    pub fn obsidian_json(&self, path: &str) -> Result<Option<Value>, String> {
        let Some((config, dir)) = find_config(&self.root().dir) else { return Ok(None) };
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(dir) = open_descendant(dir, folders) else { return Ok(None) };
        read_json(&dir, name).map_err(|reason| format!("{config}/{path}: {reason}"))
    }

    /// The names of the folders in a folder of Obsidian's configuration folder, in order.
    pub fn obsidian_folders(&self, path: &str) -> Vec<String> {
        let dir = find_config(&self.root().dir).and_then(|(_, dir)| open_descendant(dir, path));
        let entries = dir.and_then(|dir| dir.entries().ok()).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut names: Vec<_> =
            folders.filter_map(|folder| folder.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    /// The stamp of a file in Obsidian's configuration folder; `None` if it does not exist. Symbolic links are not
    /// followed.
    pub fn obsidian_stamp(&self, path: &str) -> Option<FileStamp> {
        let (_, config) = find_config(&self.root().dir)?;
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let metadata = open_descendant(config, folders)?.symlink_metadata(name).ok()?;
        Some(FileStamp {
            size: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
            inode: metadata.ino(),
        })
    }

    /// The files of a program in a hidden folder of the vault, such as `.smart-env/multi`, by name; at most
    /// `limit`. Symbolic links and other folders are left out. Empty if the folder is not hidden.
    pub fn hidden_files(&self, folder: &str, limit: usize) -> Vec<String> {
        let Some(dir) = self.hidden_folder(folder) else { return Vec::new() };
        let entries = dir.entries().into_iter().flatten().flatten().take(limit);
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut names: Vec<_> =
            files.filter_map(|file| file.file_name().into_string().ok()).collect();
        names.sort_unstable();
        names
    }

    /// The bytes of such a file, if it has at most `limit` bytes.
    pub fn hidden_file(&self, folder: &str, name: &str, limit: u64) -> Option<Vec<u8>> {
        match read_limited(&self.hidden_folder(folder)?, name, limit) {
            Ok(ReadOutcome::Whole(bytes)) => Some(bytes),
            Ok(ReadOutcome::TooLarge) | Err(_) => None,
        }
    }

    /// Saves data that a plugin has derived from the vault, in the user's cache; a kind and the version of its
    /// format tell it apart. Nothing is saved if the vault was opened without a cache.
    pub fn save_derived(&self, kind: (&str, u32), bytes: &[u8]) {
        if let Some(cache) = self.0.live.cache() {
            cache.save_derived(self.root(), kind, bytes);
        }
    }

    /// The data of this kind that was saved last for this vault, by this user.
    pub fn load_derived(&self, kind: (&str, u32)) -> Option<Vec<u8>> {
        self.0.live.cache()?.load_derived(self.root(), kind)
    }

    fn hidden_folder(&self, folder: &str) -> Option<Dir> {
        let root = self.root().dir.try_clone().ok()?;
        let is_hidden = folder.split('/').any(|name| name.starts_with('.'));
        is_hidden.then(|| open_descendant(root, folder))?
    }

    /// The name of Obsidian's configuration folder.
    pub fn obsidian_folder(&self) -> String {
        find_config(&self.root().dir).map_or_else(|| CONFIG_FOLDER.to_owned(), |(name, _)| name)
    }
}

/// Opens the folder below another, without following symbolic links.
fn open_descendant(dir: Dir, path: &str) -> Option<Dir> {
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    segments.into_iter().try_fold(dir, |dir, segment| dir.open_dir_nofollow(segment).ok())
}
