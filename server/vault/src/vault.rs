//! The vault: opening it, and what its operations share.

mod read;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLockReadGuard};

use crate::error::{Result, VaultError};
use crate::file_system::FileSystem;
use crate::index::{Cache, Index, Live};
use crate::journal::Store;
use crate::lock::{STATE, WriteLock, Writer};
use crate::note::Decoded;
use crate::parsed::Readings;
use crate::path::VaultPath;
use crate::root::{Place, Root};
use crate::walk::CancelCheck;

pub(crate) use read::modified;
pub(crate) use write::check_current;
pub use write::{IfMissing, WriteMode, Written};

/// An open vault. Clones share one handle.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    root: Arc<Root>,
    access: Access,
    store: Arc<Store>,
    lock: WriteLock,
    live: Live,
    readings: Readings,
}

/// How a vault is opened, and which of the user's own folders it may use. Missing folders are
/// created. They must not lie in the vault, because its content is untrusted.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// What the vault may be used for.
    pub access: Access,
    /// The folder for the records of unfinished changes and for the user's key, which proves that
    /// the engine wrote them. Without it, changes of several files are refused. All programs that
    /// change the vault for this user should use the same folder.
    pub state: Option<PathBuf>,
    /// The folder for the saved index, which saves reading all notes at the next start. It is used
    /// only together with `state`. It may be deleted at any time.
    pub cache: Option<PathBuf>,
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
        let OpenOptions { access, state, cache, file_system } = options;
        let root = Arc::new(Root::open(dir.as_ref(), file_system)?);
        let store = Arc::new(Store::new(&root, state.as_deref()));
        match access {
            Access::ReadWrite => WriteLock::sweep(&root, &store),
            Access::ReadOnly => {}
        }
        let cache = cache.map(|folder| Cache { folder, store: Arc::clone(&store) });
        let live = Live::new(Arc::clone(&root), cache);
        let vault = Self(Arc::new(Inner {
            root,
            access,
            store,
            lock: WriteLock::default(),
            live,
            readings: Readings::default(),
        }));
        vault.warn_of_interruptions();
        Ok(vault)
    }

    /// The name of the vault, which is the name of its folder.
    pub fn name(&self) -> String {
        let name = self.0.root.location.file_name();
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Finds a readable file of any kind and returns its own name.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Io`.
    pub fn locate(&self, path: &VaultPath) -> Result<VaultPath> {
        let place = self.root().existing(path)?;
        place.open()?;
        Ok(place.path)
    }

    /// Starts to build the index on separate threads, and to follow the changes of other programs.
    /// Operations that need the index start it too, and wait for it.
    pub fn start_index(&self) {
        self.0.live.start();
    }

    /// Waits until the index is built and includes everything that was done in the vault before
    /// this call. Otherwise changes of other programs may take up to 200 milliseconds to appear.
    ///
    /// # Errors
    /// `Unopenable` if the vault cannot be read, `Cancelled`, `Busy`, `Io`.
    pub fn wait_for_index(&self, cancel: CancelCheck<'_>) -> Result<()> {
        drop(self.index(cancel)?);
        match self.writer() {
            Ok(writer) => self.catch_up(&writer),
            Err(VaultError::ReadOnly { .. }) => self.0.live.rescan_all(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Waits until the index includes what other programs did before this call.
    pub(crate) fn catch_up(&self, writer: &Writer<'_>) {
        self.0.live.catch_up(&writer.state);
    }

    /// Waits until the index is built, and returns it.
    pub(crate) fn index(&self, cancel: CancelCheck<'_>) -> Result<RwLockReadGuard<'_, Index>> {
        self.0.live.read(cancel)
    }

    /// The index, if it is built and is notified of every change.
    pub(crate) fn watched_index(&self) -> Option<RwLockReadGuard<'_, Index>> {
        self.0.live.read_watched()
    }

    pub(crate) fn root(&self) -> &Root {
        &self.0.root
    }

    pub(crate) fn access(&self) -> Access {
        self.0.access
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// Checks that notes can be changed now, by taking and releasing the right to write.
    ///
    /// # Errors
    /// `ReadOnly`, `Busy` while another process writes, `Io`.
    pub fn check_writable(&self) -> Result<()> {
        self.writer().map(drop)
    }

    /// Waits for the right to change files.
    pub(crate) fn writer(&self) -> Result<Writer<'_>> {
        if self.0.access == Access::ReadOnly {
            let reason = "the vault was opened for reading only";
            return Err(VaultError::ReadOnly { path: STATE.to_owned(), reason });
        }
        self.0.lock.acquire(&self.0.root, &self.0.store, &self.0.live)
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Vault").field(&self.name()).finish()
    }
}

fn decode(place: &Place, bytes: Vec<u8>) -> Result<Decoded> {
    Decoded::from_bytes(bytes)
        .map_err(|reason| VaultError::NotText { path: place.path.clone(), reason })
}
