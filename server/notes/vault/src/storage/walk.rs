//! Walking the vault's folders.

use std::ffi::OsString;
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType};

use super::root::VaultRoot;
use super::sync::undownloaded_name;
use crate::error::{Result, VaultError};
use crate::path::{Folder, VaultPath, escape};

/// Called between the steps of long work; `true` cancels it.
pub type CancelCheck<'a> = &'a (dyn Fn() -> bool + Sync);

/// A file or folder found on a walk.
pub(crate) struct Visited<'a> {
    /// The folder that contains it.
    pub(crate) dir: &'a Dir,
    pub(crate) path: VaultPath,
    pub(crate) is_folder: bool,
}

/// A visible entry that is not part of the vault: a symbolic link, a special file, or a name that no [`VaultPath`] can
/// spell. A folder that may not be listed is one, too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeftOut {
    /// The folder that contains it, as on disk; empty for the root.
    folder: String,
    name: OsString,
}

impl LeftOut {
    fn new(folder: &Folder, name: impl Into<OsString>) -> Self {
        Self { folder: folder.as_str().to_owned(), name: name.into() }
    }

    /// The entry at a path.
    pub(crate) fn at(path: &VaultPath) -> Self {
        Self::new(&path.folder(), path.name())
    }

    pub(crate) fn is_below(&self, folder: &Folder) -> bool {
        let rest = self.folder.strip_prefix(folder.as_str());
        *folder == Folder::ROOT || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.folder.is_empty() {
            write!(f, "{}/", escape(&self.folder))?;
        }
        f.write_str(&escape(&self.name.to_string_lossy()))
    }
}

/// What a walk does not visit.
#[derive(Debug, Default)]
pub(crate) struct Unvisited {
    pub(crate) left_out: Vec<LeftOut>,
    /// The files that are only in iCloud, unordered.
    pub(crate) undownloaded: Vec<VaultPath>,
}

/// How many levels of folders a walk goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth(NonZeroUsize);

impl Depth {
    /// The direct entries of the folder.
    pub const SHALLOW: Self = Self(NonZeroUsize::MIN);
    /// Everything below a folder.
    pub const DEEP: Self = Self(NonZeroUsize::MAX);

    /// This many levels. The first one is the folder's direct entries.
    pub const fn levels(levels: NonZeroUsize) -> Self {
        Self(levels)
    }

    /// The depth for the folders below; `None` on the last level.
    fn one_level_less(self) -> Option<Self> {
        NonZeroUsize::new(self.0.get() - 1).map(Self)
    }
}

/// Visits files and folders in the order of [`VaultPath`]. Skips hidden names, which are not part
/// of the vault. Returns the other entries that were skipped.
pub(crate) fn walk(
    root: &VaultRoot,
    start: &Folder,
    depth: Depth,
    cancel: CancelCheck<'_>,
    visit: &mut dyn FnMut(Visited<'_>) -> ControlFlow<()>,
) -> Result<Unvisited> {
    let (dir, folder) = root.open_folder(start)?;
    let mut walk = Walk { cancel, visit, unvisited: Unvisited::default() };
    let _ = walk.walk_folder(&dir, &folder, depth)?;
    Ok(walk.unvisited)
}

/// Every file below a folder, in order, and how many entries were skipped.
pub(crate) fn files(
    root: &VaultRoot,
    start: &Folder,
    cancel: CancelCheck<'_>,
) -> Result<(Vec<VaultPath>, usize)> {
    let mut files = Vec::new();
    let unvisited = walk(root, start, Depth::DEEP, cancel, &mut |visited| {
        if !visited.is_folder {
            files.push(visited.path);
        }
        ControlFlow::Continue(())
    })?;
    Ok((files, unvisited.left_out.len()))
}

/// Opens the folders of files. Keeps the last folder open, because successive files mostly share
/// it.
pub(crate) struct LastFolder<'a> {
    root: &'a VaultRoot,
    open: Option<(Folder, Dir)>,
}

impl<'a> LastFolder<'a> {
    pub(crate) fn new(root: &'a VaultRoot) -> Self {
        Self { root, open: None }
    }

    /// The folder of a file, if it can be opened.
    pub(crate) fn open(&mut self, path: &VaultPath) -> Option<&Dir> {
        let folder = path.folder();
        if self.open.as_ref().is_none_or(|(known, _)| *known != folder) {
            self.open = self.root.open_folder(&folder).ok().map(|(dir, _)| (folder, dir));
        }
        self.open.as_ref().map(|(_, dir)| dir)
    }
}

struct Walk<'a> {
    cancel: CancelCheck<'a>,
    visit: &'a mut dyn FnMut(Visited<'_>) -> ControlFlow<()>,
    unvisited: Unvisited,
}

impl Walk<'_> {
    fn walk_folder(&mut self, dir: &Dir, folder: &Folder, depth: Depth) -> Result<ControlFlow<()>> {
        for (name, kind) in self.list_names(dir, folder)? {
            if (self.cancel)() {
                return Err(VaultError::Cancelled);
            }
            let path = match folder.child(&name) {
                Ok(path) if kind.is_dir() || kind.is_file() => path,
                _ => {
                    self.unvisited.left_out.push(LeftOut::new(folder, name));
                    continue;
                }
            };
            let rest = depth.one_level_less().filter(|_| kind.is_dir());
            let below = rest.map(|rest| (Folder::from(path.clone()), rest));
            if (self.visit)(Visited { dir, path, is_folder: kind.is_dir() }).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            // The folder was removed or replaced since it was listed, so there is nothing to visit.
            if let Some((below, rest)) = below
                && let Ok(next) = dir.open_dir_nofollow(&name)
            {
                match self.walk_folder(&next, &below, rest) {
                    Ok(ControlFlow::Continue(())) => {}
                    // A folder that may not be listed must not stop the walk.
                    Err(VaultError::Io { .. }) => {
                        self.unvisited.left_out.push(LeftOut::new(folder, name));
                    }
                    stop => return stop,
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The folder's visible names, sorted.
    fn list_names(&mut self, dir: &Dir, folder: &Folder) -> Result<Vec<(String, FileType)>> {
        let error = |e| VaultError::read_error("list", folder.as_str(), e);
        let mut names = Vec::new();
        for entry in dir.entries().map_err(error)? {
            let entry = entry.map_err(error)?;
            match entry.file_name().into_string() {
                Ok(name) if name.starts_with('.') => {
                    let file = undownloaded_name(&name).and_then(|file| folder.child(file).ok());
                    self.unvisited.undownloaded.extend(file);
                }
                Ok(name) => names.push((name, entry.file_type().map_err(error)?)),
                Err(name) => self.unvisited.left_out.push(LeftOut::new(folder, name)),
            }
        }
        names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(names)
    }
}
