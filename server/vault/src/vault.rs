//! The vault: opening it, reading and writing notes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLockReadGuard};

use cap_std::fs::Metadata;
use jiff::Timestamp;

use crate::document::{Excess, TEXT_LIMIT};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::file_system::FileSystem;
use crate::index::{Cache, Index, Live};
use crate::journal::Store;
use crate::large::{self, LARGE};
use crate::lock::{STATE, WriteLock, Writer};
use crate::note::{Decoded, NOTE_LIMIT, NotText, Note};
use crate::parsed::{Parsed, Readings};
use crate::part::{Part, lines};
use crate::patch::{self, Patch};
use crate::path::VaultPath;
use crate::root::{Place, Root, Stored};
use crate::target::TargetError;
use crate::walk::CancelCheck;

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

/// How a vault is opened, and which folders of the user's own it may use. They are made when they are
/// missing, and must not lie in the vault, whose content nobody vouches for.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// What may be done.
    pub access: Access,
    /// Where changes of several files are put on record while they are made, and where the key is by which
    /// the engine knows what it wrote itself. Without it such changes are refused. Every program that
    /// changes the vault for this user should name the same folder.
    pub state: Option<PathBuf>,
    /// Where the index is kept for the next time, when it need not be made from all notes; only together
    /// with `state`. It may be deleted at any time.
    pub cache: Option<PathBuf>,
    /// What is taken for granted of the file system; none, and it is looked at.
    pub file_system: Option<FileSystem>,
}

/// What may be done with a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Everything.
    #[default]
    ReadWrite,
    /// Nothing that changes a file of the vault: what was interrupted stays as it is, too.
    ReadOnly,
}

/// What a write does when the note exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Replace its content.
    Overwrite,
    /// Refuse with [`VaultError::AlreadyExists`].
    CreateOnly,
}

/// What an append does when the note does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfMissing {
    /// Create it.
    Create,
    /// Refuse with [`VaultError::NotFound`].
    Fail,
}

/// A note after a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Where it is, under its own name.
    pub path: VaultPath,
    /// Its version now.
    pub etag: Etag,
    /// Its size in bytes now.
    pub size: u64,
    /// Whether it did not exist before.
    pub created: bool,
}

impl Vault {
    /// Opens the folder `dir` as a vault, without folders of the user's own: changes of several files are
    /// refused, and no index is kept.
    ///
    /// # Errors
    /// [`VaultError::Unopenable`] if there is no such folder or it cannot be entered.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(dir, OpenOptions::default())
    }

    /// Opens the folder `dir` as a vault. Nothing is scanned; a change that a killed process left
    /// unfinished is finished.
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

    /// The name of the vault: of its folder.
    pub fn name(&self) -> String {
        let name = self.0.root.location.file_name();
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Finds a file that can be read, of any kind, and returns its own name.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Io`.
    pub fn locate(&self, path: &VaultPath) -> Result<VaultPath> {
        let place = self.root().existing(path)?;
        place.open()?;
        Ok(place.path)
    }

    /// Reads a note. With `max_bytes`, at most so many bytes of its content, cut at a character.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `NotText`, `TooLarge` beyond [`NOTE_LIMIT`], `Crowded`.
    pub fn read(&self, path: &VaultPath, max_bytes: Option<usize>) -> Result<Note> {
        let place = self.root().existing(path)?;
        large::load(place.size(), move || {
            let mut note = load(place)?;
            note.cut(max_bytes);
            Ok(note)
        })
    }

    /// Reads a part of a note, as [`read`](Self::read) does the whole: the etag and the size are
    /// those of the whole file.
    ///
    /// # Errors
    /// `NoSuchPart` if the part is not there or is there twice; `TooComplex` if it is no lines and the
    /// note has too much structure; as [`read`](Self::read) otherwise.
    pub fn read_part(
        &self,
        path: &VaultPath,
        part: &Part,
        max_bytes: Option<usize>,
    ) -> Result<Note> {
        let place = self.root().existing(path)?;
        if let Part::Lines { first, last } = *part {
            return large::load(place.size(), move || {
                let mut note = load(place)?;
                let span = lines(&note.content, first, last);
                note.keep(span.map_err(|reason| no_such_part(&note, reason))?);
                note.cut(max_bytes);
                Ok(note)
            });
        }
        check_length(&place)?;
        let mut note = large::load(place.size(), move || load(place))?;
        let parsed = self.parse(&note.path, std::mem::take(&mut note.content))?;
        let span = part.find(parsed.document());
        let span = span.map_err(|reason| no_such_part(&note, reason))?;
        span.of(parsed.text()).clone_into(&mut note.content);
        note.cut(max_bytes);
        Ok(note)
    }

    /// Reads a note that is to be taken apart: at most so many bytes of its content, else all of it.
    ///
    /// # Errors
    /// `TooComplex` if it is too long for that; as [`read`](Self::read) otherwise.
    pub fn read_structured(&self, path: &VaultPath, max_bytes: Option<usize>) -> Result<Note> {
        if max_bytes.is_none() {
            check_length(&self.root().existing(path)?)?;
        }
        // A byte more than is taken apart shows that there is more.
        let enough = TEXT_LIMIT + 1;
        self.read(path, Some(max_bytes.map_or(enough, |asked| asked.min(enough))))
    }

    /// Takes the text of a note apart. Those who ask for the same text at the same time share one parse.
    ///
    /// # Errors
    /// `TooComplex`, if there is too much in it.
    pub fn parse(&self, path: &VaultPath, text: String) -> Result<Parsed> {
        let parsed = self.0.readings.parse(text);
        parsed.map_err(|reason| VaultError::TooComplex { path: path.clone(), reason })
    }

    /// Whether a note is so large that to read it is no matter of a moment.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Io`.
    pub fn is_large(&self, path: &VaultPath) -> Result<bool> {
        Ok(self.root().existing(path)?.size() > LARGE)
    }

    /// Writes a whole note, creating it and its folders if need be. An existing note keeps its
    /// encoding, byte order mark, line endings and permissions; see [`note`](crate::note).
    ///
    /// # Errors
    /// `AlreadyExists` in [`WriteMode::CreateOnly`], `Conflict` if `if_match` is stale, `NotFound`
    /// if it is given and there is no note, `NotText` if the old file or the new content is not
    /// text, `TooLarge`, `InvalidPath`, `ReadOnly`, `Busy`, `Io`.
    pub fn write(
        &self,
        path: &VaultPath,
        content: &str,
        mode: WriteMode,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        check_content(path, content)?;
        let writer = self.writer()?;
        let Some(place) = self.root().find(path)? else {
            return self.create(&writer, path, content, if_match);
        };
        if mode == WriteMode::CreateOnly {
            return Err(VaultError::AlreadyExists { path: place.path });
        }
        let Stored { bytes, metadata } = place.read()?;
        let etag = check_version(&place, &bytes, if_match)?;
        let size = bytes.len() as u64;
        let unchanged = Written { path: place.path.clone(), etag, size, created: false };
        let new = decode(&place, bytes.clone())?.format.encode(content);
        if new == bytes {
            return Ok(unchanged);
        }
        replace(&writer, place, &new, &metadata)
    }

    /// Adds `content` at the end of a note, on a line of its own, in the note's encoding and with
    /// its line endings. Existing bytes are not touched.
    ///
    /// # Errors
    /// As [`write`](Self::write); `NotFound` with [`IfMissing::Fail`].
    pub fn append(
        &self,
        path: &VaultPath,
        content: &str,
        if_missing: IfMissing,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        check_content(path, content)?;
        let writer = self.writer()?;
        let place = match (self.root().find(path)?, if_missing) {
            (Some(place), _) => place,
            (None, IfMissing::Create) => return self.create(&writer, path, content, if_match),
            (None, IfMissing::Fail) => return Err(self.root().not_found(path)),
        };
        let Stored { bytes, metadata } = place.read()?;
        let etag = check_version(&place, &bytes, if_match)?;
        if content.is_empty() {
            let size = bytes.len() as u64;
            return Ok(Written { path: place.path, etag, size, created: false });
        }
        let old = decode(&place, bytes.clone())?;
        let mut new = bytes;
        new.extend(old.format.encode_appended(content, old.text.is_empty()));
        check_size(&place.path, new.len())?;
        replace(&writer, place, &new, &metadata)
    }

    /// Changes one place in a note: a section, a block, a property. All else stays as it is, byte
    /// by byte; see [`patch`](crate::patch).
    ///
    /// # Errors
    /// `NotPatched` if the place is not there, is there twice, or the change does not fit it; as
    /// [`write`](Self::write) otherwise. A missing note is never created.
    pub fn patch(
        &self,
        path: &VaultPath,
        change: &Patch,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        let writer = self.writer()?;
        let place = self.root().existing(path)?;
        let Stored { bytes, metadata } = place.read()?;
        let etag = check_version(&place, &bytes, if_match)?;
        let size = bytes.len() as u64;
        let old = decode(&place, bytes)?;
        let new = patch::apply(&old.text, old.format.newline, change)
            .map_err(|reason| VaultError::NotPatched { path: place.path.clone(), reason })?;
        if new == old.text {
            return Ok(Written { path: place.path, etag, size, created: false });
        }
        check_content(&place.path, &new)?;
        replace(&writer, place, &old.format.encoding.encode(&new), &metadata)
    }

    /// Creates a file; a name without an extension gets `.md`.
    fn create(
        &self,
        writer: &Writer<'_>,
        path: &VaultPath,
        content: &str,
        if_match: Option<&Etag>,
    ) -> Result<Written> {
        if if_match.is_some() {
            return Err(self.root().not_found(path));
        }
        let place = self.root().place_for_new(&path.or_note()?)?;
        writer.create(&place, content.as_bytes())?;
        Ok(written(place, content.as_bytes(), true))
    }

    /// Starts to build the index, on threads of its own, and to follow the changes that other
    /// programs make. What needs the index starts it too, and waits for it.
    pub fn start_index(&self) {
        self.0.live.start();
    }

    /// Waits until the index is built and knows all that was done in the vault before this call.
    /// Without it, changes of other programs may take up to 200 milliseconds to be seen.
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

    /// Waits until the index knows what other programs did before this call.
    pub(crate) fn catch_up(&self, writer: &Writer<'_>) {
        self.0.live.catch_up(&writer.state);
    }

    /// The index, once it is built.
    pub(crate) fn index(&self, cancel: CancelCheck<'_>) -> Result<RwLockReadGuard<'_, Index>> {
        self.0.live.read(cancel)
    }

    /// The index, if it is built and has news of every change.
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

    /// Whether notes can be changed now: takes the right to write, and gives it back.
    ///
    /// # Errors
    /// `ReadOnly`, `Busy` while another process writes, `Io`.
    pub fn check_writable(&self) -> Result<()> {
        self.writer().map(drop)
    }

    /// Waits for the turn to change files.
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

fn replace(writer: &Writer<'_>, place: Place, bytes: &[u8], old: &Metadata) -> Result<Written> {
    writer.replace(&place, bytes, old)?;
    Ok(written(place, bytes, false))
}

fn written(place: Place, bytes: &[u8], created: bool) -> Written {
    Written { path: place.path, etag: Etag::of(bytes), size: bytes.len() as u64, created }
}

fn no_such_part(note: &Note, reason: TargetError) -> VaultError {
    VaultError::NoSuchPart { path: note.path.clone(), reason }
}

/// Refuses a file whose text is too long to be taken apart, before it is read. No encoding takes more than
/// two bytes for one of the text.
fn check_length(place: &Place) -> Result<()> {
    if place.size() > 2 * (TEXT_LIMIT as u64 + 1) {
        return Err(VaultError::TooComplex { path: place.path.clone(), reason: Excess::Length });
    }
    Ok(())
}

/// A whole note.
fn load(place: Place) -> Result<Note> {
    let Stored { bytes, metadata } = place.read()?;
    let etag = Etag::of(&bytes);
    let size = bytes.len() as u64;
    let decoded = decode(&place, bytes)?;
    let format = decoded.format;
    let content = decoded.into_content();
    let modified = modified(&metadata);
    Ok(Note { path: place.path, content, truncated: false, etag, size, modified, format })
}

fn decode(place: &Place, bytes: Vec<u8>) -> Result<Decoded> {
    Decoded::from_bytes(bytes)
        .map_err(|reason| VaultError::NotText { path: place.path.clone(), reason })
}

/// The etag of the bytes on disk, provided it is the one the caller expects.
pub(crate) fn check_version(place: &Place, bytes: &[u8], if_match: Option<&Etag>) -> Result<Etag> {
    let current = Etag::of(bytes);
    match if_match {
        Some(expected) if *expected != current => {
            Err(VaultError::Conflict { path: place.path.clone(), current })
        }
        _ => Ok(current),
    }
}

/// What is written must be readable again.
fn check_content(path: &VaultPath, content: &str) -> Result<()> {
    if content.contains('\0') {
        return Err(VaultError::NotText { path: path.clone(), reason: NotText::Nul });
    }
    check_size(path, content.len())
}

fn check_size(path: &VaultPath, size: usize) -> Result<()> {
    let size = size as u64;
    if size > NOTE_LIMIT {
        return Err(VaultError::TooLarge { path: path.clone(), size, limit: NOTE_LIMIT });
    }
    Ok(())
}

/// When a file last changed, if the file system knows.
pub(crate) fn modified(metadata: &Metadata) -> Option<Timestamp> {
    Timestamp::try_from(metadata.modified().ok()?.into_std()).ok()
}
