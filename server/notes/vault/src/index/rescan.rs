//! Comparing the index with the files on disk.

use std::ops::ControlFlow;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use cap_std::fs::Dir;
use hashbrown::HashSet;

use super::live::{Shared, lock};
use super::source::{FileOnDisk, Stamp};
use super::{FileKind, Index};
use crate::error::VaultError;
use crate::path::{Folder, VaultPath};
use crate::storage::walk::{Depth, LeftOut, walk};

impl Shared {
    pub(super) fn rescan_paths<'a>(&self, paths: impl IntoIterator<Item = &'a VaultPath>) {
        for path in paths {
            self.rescan_path(path);
        }
    }

    /// Enters the file or folder that is at a path now.
    pub(super) fn rescan_path(&self, path: &VaultPath) {
        let folder = self.root.open_folder(&path.folder());
        let found = folder.ok().and_then(|(dir, _)| {
            let metadata = dir.symlink_metadata(path.name()).ok()?;
            // On a file system that ignores case, the old name of a renamed file still finds it.
            self.root.is_spelled(path).then_some((dir, metadata))
        });
        match found {
            Some((dir, metadata)) if metadata.is_file() => {
                self.rescan_file(&dir, path, Some(&Stamp::from_metadata(&metadata)));
            }
            Some((_, metadata)) if metadata.is_dir() => {
                self.rescan_folder(&Folder::from(path.clone()));
            }
            Some(_) => {
                self.remove(path);
                let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
                index.left_out.insert(LeftOut::at(path));
            }
            None => self.remove(path),
        }
    }

    /// Compares the whole vault with the index.
    pub(super) fn rescan_all(&self) {
        self.rescan_folder(&Folder::ROOT);
    }

    pub(super) fn rescan_folder(&self, folder: &Folder) {
        let mut there = HashSet::new();
        // Watch each folder before listing it, so that no change is missed.
        self.watch(folder);
        let dropped = || self.dropped.load(Ordering::Relaxed);
        let walked = walk(&self.root, folder, Depth::DEEP, &dropped, &mut |visited| {
            if visited.is_folder {
                self.watch(&Folder::from(visited.path));
            } else {
                let metadata = visited.dir.symlink_metadata(visited.path.name());
                let stamp = metadata.ok().map(|metadata| Stamp::from_metadata(&metadata));
                self.rescan_file(visited.dir, &visited.path, stamp.as_ref());
                there.insert(visited.path);
            }
            ControlFlow::Continue(())
        });
        // A folder that cannot be listed counts as empty. After a cancelled walk, the rest is
        // unknown.
        if matches!(walked, Err(VaultError::Cancelled)) {
            return;
        }
        self.note_left_out(folder, walked.unwrap_or_default().left_out);
        let index = self.read_index();
        let known = index.names.files_below(folder);
        let known = known.into_iter().filter_map(|id| index.names.path(id));
        let gone: Vec<VaultPath> = known.filter(|path| !there.contains(*path)).cloned().collect();
        drop(index);
        for path in gone {
            self.rescan_path(&path);
        }
    }

    /// Records which entries below a folder are not part of the vault.
    fn note_left_out(&self, folder: &Folder, left_out: Vec<LeftOut>) {
        if left_out.is_empty() && self.read_index().left_out.is_empty() {
            return;
        }
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        index.left_out.retain(|entry| !entry.is_below(folder));
        index.left_out.extend(left_out);
    }

    /// Reads and enters a file, unless its stamp shows that the entry is current.
    fn rescan_file(&self, dir: &Dir, path: &VaultPath, stamp: Option<&Stamp>) {
        // A current entry must not wait until another file is read.
        if self.read_index().is_current(path, stamp) {
            return;
        }
        let _guard = lock(&self.rescanning);
        let index = self.read_index();
        if index.is_current(path, stamp) {
            return;
        }
        let kind = FileKind::from_path(path);
        let version = index.find_by_path(path).map(|known| known.version);
        let source = kind.map(|kind| (kind, FileOnDisk::read(Some(dir), path, &index.hasher)));
        drop(index);
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        let id = index.names.insert(path.clone());
        match source {
            Some((_, source)) if version == Some(source.version) => {
                let Index { files, changes, .. } = &mut *index;
                if let Some(known) = &mut files[id.index()]
                    && known.stamp != source.stamp
                {
                    known.stamp = source.stamp;
                    *changes += 1;
                }
            }
            Some((kind, source)) => {
                let indexed = source.into_indexed((id, kind), path, &mut index.words);
                index.insert(indexed);
                index.compact_if_needed();
            }
            None => {
                index.remove_entry(id);
                index.changes += 1;
            }
        }
    }

    /// Removes a file that no longer exists, or everything below a folder.
    fn remove(&self, path: &VaultPath) {
        let _guard = lock(&self.rescanning);
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        let folder = Folder::from(path.clone());
        index.left_out.retain(|entry| *entry != LeftOut::at(path) && !entry.is_below(&folder));
        if let Some(id) = index.names.id(path) {
            return index.remove(id);
        }
        for id in index.names.files_below(&folder) {
            index.remove(id);
        }
    }

    /// Gives files that this program has moved their new paths. Their entries stay valid.
    pub(super) fn follow_moves(&self, moves: &[(VaultPath, VaultPath)]) {
        if moves.is_empty() {
            return;
        }
        let _guard = lock(&self.rescanning);
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        for (from, to) in moves {
            index.follow_move(from, to);
        }
    }
}
