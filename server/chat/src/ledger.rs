//! What a conversation trusts: a file beside the state of the program, outside of the vault. It says which calls were
//! recorded, approved, started and finished; `conversation/calls` decides what that means for a call. Its lock keeps a second process from the same note.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use toolwrit_text::hex::Hex;

use crate::format::{BlockId, Payload, canonical};
use crate::tools::Effect;

/// Bytes from which a file is rewritten without the blocks that its note has lost.
const LONG: u64 = 4 << 20;

/// A call as it was recorded before it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) effect: Effect,
    /// Who decided about results: see [`Tools::identity`](crate::tools::Tools::identity).
    pub(crate) identity: String,
    /// The turn, by the id of its first block.
    pub(crate) turn: BlockId,
    /// Whether the user has written the call, in a block of the note.
    #[serde(default)]
    pub(crate) by_user: bool,
}

impl Recorded {
    pub(crate) fn canonical_arguments(&self) -> String {
        canonical(&Value::Object(self.arguments.clone()))
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finished {
    /// The state as the block shows it.
    pub(crate) state: String,
    pub(crate) result: Option<Payload>,
    /// Seconds since 1970.
    pub(crate) at: u64,
}

/// Everything that is known about a block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) call: Option<Recorded>,
    pub(crate) approved: bool,
    pub(crate) started: bool,
    pub(crate) finished: Option<Finished>,
    /// What the provider wants back.
    pub(crate) kept: Option<Value>,
    /// The digest of a text that the user has said through this program.
    pub(crate) said: Option<String>,
    /// The digest of the words of an answer, as they were written.
    pub(crate) answer: Option<String>,
    /// Whether the request for this answer showed the model text or an image of the vault.
    pub(crate) shown: bool,
    /// The position of the record, so that later ones are known to be later.
    pub(crate) position: usize,
}

impl Known {
    /// The entries that say this.
    fn entries(self) -> impl Iterator<Item = Entry> {
        let entries = [
            self.call.map(Entry::Call),
            self.approved.then_some(Entry::Approved),
            self.started.then_some(Entry::Started),
            self.finished.map(Entry::Finished),
            self.kept.map(Entry::Kept),
            self.said.map(Entry::Said),
            self.answer.map(Entry::Answer),
            self.shown.then_some(Entry::Shown),
        ];
        entries.into_iter().flatten()
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    Call(Recorded),
    Approved,
    Started,
    Finished(Finished),
    Kept(Value),
    Said(String),
    Answer(String),
    Shown,
}

#[derive(Serialize, Deserialize)]
struct LedgerLine {
    id: BlockId,
    #[serde(flatten)]
    entry: Entry,
}

/// What a conversation trusts about one note.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    known: HashMap<BlockId, Known>,
    lock: File,
}

/// Why a ledger cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// Another conversation with the same note is going on.
    #[error(
        "another conversation with this note is going on. Wait until it has ended, or cancel it."
    )]
    Busy,
    /// The file cannot be read or written.
    #[error(
        "the state of the conversation in {path} cannot be read or written: {error}. Check the rights of the folder."
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

impl Drop for Ledger {
    /// Ends the lock, also if a process that is being started still has a copy of the file.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

impl Ledger {
    /// Opens the ledger of a note, and keeps every other process from it. `key` identifies the vault and the note.
    ///
    /// # Errors
    /// Fails if another conversation has it open, or if the file cannot be read or written.
    pub fn open(folder: &Path, key: &str) -> Result<Self, LedgerError> {
        let name = digest(key);
        let path = folder.join(format!("{name}.jsonl"));
        let io = |error| LedgerError::Io { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(io)?;
        let lock = open_private(&folder.join(format!("{name}.lock"))).map_err(io)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LedgerError::Busy),
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        let text = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(io(error)),
        };
        let mut file = open_private(&path).map_err(io)?;
        if !text.is_empty() && text.last() != Some(&b'\n') {
            // A process ended while it wrote this line.
            file.write_all(b"\n").map_err(io)?;
        }
        let mut ledger = Self { path, file, known: HashMap::new(), lock };
        for line in text.split(|byte| *byte == b'\n') {
            // A line that cannot be read is one that a process was writing when it ended.
            if let Ok(line) = serde_json::from_slice::<LedgerLine>(line) {
                ledger.learn(line.id, line.entry);
            }
        }
        Ok(ledger)
    }

    pub(crate) fn get(&self, id: BlockId) -> Option<&Known> {
        self.known.get(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (BlockId, &Known)> {
        self.known.iter().map(|(id, known)| (*id, known))
    }

    /// The number of blocks that are known.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether the user has said a text of this digest through this program.
    pub(crate) fn has_said(&self, digest: &str) -> bool {
        self.known.values().any(|known| known.said.as_deref() == Some(digest))
    }

    /// Whether a request has shown a model text or an image of the vault.
    pub(crate) fn has_shown(&self) -> bool {
        self.known.values().any(|known| known.shown)
    }

    /// Where the last call of a turn that changes something is.
    pub(crate) fn last_write(&self, turn: BlockId) -> Option<usize> {
        let writes = self.known.values().filter(|known| {
            known.call.as_ref().is_some_and(|call| call.turn == turn && call.effect != Effect::Read)
        });
        writes.map(|known| known.position).max()
    }

    /// Records entries. They are on disk when this returns, except for the ends of reads, which may run again.
    pub(crate) fn record(&mut self, entries: Vec<(BlockId, Entry)>) -> io::Result<()> {
        self.file.write_all(&write_lines(&entries)?)?;
        let is_read = |id| {
            self.get(id)
                .and_then(|known| known.call.as_ref())
                .is_some_and(|call| call.effect == Effect::Read)
        };
        if !entries.iter().all(|(id, entry)| matches!(entry, Entry::Finished(_)) && is_read(*id)) {
            self.file.sync_data()?;
        }
        for (id, entry) in entries {
            self.learn(id, entry);
        }
        Ok(())
    }

    /// Forgets the blocks that the note has lost, except those of turns that still have a block in the note. Does nothing if
    /// the file is short or more than half of the blocks would stay. The file is replaced as a whole: whenever the process
    /// ends, there is the one before or the one after.
    pub(crate) fn forget(&mut self, in_note: &HashSet<BlockId>) -> io::Result<()> {
        if self.file.metadata()?.len() < LONG {
            return Ok(());
        }
        let turn = |known: &Known| known.call.as_ref().map(|call| call.turn);
        let turns: HashSet<_> =
            in_note.iter().filter_map(|id| self.get(*id).and_then(turn)).collect();
        let mut kept: Vec<(BlockId, &Known)> = self
            .iter()
            .filter(|(id, known)| {
                known.said.is_some()
                    || known.shown
                    || in_note.contains(id)
                    || turn(known).is_some_and(|turn| turns.contains(&turn))
            })
            .collect();
        if kept.len() > self.len() / 2 {
            return Ok(());
        }
        let ids: HashSet<BlockId> = kept.iter().map(|(id, _)| *id).collect();
        let lost = self.iter().filter(|(id, _)| !ids.contains(id));
        // What a model has read stays known, once for each tool: its answers may stay in the note.
        let read: HashMap<&str, (BlockId, Known)> = lost
            .filter_map(|(id, known)| {
                let call = known.call.as_ref()?;
                let finished = known.finished.as_ref().filter(|ended| ended.result.is_some())?;
                let result = Some(Payload::Text(String::new()));
                let finished = Some(Finished { result, ..finished.clone() });
                let call_alone = Recorded { arguments: Map::new(), ..call.clone() };
                let known = Known { call: Some(call_alone), finished, ..Known::default() };
                Some((call.tool.as_str(), (id, known)))
            })
            .collect();
        kept.sort_by_key(|(_, known)| known.position);
        let kept = kept.into_iter().map(|(id, known)| (id, known.clone()));
        let entries = read
            .into_values()
            .chain(kept)
            .flat_map(|(id, known)| known.entries().map(move |entry| (id, entry)))
            .collect();
        self.replace(entries)
    }

    fn replace(&mut self, entries: Vec<(BlockId, Entry)>) -> io::Result<()> {
        let new = self.path.with_extension("jsonl.new");
        let mut file = open_private(&new)?;
        // A process may have ended while it wrote this file.
        file.set_len(0)?;
        file.write_all(&write_lines(&entries)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        self.file = file;
        self.known.clear();
        for (id, entry) in entries {
            self.learn(id, entry);
        }
        sync_folder(&self.path)
    }

    fn learn(&mut self, id: BlockId, entry: Entry) {
        let position = self.known.len();
        let known = self.known.entry(id).or_insert_with(|| Known { position, ..Known::default() });
        match entry {
            Entry::Call(call) => known.call = Some(call),
            Entry::Approved => known.approved = true,
            Entry::Started => known.started = true,
            Entry::Finished(finished) => known.finished = Some(finished),
            Entry::Kept(kept) => known.kept = Some(kept),
            Entry::Said(said) => known.said = Some(said),
            Entry::Answer(answer) => known.answer = Some(answer),
            Entry::Shown => known.shown = true,
        }
    }
}

/// Identifies a text: the beginning of its SHA-256 in hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    Hex(&Sha256::digest(text)[..16]).to_string()
}

fn write_lines(entries: &[(BlockId, Entry)]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for (id, entry) in entries {
        serde_json::to_writer(&mut text, &LedgerLine { id: *id, entry: entry.clone() })?;
        text.push(b'\n');
    }
    Ok(text)
}

/// Brings the name of a file that was replaced to the disk, so that nothing is recorded under one that is lost.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Does nothing: other systems open no folders.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens a file that only the user can read, for appending.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
