//! Where the record of a change is kept while the change is made: in this user's state folder on
//! this machine. It is never in the vault, whose content is untrusted.
//!
//! A record is sealed with the user's key and names its machine and its vault. Any other record is
//! set aside and reported, and not carried out.

use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt, MetadataExt};
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::record::JournalRecord;
use crate::path::VaultPath;
use crate::storage::atomic::sync_folder;
use crate::storage::own_folder::open_or_create;
use crate::storage::private::PrivateFolder;
use crate::storage::root::VaultRoot;
use toolwrit_text::hex::Hex;

use crate::storage::seal::{Purpose, SEAL, SealKey};
use crate::storage::state_folder::StateFolder;

/// The file name of the current record.
pub(super) const RECORD: &str = "record";
/// The file name of a record that was not carried out.
pub(super) const REFUSED: &str = "refused";
/// The list of files that an interrupted change left unchanged, because other programs had edited
/// them.
pub(super) const BLOCKED: &str = "blocked";
/// A file that is written to check that a record can be.
const CHECK: &str = "check";
/// Largest record in bytes, enough for several 100,000 files.
pub(super) const RECORD_LIMIT: u64 = 1 << 28;
/// Largest file in bytes that is kept for callers.
const KEPT_LIMIT: u64 = 1 << 26;
/// Start of the names of staging folders. Each folder for records has its own, so that nobody
/// removes the staged files of an interrupted change that is recorded elsewhere.
pub(super) const CHANGE: &str = "change-";

/// The folder for the records of a vault.
pub(crate) struct Store {
    state: StateFolder,
    owner: RecordOwner,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RecordOwner {
    /// Empty where machines cannot be identified.
    machine: String,
    /// The path of the vault.
    vault: String,
    /// The inode of the vault's folder.
    inode: u64,
}

/// The content of the file after the seal.
#[derive(Serialize, Deserialize)]
struct SealedRecord<R> {
    owner: RecordOwner,
    record: R,
}

/// The folder for one vault's records, and the user's key.
pub(super) struct OpenStore {
    folder: PrivateFolder,
    key: SealKey,
    /// The name of the staging folder.
    staging: String,
}

/// What is recorded.
pub(super) enum RecordState {
    Nothing,
    Record(OpenStore, JournalRecord),
    /// A record that this engine did not write for this vault on this machine, and why it is
    /// refused.
    Foreign(String),
}

impl Store {
    pub(crate) fn new(root: &VaultRoot, state: StateFolder) -> Self {
        let inode = root.dir.dir_metadata().map_or(0, |folder| folder.ino());
        let vault = root.location.to_string_lossy().into_owned();
        let owner = RecordOwner { machine: machine_id(), vault, inode };
        Self { state, owner }
    }

    /// Opens the folder for recording a change.
    pub(super) fn open(&self) -> io::Result<OpenStore> {
        let (state, key) = (self.state.path()?, self.state.key()?);
        let staging = self.staging_name_with_key(state, &key);
        Ok(OpenStore { folder: PrivateFolder::create(&self.vault_folder(state))?, key, staging })
    }

    /// Checks that a change can be recorded, by writing and removing a file.
    pub(crate) fn check(&self) -> io::Result<()> {
        let OpenStore { folder, .. } = self.open()?;
        folder.write(CHECK, b"")?;
        folder.remove(CHECK)
    }

    /// A folder beside the record, for the engine's own files.
    pub(crate) fn folder(&self, name: &str) -> io::Result<PathBuf> {
        Ok(self.vault_folder(self.state.path()?).join(name))
    }

    /// Whether there is a folder for records.
    pub(crate) fn has_folder(&self) -> bool {
        self.state.path().is_ok()
    }

    /// The user's key.
    pub(crate) fn key(&self) -> io::Result<SealKey> {
        self.state.key()
    }

    /// Names the vault and the machine.
    pub(crate) fn owner_name(&self) -> String {
        let RecordOwner { machine, vault, inode } = &self.owner;
        format!("{machine}\0{inode}\0{vault}")
    }

    /// What was kept under a name.
    pub(crate) fn read_kept(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let name = kept_file_name(name)?;
        let Ok(state) = self.state.path() else { return Ok(None) };
        match PrivateFolder::open(&self.vault_folder(state))? {
            Some(folder) => folder.read(&name, KEPT_LIMIT),
            None => Ok(None),
        }
    }

    /// Keeps something under a name. Returns whether there is a state folder.
    pub(crate) fn write_kept(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        let name = kept_file_name(name)?;
        let Ok(state) = self.state.path() else { return Ok(false) };
        PrivateFolder::create(&self.vault_folder(state))?.write(&name, bytes)?;
        Ok(true)
    }

    /// The current record.
    ///
    /// # Errors
    /// Those of the file system. It is unknown then whether there is a record.
    pub(super) fn load(&self) -> io::Result<RecordState> {
        let Ok(state) = self.state.path() else { return Ok(RecordState::Nothing) };
        let Some(folder) = PrivateFolder::open(&self.vault_folder(state))? else {
            return Ok(RecordState::Nothing);
        };
        let read = match folder.read(RECORD, RECORD_LIMIT) {
            Ok(None) => return Ok(RecordState::Nothing),
            Ok(Some(bytes)) => bytes,
            Err(error) => return foreign_or_error(error),
        };
        let key = match PrivateFolder::open(state)?.map(|folder| SealKey::load(&folder)).transpose()
        {
            Ok(key) => key.flatten(),
            Err(error) => return foreign_or_error(error),
        };
        let Some(key) = key else {
            return Ok(RecordState::Foreign("there is no key to verify it".to_owned()));
        };
        Ok(match self.unseal(&key, &read) {
            Ok(record) => {
                let staging = self.staging_name_with_key(state, &key);
                RecordState::Record(OpenStore { folder, key, staging }, record)
            }
            Err(reason) => RecordState::Foreign(reason),
        })
    }

    fn unseal(&self, key: &SealKey, bytes: &[u8]) -> Result<JournalRecord, String> {
        let sealed = bytes.split_at_checked(SEAL);
        let (seal, text) = sealed.ok_or("it is too short")?;
        if !key.verify(Purpose::Record, &[text], seal) {
            return Err("its seal is not valid for this user on this machine".to_owned());
        }
        let bound: SealedRecord<JournalRecord> =
            serde_json::from_slice(text).map_err(|error| format!("it cannot be read: {error}"))?;
        if bound.owner.machine != self.owner.machine {
            return Err("it belongs to another machine".to_owned());
        }
        if bound.owner != self.owner {
            return Err("it belongs to another vault".to_owned());
        }
        Ok(bound.record)
    }

    /// Sets a foreign record aside, and returns its new path.
    pub(super) fn set_aside(&self) -> io::Result<PathBuf> {
        let path = self.vault_folder(self.state.path()?);
        if let Some(folder) = PrivateFolder::open(&path)? {
            folder.rename(RECORD, REFUSED)?;
        }
        Ok(path.join(REFUSED))
    }

    /// The folder for this vault's records, if there is a state folder.
    pub(super) fn records_folder(&self) -> Option<PathBuf> {
        self.state.path().ok().map(|state| self.vault_folder(state))
    }

    fn vault_folder(&self, state: &Path) -> PathBuf {
        let RecordOwner { vault, inode, .. } = &self.owner;
        let digest = Sha256::digest(format!("{inode}\0{vault}"));
        state.join(Hex(&digest[..8]).to_string())
    }

    /// The staging folder of this user's changes, if there is one. `engine_folder` is the engine's folder
    /// in the vault.
    pub(super) fn staging(&self, engine_folder: &Dir) -> Option<Dir> {
        engine_folder.open_dir_nofollow(self.staging_name()?).ok()
    }

    /// The name of that folder, if there is a key.
    pub(crate) fn staging_name(&self) -> Option<String> {
        let state = self.state.path().ok()?;
        let key = SealKey::load(&PrivateFolder::open(state).ok()??).ok()??;
        Some(self.staging_name_with_key(state, &key))
    }

    fn staging_name_with_key(&self, state: &Path, key: &SealKey) -> String {
        let RecordOwner { machine, vault, inode } = &self.owner;
        let whose = format!("{machine}\0{vault}\0{inode}\0{}", state.display());
        format!("{CHANGE}{}", Hex(&key.seal(Purpose::Staging, &[whose.as_bytes()])[..8]))
    }
}

impl OpenStore {
    /// The staging folder, created if needed. `engine_folder` is the engine's folder in the vault.
    pub(super) fn staging(&self, engine_folder: &Dir) -> io::Result<Dir> {
        if let Ok(staging) = engine_folder.open_dir_nofollow(&self.staging) {
            return Ok(staging);
        }
        let staging = open_or_create(engine_folder, &self.staging)?;
        sync_folder(engine_folder)?;
        Ok(staging)
    }

    /// Writes the record. From then on the change counts as made.
    pub(super) fn put(&self, store: &Store, record: &JournalRecord) -> io::Result<()> {
        let bound = SealedRecord { owner: store.owner.clone(), record };
        let text = serde_json::to_vec(&bound)?;
        let bytes = [&self.key.seal(Purpose::Record, &[&text]), text.as_slice()].concat();
        if bytes.len() as u64 > RECORD_LIMIT {
            return Err(io::Error::other("the change has too many files"));
        }
        self.folder.write(RECORD, &bytes)
    }

    /// Removes the record, because all its steps are done.
    pub(super) fn forget(&self) -> io::Result<()> {
        self.folder.remove(RECORD)
    }

    /// Saves the list of files that a change left unchanged.
    pub(super) fn keep_blocked(&self, files: &[VaultPath]) -> io::Result<()> {
        let lines: Vec<&str> = files.iter().map(VaultPath::as_str).collect();
        self.folder.write(BLOCKED, lines.join("\n").as_bytes())
    }
}

/// The name of a file that is kept for callers. It differs from the names of the engine's own files.
fn kept_file_name(name: &str) -> io::Result<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || name.len() > 100 || !name.chars().all(plain) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a plain name"));
    }
    Ok(format!("kept-{name}"))
}

/// Distinguishes a foreign record from one that cannot be read now.
fn foreign_or_error(error: io::Error) -> io::Result<RecordState> {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::PermissionDenied => {
            Ok(RecordState::Foreign(error.to_string()))
        }
        _ => Err(error),
    }
}

/// Identifies this machine among others that may share the state folder; empty if that is
/// impossible.
fn machine_id() -> String {
    let id = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    id.trim().to_owned()
}
