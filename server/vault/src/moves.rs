//! Moving and renaming files. Links that point at a moved note are not rewritten here.

use crate::atomic::{rename_no_replace, sync_folder};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::path::{PathError, PathFault, VaultPath};
use crate::vault::{Vault, check_version};

/// A file after a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// Where it was.
    pub from: VaultPath,
    /// Where it is.
    pub to: VaultPath,
}

impl Vault {
    /// Moves a file, creating the folders on the way. Nothing is ever overwritten. A destination
    /// without an extension takes the file's own.
    ///
    /// # Errors
    /// `NotFound`, `AlreadyExists` if the destination is taken, `Conflict` if `if_match` is stale,
    /// `InvalidPath` (also when the destination is a folder), `ReadOnly`, `Busy`, `Io`.
    pub fn move_note(
        &self,
        from: &VaultPath,
        to: &VaultPath,
        if_match: Option<&Etag>,
    ) -> Result<Moved> {
        let writer = self.writer()?;
        let source = self.root().existing(from)?;
        if if_match.is_some() {
            check_version(&source, &source.read()?.bytes, if_match)?;
        }
        let to = match (to.extension(), source.path.extension()) {
            (None, Some(extension)) => {
                // Whoever names a folder probably wants the file inside it, and must say so.
                self.root().find_exact(to)?;
                to.with_extension(extension)?
            }
            _ => to.clone(),
        };
        if let Some(taken) = self.root().find_exact(&to)? {
            if taken.path != source.path {
                return Err(VaultError::AlreadyExists { path: taken.path });
            }
            return Ok(Moved { from: source.path, to: taken.path });
        }
        let target = self.root().place_for_new(&to)?;
        writer.changes(&source.path);
        writer.changes(&target.path);
        rename_no_replace(&source.folder, source.path.name(), &target.folder, target.path.name())
            .and_then(|()| sync_folder(&target.folder))
            .and_then(|()| sync_folder(&source.folder))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    VaultError::AlreadyExists { path: target.path.clone() }
                }
                _ => VaultError::change("move to", target.path.as_str(), error),
            })?;
        drop(writer);
        Ok(Moved { from: source.path, to: target.path })
    }

    /// Gives a file another name in the same folder, as [`move_note`](Self::move_note) does.
    ///
    /// # Errors
    /// As [`move_note`](Self::move_note); `InvalidPath` if `new_name` is more than a name.
    pub fn rename(
        &self,
        path: &VaultPath,
        new_name: &str,
        if_match: Option<&Etag>,
    ) -> Result<Moved> {
        let name = VaultPath::parse(new_name)?;
        if name.segments().count() > 1 {
            return Err(PathError::new(new_name, PathFault::NotAName).into());
        }
        self.move_note(path, &path.folder().child(new_name)?, if_match)
    }
}
