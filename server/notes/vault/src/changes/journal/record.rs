//! The record of a change, and its steps.
//!
//! Applying a step twice, or undoing it twice, has no further effect. A step contains only types
//! that callers' paths must pass too, and changes a file only if it is the recorded version.

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use crate::changes::trash::LOCAL_TRASH;
use crate::path::{Folder, VaultPath};
use crate::storage::atomic::{FileVersion, rename_no_replace, replace_version, sync_folder};
use crate::storage::root::VaultRoot;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct JournalRecord {
    pub(super) direction: Direction,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Direction {
    Forward,
    Back,
}

/// `new` and `old` are files in the staging folder of the change.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    Replace {
        path: VaultPath,
        old_version: FileVersion,
        new: Staged,
        old: Staged,
    },
    Create {
        path: VaultPath,
        new: Staged,
    },
    Rename {
        from: VaultPath,
        to: Destination,
        version: FileVersion,
    },
    /// Moves a file to the system's trash. It cannot be undone.
    Dispose {
        path: VaultPath,
        version: FileVersion,
    },
}

/// A staged file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Staged {
    pub(super) name: StagedName,
    pub(super) version: FileVersion,
}

impl Staged {
    /// The file with this name in the staging folder.
    pub(super) fn read(staging: &Dir, name: String) -> io::Result<Self> {
        let version = FileVersion::read(staging, &name)?;
        Ok(Self { name: name.try_into().map_err(io::Error::other)?, version })
    }

    /// Its folder and name.
    fn entry(&self, scene: Scene<'_>) -> io::Result<(Option<Dir>, &str)> {
        Ok((Some(scene.staging.try_clone()?), self.name.as_str()))
    }
}

/// The destination of a rename.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Destination {
    Vault(VaultPath),
    /// The same path below the vault's own trash.
    Trash(VaultPath),
    /// A file in the staging folder, which is emptied afterwards.
    Staging(StagedName),
}

/// The name of a file in a staging folder. Only the engine creates such names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct StagedName(String);

impl StagedName {
    /// The name for one of the files that a change deletes permanently.
    pub(crate) fn for_deletion(number: usize) -> Self {
        Self(format!(".toolwrit-deleted-{}-{number}", std::process::id()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for StagedName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        let is_ours = name.strip_prefix(".toolwrit-").is_some_and(|rest| rest.chars().all(plain));
        if is_ours && name.len() < 100 {
            Ok(Self(name))
        } else {
            Err("not the name of a staged file")
        }
    }
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepOutcome {
    Applied,
    /// It was applied before.
    AlreadyApplied,
    /// Another program has changed the file.
    Blocked,
}

/// The folders in which steps are applied.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub(super) root: &'a VaultRoot,
    /// The staging folder of the change.
    pub(super) staging: &'a Dir,
}

impl JournalRecord {
    /// Applies every step that is not applied yet, or undoes all, and syncs the folders. Returns
    /// the files whose steps other programs have blocked.
    pub(super) fn finish(&self, scene: Scene<'_>) -> io::Result<Vec<VaultPath>> {
        let mut blocked = Vec::new();
        let mut note = |step: &Step, done| {
            if done == StepOutcome::Blocked {
                blocked.push(step.path().clone());
            }
        };
        match self.direction {
            Direction::Forward => {
                for (at, step) in self.steps.iter().enumerate() {
                    let mut done = step.apply(scene)?;
                    if done == StepOutcome::Blocked && self.has_moved(at, scene)? {
                        done = StepOutcome::AlreadyApplied;
                    }
                    note(step, done);
                }
            }
            Direction::Back => {
                for step in self.steps.iter().rev() {
                    note(step, step.undo(scene)?);
                }
            }
        }
        self.sync(scene)?;
        Ok(blocked)
    }

    /// Whether a later step of the record has already moved the file that a step replaces. The
    /// replacement was applied before then.
    fn has_moved(&self, at: usize, scene: Scene<'_>) -> io::Result<bool> {
        let Step::Replace { path, .. } = &self.steps[at] else { return Ok(false) };
        for step in &self.steps[at + 1..] {
            if let Step::Rename { from, .. } = step
                && from == path
            {
                return Ok(step.apply(scene)? == StepOutcome::AlreadyApplied);
            }
        }
        Ok(false)
    }

    /// Syncs the folders of all its files.
    pub(super) fn sync(&self, scene: Scene<'_>) -> io::Result<()> {
        let mut folders = BTreeSet::new();
        for step in &self.steps {
            folders.insert((false, step.path().folder().to_string()));
            match step {
                Step::Rename { to: Destination::Vault(to), .. } => {
                    folders.insert((false, to.folder().to_string()));
                }
                Step::Rename { to: Destination::Trash(to), .. } => {
                    folders.insert((true, to.folder().to_string()));
                }
                _ => {}
            }
        }
        for (in_trash, folder) in folders {
            let folder = Folder::parse(&folder).map_err(io::Error::other)?;
            if let Some(folder) = open_folder(scene.root, in_trash.then_some(LOCAL_TRASH), &folder)?
            {
                sync_folder(&folder)?;
            }
        }
        Ok(())
    }

    /// Removes the staged files. The next start removes what stays.
    pub(super) fn sweep(&self, staging: &Dir) {
        for step in &self.steps {
            match step {
                Step::Replace { new, old, .. } => {
                    let _ = staging.remove_file(new.name.as_str());
                    let _ = staging.remove_file(old.name.as_str());
                }
                Step::Create { new, .. } => {
                    let _ = staging.remove_file(new.name.as_str());
                }
                Step::Rename { to: Destination::Staging(name), .. }
                    if self.direction == Direction::Forward =>
                {
                    let _ = staging.remove_file(name.as_str());
                }
                Step::Rename { .. } | Step::Dispose { .. } => {}
            }
        }
    }
}

impl Step {
    /// The file that the step changes.
    pub(super) fn path(&self) -> &VaultPath {
        match self {
            Self::Replace { path, .. } | Self::Create { path, .. } | Self::Dispose { path, .. } => {
                path
            }
            Self::Rename { from, .. } => from,
        }
    }

    pub(super) fn apply(&self, scene: Scene<'_>) -> io::Result<StepOutcome> {
        match self {
            Self::Replace { path, old_version, new, .. } => {
                let Some(folder) = open_folder_of(scene.root, path)? else {
                    return Ok(StepOutcome::Blocked);
                };
                match read_version(&folder, path.name())? {
                    Some(now) if now == new.version => Ok(StepOutcome::AlreadyApplied),
                    Some(now) if now == *old_version => {
                        let is_as_staged = |staged| staged == new.version;
                        install_staged(scene, (new, is_as_staged), (&folder, path.name()), now)
                    }
                    _ => Ok(StepOutcome::Blocked),
                }
            }
            Self::Create { path, new } => {
                let to = (open_folder_of(scene.root, path)?, path.name());
                rename(new.entry(scene)?, to, new.version)
            }
            Self::Rename { from, to, version } => {
                let to = to.entry(scene)?;
                rename((open_folder_of(scene.root, from)?, from.name()), to, *version)
            }
            Self::Dispose { path, version: recorded } => {
                let entry = match scene.root.find_exact(path) {
                    Ok(Some(entry)) => entry,
                    Ok(None) => return Ok(StepOutcome::AlreadyApplied),
                    // The path now has another kind of file.
                    Err(_) => return Ok(StepOutcome::Blocked),
                };
                if read_version(&entry.folder, entry.path.name())? != Some(*recorded) {
                    return Ok(StepOutcome::Blocked);
                }
                scene.root.to_any_trash(&entry).map(|()| StepOutcome::Applied)
            }
        }
    }

    fn undo(&self, scene: Scene<'_>) -> io::Result<StepOutcome> {
        match self {
            Self::Replace { path, old_version, new, old } => {
                let Some(folder) = open_folder_of(scene.root, path)? else {
                    return Ok(StepOutcome::Blocked);
                };
                match read_version(&folder, path.name())? {
                    Some(now) if now == new.version => {
                        // A program that still had the old file open may have written to it.
                        // Restore what it wrote.
                        let is_same = |staged: FileVersion| staged.is_same_file(&old.version);
                        install_staged(scene, (old, is_same), (&folder, path.name()), now)
                    }
                    Some(now) if now == *old_version || now == old.version => {
                        Ok(StepOutcome::AlreadyApplied)
                    }
                    _ => Ok(StepOutcome::Blocked),
                }
            }
            // A new file that another program has changed since stays.
            Self::Create { path, new } => {
                let from = (open_folder_of(scene.root, path)?, path.name());
                rename(from, new.entry(scene)?, new.version)
            }
            Self::Rename { from, to, version } => {
                let to = to.entry(scene)?;
                rename(to, (open_folder_of(scene.root, from)?, from.name()), *version)
            }
            Self::Dispose { .. } => Ok(StepOutcome::AlreadyApplied),
        }
    }
}

impl Destination {
    /// The version of the file there.
    ///
    /// # Errors
    /// `NotFound`.
    pub(super) fn version(&self, scene: Scene<'_>) -> io::Result<FileVersion> {
        let (folder, name) = self.entry(scene)?;
        FileVersion::read(&folder.ok_or(io::ErrorKind::NotFound)?, name)
    }

    /// Its folder and name; `None` if the folder no longer exists.
    fn entry(&self, scene: Scene<'_>) -> io::Result<(Option<Dir>, &str)> {
        Ok(match self {
            Self::Vault(path) => (open_folder_of(scene.root, path)?, path.name()),
            Self::Trash(path) => {
                (open_folder(scene.root, Some(LOCAL_TRASH), &path.folder())?, path.name())
            }
            Self::Staging(name) => (Some(scene.staging.try_clone()?), name.as_str()),
        })
    }
}

/// Puts a staged file in the place of one whose version is `now`, if `is_fit` accepts the staged
/// one.
fn install_staged(
    scene: Scene<'_>,
    (staged, is_fit): (&Staged, impl Fn(FileVersion) -> bool),
    (folder, name): (&Dir, &str),
    now: FileVersion,
) -> io::Result<StepOutcome> {
    let staged = staged.name.as_str();
    if !read_version(scene.staging, staged)?.is_some_and(is_fit) {
        return Ok(StepOutcome::Blocked);
    }
    let made = replace_version(scene.staging, staged, folder, name, now)?;
    Ok(if made { StepOutcome::Applied } else { StepOutcome::Blocked })
}

/// Renames without overwriting, so a new file at either path is safe.
fn rename(
    (from_folder, from): (Option<Dir>, &str),
    (to_folder, to): (Option<Dir>, &str),
    recorded: FileVersion,
) -> io::Result<StepOutcome> {
    // Another program has removed the folder, and the file with it.
    let (Some(from_folder), Some(to_folder)) = (from_folder, to_folder) else {
        return Ok(StepOutcome::Blocked);
    };
    match read_version(&from_folder, from)? {
        Some(now) if now == recorded => {}
        Some(_) => return Ok(StepOutcome::Blocked),
        None => {
            let there = read_version(&to_folder, to)?.is_some();
            return Ok(if there { StepOutcome::AlreadyApplied } else { StepOutcome::Blocked });
        }
    }
    match rename_no_replace(&from_folder, from, &to_folder, to) {
        Ok(()) => Ok(StepOutcome::Applied),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(StepOutcome::Blocked),
        // It was removed after the check.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(StepOutcome::Blocked),
        Err(error) => Err(error),
    }
}

fn read_version(folder: &Dir, name: &str) -> io::Result<Option<FileVersion>> {
    match FileVersion::read(folder, name) {
        Ok(version) => Ok(Some(version)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The folder of a file in the vault; `None` if it no longer exists.
fn open_folder_of(root: &VaultRoot, path: &VaultPath) -> io::Result<Option<Dir>> {
    open_folder(root, None, &path.folder())
}

/// Opens a folder below the root or below a hidden folder there, without following links; `None` if
/// it no longer exists.
fn open_folder(root: &VaultRoot, hidden: Option<&str>, folder: &Folder) -> io::Result<Option<Dir>> {
    let mut dir = root.dir.try_clone()?;
    for name in hidden.into_iter().chain(folder.segments()) {
        dir = match cap_fs_ext::DirExt::open_dir_nofollow(&dir, name) {
            Ok(inner) => inner,
            Err(_) if !dir.symlink_metadata(name).is_ok_and(|found| found.is_dir()) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
    }
    Ok(Some(dir))
}
