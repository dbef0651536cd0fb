//! The vault, above everything else: opening it, and what its operations share. A file per group of
//! operations composes the modules below.

mod attachments;
mod backlinks;
mod bulk;
mod delete;
mod kinds;
mod lease;
mod link_graph;
mod list;
mod many;
mod moves;
mod plugin_files;
mod plugin_settings;
mod private_files;
mod properties;
mod read;
mod search;
mod snapshot;
mod surroundings;
mod syntax;
mod tagging;
mod tags;
mod task_search;
mod tasks;
mod transaction;
mod undo;
mod write;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLockReadGuard};

use crate::changes::history::HistoryLimits;
use crate::changes::journal::{Interruptions, Store, clean_up};
use crate::changes::lock::{ChangedFiles, WriteLock, Writer};
use crate::error::{Result, VaultError};
use crate::index::{CacheFolder, Index, IndexStatus, LiveIndex};
use crate::large::Awaited;
use crate::note::Decoded;
use crate::obsidian::layout;
use crate::obsidian::settings::ObsidianSettings;
use crate::parsed::ParseCache;
use crate::path::{Folder, VaultPath};
use crate::storage::file_system::FileSystem;
use crate::storage::own_folder::OWN_FOLDER;
use crate::storage::root::{FileEntry, VaultRoot};
use crate::storage::state_folder::StateFolder;
use crate::storage::walk::CancelCheck;

pub use attachments::Attachment;
pub use backlinks::Backlinks;
pub use bulk::{BulkDeletion, BulkMode, BulkOutcome};
pub use delete::{Deletable, Deleted, Disposal, FileState};
pub use kinds::Only;
pub use lease::Lease;
pub use link_graph::{FoundLink, FoundLinks, LinkDirection};
pub use list::{EntryKind, FileStat, FolderEntry, FolderListing, ListOrder};
pub use many::{ChangedNote, ManyChanged, NoteChoice, SkippedNote};
pub use moves::Moved;
pub use plugin_files::FileStamp;
pub use snapshot::{NoteSource, Snapshot};
pub use surroundings::Surroundings;
pub use tags::TagCount;
pub use task_search::SearchedTask;
pub use tasks::{AddedPlace, AddedTask, ChangedTask, TaskChange, TaskEdit, TaskLine};
pub use transaction::NoteChange;
pub use undo::{Authors, HistoryEntry, UndoMode, Undone};
pub use write::{IfMissing, WriteMode, Written};

/// An open vault. Clones share one handle.
#[derive(Clone)]
pub struct Vault(Arc<OpenVault>);

struct OpenVault {
    name: Option<String>,
    root: Arc<VaultRoot>,
    access: Access,
    history: HistoryLimits,
    store: Store,
    lock: WriteLock,
    live: LiveIndex,
    parses: ParseCache,
}

/// How a vault is opened, and which of the user's own folders it may use. Missing folders are
/// created. They must not lie in the vault, because its content is untrusted.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Its name; `None` for that of its folder.
    pub name: Option<String>,
    /// What the vault may be used for.
    pub access: Access,
    /// The folder for the records of unfinished changes and for the user's key, which proves that
    /// the engine wrote them. Without it, changes of several files are refused. All programs that
    /// change the vault for this user should use the same folder.
    pub state: Option<PathBuf>,
    /// The folder for the saved index, which saves reading all notes at the next start. It is used
    /// only together with `state`. It may be deleted at any time.
    pub cache: Option<PathBuf>,
    /// How much of what is changed can be undone. It is used only together with `state`.
    pub history: HistoryLimits,
    /// The properties of the file system; `None` to detect them.
    pub file_system: Option<FileSystem>,
}

/// What may be done with a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Everything.
    #[default]
    ReadWrite,
    /// Nothing that changes a file of the vault. An interrupted change stays unfinished, too.
    ReadOnly,
}

/// Whether a change is made or only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeMode {
    Change,
    /// Return what would change, and write nothing.
    Preview,
}

impl Vault {
    /// Opens the folder `dir` as a vault without folders of the user's own. Changes of several
    /// files are refused, and the index is not saved.
    ///
    /// # Errors
    /// [`VaultError::Unopenable`] if there is no such folder or it cannot be entered.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(dir, OpenOptions::default())
    }

    /// Opens the folder `dir` as a vault. Scans nothing. Finishes a change that a killed process
    /// left unfinished.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(dir: impl AsRef<Path>, options: OpenOptions) -> Result<Self> {
        let OpenOptions { name, access, state, cache, history, file_system } = options;
        let root = Arc::new(VaultRoot::open(dir.as_ref(), file_system)?);
        let state = StateFolder::new(&root, state.as_deref());
        let store = Store::new(&root, state.clone());
        match access {
            Access::ReadWrite => clean_up(&root, &store),
            Access::ReadOnly => {}
        }
        let cache = cache.map(|folder| CacheFolder { folder, state });
        let live = LiveIndex::new(Arc::clone(&root), cache);
        let vault = Self(Arc::new(OpenVault {
            name,
            root,
            access,
            history,
            store,
            lock: WriteLock::default(),
            live,
            parses: ParseCache::default(),
        }));
        vault.warn_of_interruptions();
        Ok(vault)
    }

    /// The name of the vault: that of its folder, unless it was opened with another one.
    pub fn name(&self) -> String {
        if let Some(name) = &self.0.name {
            return name.clone();
        }
        let name = self.0.root.location.file_name();
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Finds a readable file of any kind and returns its own name.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Io`.
    pub fn locate(&self, path: &VaultPath) -> Result<VaultPath> {
        let entry = self.root().find_existing(path)?;
        entry.open()?;
        Ok(entry.path)
    }

    /// Starts to build the index on separate threads, and to follow the changes of other programs.
    /// Operations that need the index start it too, and wait for it.
    pub fn start_index(&self) {
        self.0.live.start();
    }

    /// How far the index is. Waits for nothing, and starts nothing.
    pub fn index_status(&self) -> IndexStatus {
        self.0.live.status()
    }

    /// Waits until the index is built and includes everything that was done in the vault before
    /// this call. Otherwise changes of other programs may take up to 200 milliseconds to appear.
    ///
    /// # Errors
    /// `Unopenable` if the vault cannot be read, `Cancelled`, `Busy`, `Io`.
    pub fn wait_for_index(&self, cancel: CancelCheck<'_>) -> Result<()> {
        drop(self.index(cancel)?);
        match self.lock_writer() {
            Ok(writer) => self.catch_up(&writer),
            Err(VaultError::ReadOnly { .. }) => self.0.live.rescan_all(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Looks at a folder again, so that the index includes what was done there before this call. Unlike
    /// [`wait_for_index`](Self::wait_for_index) it writes nothing.
    ///
    /// # Errors
    /// `Unopenable` if the vault cannot be read, `Cancelled`, `Io`.
    pub fn rescan(&self, folder: &Folder, cancel: CancelCheck<'_>) -> Result<()> {
        drop(self.index(cancel)?);
        self.0.live.rescan_folder(folder);
        Ok(())
    }

    /// Waits until the index includes what other programs did before this call.
    fn catch_up(&self, writer: &Writer<'_>) {
        self.0.live.catch_up(&writer.state);
    }

    /// Waits until the index is built, and returns it.
    fn index(&self, cancel: CancelCheck<'_>) -> Result<RwLockReadGuard<'_, Index>> {
        self.0.live.read(cancel)
    }

    /// The index, if it is built and is notified of every change.
    fn watched_index(&self) -> Option<RwLockReadGuard<'_, Index>> {
        self.0.live.read_watched()
    }

    /// The vault's current settings in Obsidian. Invalid settings become defaults and a warning.
    pub fn obsidian(&self) -> ObsidianSettings {
        ObsidianSettings::read(&self.root().dir)
    }

    /// The file that is active in Obsidian, under its own name, as Obsidian last saved it.
    ///
    /// # Errors
    /// `NoActiveFile` if it cannot be determined, `NotFound` if the file no longer exists;
    /// otherwise as [`locate`](Self::locate).
    pub fn active_file(&self) -> Result<VaultPath> {
        self.locate(&layout::read_active_path(&self.root().dir)?)
    }

    /// Looks for interrupted changes. Changes nothing.
    pub fn interruptions(&self) -> Interruptions {
        self.store().interruptions(self.root())
    }

    /// Logs what is found when the vault is opened.
    fn warn_of_interruptions(&self) {
        let Interruptions { is_pending, foreign, .. } = self.interruptions();
        if !foreign.is_empty() {
            tracing::warn!(
                ?foreign,
                "the vault contains files that look like interrupted changes of other users; they are not carried out"
            );
        }
        // A writer has finished the change already, unless another program is working on it.
        if self.0.access == Access::ReadOnly && is_pending {
            tracing::warn!(
                "a change of several files is incomplete: another program is making it, or it was \
                 interrupted and the next server with write access will finish it"
            );
        }
    }

    /// Checks that changes of several files can be recorded, by writing an empty record.
    ///
    /// # Errors
    /// `NoJournal`.
    pub fn check_journal(&self) -> Result<()> {
        let checked = self.store().check();
        checked.map_err(|error| VaultError::NoJournal { reason: error.to_string() })
    }

    fn root(&self) -> &VaultRoot {
        &self.0.root
    }

    fn store(&self) -> &Store {
        &self.0.store
    }

    /// Checks that notes can be changed now, by taking and releasing the right to write.
    ///
    /// # Errors
    /// `ReadOnly`, `Busy` while another process writes, `Io`.
    pub fn check_writable(&self) -> Result<()> {
        self.lock_writer().map(drop)
    }

    /// Waits for the right to change files.
    fn lock_writer(&self) -> Result<IndexedWriter<'_>> {
        if self.0.access == Access::ReadOnly {
            let reason = "the vault was opened for reading only";
            return Err(VaultError::ReadOnly { path: OWN_FOLDER.to_owned(), reason });
        }
        let writer = self.0.lock.acquire(self.root())?;
        writer.recover(self.root(), self.store())?;
        Ok(IndexedWriter { writer, live: &self.0.live })
    }

    /// Waits for the right to change a note. A large note counts as waited for, until the first of
    /// the two is dropped.
    ///
    /// # Errors
    /// `Crowded` if callers already wait for too many large notes; otherwise as
    /// [`write`](Self::write).
    fn lock_writer_for(&self, path: &VaultPath) -> Result<(Awaited, IndexedWriter<'_>)> {
        let size = self.root().find(path)?.map_or(0, |entry| entry.size());
        let awaited = Awaited::begin(size)?;
        Ok((awaited, self.lock_writer()?))
    }
}

/// A writer. When dropped, it reports its changes to the index before it releases the lock.
struct IndexedWriter<'a> {
    writer: Writer<'a>,
    live: &'a LiveIndex,
}

impl<'a> Deref for IndexedWriter<'a> {
    type Target = Writer<'a>;

    fn deref(&self) -> &Writer<'a> {
        &self.writer
    }
}

impl Drop for IndexedWriter<'_> {
    fn drop(&mut self) {
        let ChangedFiles { paths, moves } = self.writer.take_changes();
        self.live.refresh(paths, &moves);
    }
}

impl IndexedWriter<'_> {
    /// Lets this writer change a file that is leased.
    fn with_lease_of(mut self, path: &VaultPath) -> Self {
        self.writer.allow_leased(path);
        self
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Vault").field(&self.name()).finish()
    }
}

fn decode(entry: &FileEntry, bytes: Vec<u8>) -> Result<Decoded> {
    Decoded::from_bytes(bytes)
        .map_err(|reason| VaultError::NotText { path: entry.path.clone(), reason })
}
