//! The record of a change, and its steps.
//!
//! Each step can be made again after it was made, and taken back after it was taken back.

use std::collections::BTreeSet;

use cap_fs_ext::DirExt;
use serde::{Deserialize, Serialize};

use crate::atomic::{Version, rename_no_replace, replace_version, sync_folder};
use crate::path::VaultPath;

use super::{Dir, Root, io};

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) direction: Direction,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Direction {
    Forward,
    Back,
}

/// Paths are from the vault's root; `new` and `old` are names of staged files.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    Replace {
        path: String,
        new: String,
        new_version: Version,
        old: String,
        old_version: Version,
    },
    Rename {
        from: String,
        to: String,
    },
    /// Into the system's trash, from which nothing comes back.
    Dispose {
        path: String,
        version: Version,
    },
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    Made,
    /// It had been made before.
    Stands,
    /// Another program has changed what it would change.
    Prevented,
}

impl Record {
    /// Refuses a record that names places which no change of ours names.
    pub(super) fn check(&self) -> io::Result<()> {
        let plain = |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['/', '\\']);
        let inside = |path: &str| path.split('/').all(plain);
        let sound = self.steps.iter().all(|step| match step {
            Step::Replace { path, new, old, .. } => inside(path) && plain(new) && plain(old),
            Step::Rename { from, to } => inside(from) && inside(to),
            Step::Dispose { path, .. } => VaultPath::parse(path).is_ok(),
        });
        if sound { Ok(()) } else { Err(io::Error::other("it leads out of the vault")) }
    }

    /// Makes every step that is not made yet, or takes every one back, and syncs the folders.
    pub(super) fn finish(&self, root: &Root, staging: &Dir) -> io::Result<()> {
        match self.direction {
            Direction::Forward => {
                for step in &self.steps {
                    step.redo(root, staging)?;
                }
            }
            Direction::Back => {
                for step in self.steps.iter().rev() {
                    step.undo(root, staging)?;
                }
            }
        }
        self.sync(root)
    }

    /// Syncs the folders of all files in it.
    pub(super) fn sync(&self, root: &Root) -> io::Result<()> {
        let paths = self.steps.iter().flat_map(|step| match step {
            Step::Replace { path, .. } | Step::Dispose { path, .. } => vec![path],
            Step::Rename { from, to } => vec![from, to],
        });
        let folders: BTreeSet<&str> = paths.map(|path| split(path).0).collect();
        folders.into_iter().try_for_each(|folder| match open(root, folder)? {
            Some(folder) => sync_folder(&folder),
            None => Ok(()),
        })
    }

    /// Removes what is staged. What stays is swept at the next start.
    pub(super) fn sweep(&self, staging: &Dir) {
        for step in &self.steps {
            if let Step::Replace { new, old, .. } = step {
                let _ = staging.remove_file(new);
                let _ = staging.remove_file(old);
            }
        }
    }
}

impl Step {
    pub(super) fn redo(&self, root: &Root, staging: &Dir) -> io::Result<Done> {
        match self {
            Self::Replace { path, new, new_version, old_version, .. } => {
                let (folder, name) = split(path);
                let Some(folder) = open(root, folder)? else { return Ok(Done::Prevented) };
                match version(&folder, name)? {
                    Some(now) if now == *new_version => Ok(Done::Stands),
                    Some(now) if now == *old_version && version(staging, new)?.is_some() => {
                        let made = replace_version(staging, new, &folder, name, now)?;
                        Ok(if made { Done::Made } else { Done::Prevented })
                    }
                    _ => Ok(Done::Prevented),
                }
            }
            Self::Rename { from, to } => rename(root, from, to),
            Self::Dispose { path, version: recorded } => {
                let path = VaultPath::parse(path).map_err(io::Error::other)?;
                let place = root.find_exact(&path).map_err(io::Error::other)?;
                let Some(place) = place else { return Ok(Done::Stands) };
                if version(&place.folder, place.path.name())? != Some(*recorded) {
                    return Ok(Done::Prevented);
                }
                root.to_any_trash(&place).map(|()| Done::Made)
            }
        }
    }

    fn undo(&self, root: &Root, staging: &Dir) -> io::Result<Done> {
        match self {
            Self::Replace { path, new_version, old, .. } => {
                let (folder, name) = split(path);
                let Some(folder) = open(root, folder)? else { return Ok(Done::Stands) };
                match version(&folder, name)? {
                    Some(now) if now == *new_version && version(staging, old)?.is_some() => {
                        let made = replace_version(staging, old, &folder, name, now)?;
                        Ok(if made { Done::Made } else { Done::Stands })
                    }
                    _ => Ok(Done::Stands),
                }
            }
            Self::Rename { from, to } => rename(root, to, from),
            Self::Dispose { .. } => Ok(Done::Stands),
        }
    }
}

/// A rename never overwrites, so what is at either place since is safe.
fn rename(root: &Root, from: &str, to: &str) -> io::Result<Done> {
    let ((from_folder, from), (to_folder, to)) = (split(from), split(to));
    let (from_folder, to_folder) = (open(root, from_folder)?, open(root, to_folder)?);
    // A folder that another program has removed since took with it what was there.
    let (Some(from_folder), Some(to_folder)) = (from_folder, to_folder) else {
        return Ok(Done::Prevented);
    };
    match rename_no_replace(&from_folder, from, &to_folder, to) {
        Ok(()) => Ok(Done::Made),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Done::Prevented),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let there = version(&to_folder, to)?.is_some();
            Ok(if there { Done::Stands } else { Done::Prevented })
        }
        Err(error) => Err(error),
    }
}

fn version(folder: &Dir, name: &str) -> io::Result<Option<Version>> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => Ok(Some(Version::of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A path's folder and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Opens a folder from the root, following no link; none if it is gone.
fn open(root: &Root, folder: &str) -> io::Result<Option<Dir>> {
    let mut dir = root.dir.try_clone()?;
    for name in folder.split('/').filter(|name| !name.is_empty()) {
        dir = match dir.open_dir_nofollow(name) {
            Ok(inner) => inner,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
    }
    Ok(Some(dir))
}
