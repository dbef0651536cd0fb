//! Building the index on all processors.

use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread;

use super::source::FileOnDisk;
use super::words::Words;
use super::{FileKind, Index, Indexed};
use crate::error::{Result, VaultError};
use crate::links::FileId;
use crate::path::{Folder, VaultPath};
use crate::storage::root::VaultRoot;
use crate::storage::walk::{CancelCheck, Depth, LastFolder, walk};

/// Most worker threads.
const WORKERS: usize = 8;
/// Fewest files that are worth another worker.
const SHARE: usize = 256;

/// The result of a worker.
#[derive(Default)]
struct Share {
    words: Words,
    files: Vec<Indexed>,
}

impl Index {
    /// Reads the whole vault. Watches each folder before listing it, so that no change is missed.
    ///
    /// # Errors
    /// `Io` if the vault's folder cannot be listed, `Cancelled`.
    pub(super) fn build(
        root: &VaultRoot,
        watch: &dyn Fn(&Folder),
        cancel: CancelCheck<'_>,
    ) -> Result<Self> {
        let mut index = Self::default();
        let mut named = Vec::new();
        let unvisited = walk(root, &Folder::ROOT, Depth::DEEP, cancel, &mut |visited| {
            if visited.is_folder {
                watch(&Folder::from(visited.path));
            } else {
                let id = index.names.insert(visited.path.clone());
                named.extend(
                    FileKind::from_path(&visited.path).map(|kind| ((id, kind), visited.path)),
                );
            }
            ControlFlow::Continue(())
        })?;
        index.left_out.extend(unvisited.left_out);
        let workers = thread::available_parallelism().map_or(1, NonZero::get).min(WORKERS);
        let size = named.len().div_ceil(workers).max(SHARE);
        let hasher = &index.hasher;
        let shares: Vec<Share> = thread::scope(|scope| {
            let work = |share| move || Share::read(root, share, hasher, cancel);
            let spawned: Vec<_> =
                named.chunks(size).map(|share| scope.spawn(work(share))).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, Share>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            spawned.into_iter().map(join).collect()
        });
        if cancel() {
            return Err(VaultError::Cancelled);
        }
        for share in shares {
            index.absorb(share);
        }
        Ok(index)
    }

    fn absorb(&mut self, share: Share) {
        let offset = self.words.absorb(share.words);
        for mut indexed in share.files {
            indexed.entry = indexed.entry.map(|entry| entry.offset_by(offset));
            self.insert(indexed);
        }
    }
}

impl Share {
    fn read(
        root: &VaultRoot,
        files: &[((FileId, FileKind), VaultPath)],
        hasher: &hashbrown::DefaultHashBuilder,
        cancel: CancelCheck<'_>,
    ) -> Self {
        let mut share = Self::default();
        let mut folder = LastFolder::new(root);
        for (id, path) in files {
            if cancel() {
                break;
            }
            let source = FileOnDisk::read(folder.open(path), path, hasher);
            share.files.push(source.into_indexed(*id, path, &mut share.words));
        }
        share
    }
}
