//! Deleting a file as the vault's settings say. `bulk` follows the same settings for many files, and `undo` for files that a
//! change had created.

use jiff::Timestamp;

use super::Vault;
use super::write::check_current;
use crate::changes::collected::{self, KEPT_DELETED};
use crate::changes::lock::Writer;
use crate::changes::trash::{TrashPlace, path_in_trash};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::large::{self, Awaited};
use crate::obsidian::settings::TrashOption;
use crate::path::{VaultPath, escape};
use crate::storage::atomic::FileVersion;
use crate::storage::root::{FileEntry, StoredFile, modified_time};

const NO_SYSTEM_TRASH: &str =
    "the system trash is not available; the file was moved to the vault's .trash folder";

/// A deleted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deleted {
    /// Its path before, under its own name.
    pub path: VaultPath,
    /// Where it went.
    pub disposal: Disposal,
    /// Warnings about settings that could not be followed.
    pub warning: Option<String>,
}

/// A file that would be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletable {
    /// Its path, under its own name.
    pub path: VaultPath,
    /// Identifies its content now.
    pub state: FileState,
    /// Whether it would be deleted permanently, and not moved to a trash.
    pub is_permanent: bool,
}

/// Identifies the content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// The etag of its bytes.
    Read(Etag),
    /// The file exceeds [`NOTE_LIMIT`](crate::note::NOTE_LIMIT), so it was not read.
    Unread {
        /// Size in bytes.
        size: u64,
        /// When it last changed, if the file system knows.
        modified: Option<Timestamp>,
    },
}

/// Where a deleted file went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disposal {
    /// Into the system's trash.
    SystemTrash,
    /// Into the vault's `.trash`, at this vault-relative path.
    VaultTrash(String),
    /// It was deleted permanently.
    Permanent,
}

impl Vault {
    /// Deletes a file into the trash that the vault's settings name.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath` (folders included), `Conflict` if `if_match` is stale, `ReadOnly`,
    /// `Busy`, `Io`.
    pub fn delete(&self, path: &VaultPath, if_match: Option<&Etag>) -> Result<Deleted> {
        let (_awaited, writer) = self.lock_writer_for(path)?;
        let entry = check_current(self.root().find_existing(path)?, if_match)?;
        self.dispose(&writer, entry)
    }

    /// Deletes a file as [`delete`](Self::delete) does, if `agrees` accepts what
    /// [`deletable`](Self::deletable) would report. No other caller changes the vault through the
    /// engine in between.
    ///
    /// # Errors
    /// As [`delete`](Self::delete); `NotAgreed`, `Crowded`.
    pub fn delete_if(
        &self,
        path: &VaultPath,
        if_match: Option<&Etag>,
        agrees: &dyn Fn(&Deletable) -> bool,
    ) -> Result<Deleted> {
        let (_awaited, writer) = self.lock_writer_for(path)?;
        let entry = check_current(self.root().find_existing(path)?, if_match)?;
        let (entry, version, state) = identify(entry)?;
        if !agrees(&self.describe_deletion(&entry, state)) {
            return Err(VaultError::NotAgreed);
        }
        if entry.version()? != Some(version) {
            return Err(self.root().conflict_error(&entry));
        }
        self.dispose(&writer, entry)
    }

    /// What [`delete`](Self::delete) would delete. Changes nothing.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Conflict`, `Crowded`, `Io`.
    pub fn deletable(&self, path: &VaultPath, if_match: Option<&Etag>) -> Result<Deletable> {
        let entry = self.root().find_existing(path)?;
        let _awaited = Awaited::begin(entry.size())?;
        let (entry, _, state) = identify(check_current(entry, if_match)?)?;
        Ok(self.describe_deletion(&entry, state))
    }

    fn describe_deletion(&self, entry: &FileEntry, state: FileState) -> Deletable {
        let is_permanent = self.obsidian().trash == TrashOption::None;
        Deletable { path: entry.path.clone(), state, is_permanent }
    }

    /// Moves a file where the settings say, or to the next best place.
    pub(crate) fn dispose(&self, writer: &Writer<'_>, entry: FileEntry) -> Result<Deleted> {
        writer.report_change(&entry.path)?;
        let settings = self.obsidian();
        let mut warning = settings.warning;
        let (kept, version) = if collected::is_collecting() {
            (entry.read_small(KEPT_DELETED), entry.version()?)
        } else {
            (None, None)
        };
        let (disposal, place) = self.put_away(&entry, settings.trash, &mut warning)?;
        match place {
            Some(place) => collected::note_trashed(&entry.path, place, version),
            None => collected::note_gone(&entry.path, kept.map(Into::into)),
        }
        Ok(Deleted { path: entry.path, disposal, warning })
    }

    /// Moves a file to a trash, or removes it. Returns its place if it can be moved back.
    fn put_away(
        &self,
        entry: &FileEntry,
        option: TrashOption,
        warning: &mut Option<String>,
    ) -> Result<(Disposal, Option<TrashPlace>)> {
        let failed = |error| VaultError::change_error("delete", entry.path.as_str(), error);
        if option == TrashOption::None {
            entry.folder.remove_file(entry.path.name()).map_err(failed)?;
            return Ok((Disposal::Permanent, None));
        }
        if option == TrashOption::System {
            if let Ok(place) = self.root().to_system_trash(entry) {
                return Ok((Disposal::SystemTrash, place));
            }
            warning.get_or_insert_with(|| NO_SYSTEM_TRASH.to_owned());
        }
        let trashed = self.root().to_local_trash(entry).map_err(failed)?;
        let place = path_in_trash(&trashed).ok().map(TrashPlace::Vault);
        Ok((Disposal::VaultTrash(escape(&trashed).into_owned()), place))
    }
}

/// Identifies the content of a file. A large file is read on the thread for large texts.
pub(crate) fn identify(entry: FileEntry) -> Result<(FileEntry, FileVersion, FileState)> {
    large::offload(entry.size(), move || match entry.read() {
        Ok(StoredFile { bytes, metadata }) => Ok((
            entry,
            FileVersion::from_metadata(&metadata),
            FileState::Read(Etag::from_bytes(&bytes)),
        )),
        Err(VaultError::TooLarge { .. }) => {
            let (_, metadata) = entry.open()?;
            let state =
                FileState::Unread { size: metadata.len(), modified: modified_time(&metadata) };
            Ok((entry, FileVersion::from_metadata(&metadata), state))
        }
        Err(error) => Err(error),
    })
}
