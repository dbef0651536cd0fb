//! Changes of several notes as one.

use super::{Vault, decode};
use crate::changes::journal::{Change, Creation, Replacement};
use crate::changes::lock::Writer;
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::patch::{self, Patch};
use crate::path::VaultPath;
use crate::storage::root::StoredFile;
use crate::storage::walk::CancelCheck;
use crate::vault::write::{Written, check_content, check_version, to_written};

/// A change of one note in a transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum NoteChange {
    /// Creates a note, as [`WriteMode::CreateOnly`](crate::WriteMode::CreateOnly) does.
    Create {
        /// Its path; a name without an extension gets `.md`.
        path: VaultPath,
        content: String,
    },
    /// Replaces the content of an existing note, which keeps its format.
    Replace {
        path: VaultPath,
        /// Its new content.
        content: String,
        /// The version that the change is based on.
        if_match: Option<Etag>,
    },
    /// Replaces the text of an existing note, which keeps its encoding and mark. The line endings are those of the text.
    Rewrite {
        path: VaultPath,
        text: String,
        /// The version that the change is based on.
        if_match: Option<Etag>,
    },
    /// Changes places in an existing note, one after another.
    Patch {
        path: VaultPath,
        /// The changes.
        patches: Vec<Patch>,
        /// The version that the change is based on.
        if_match: Option<Etag>,
    },
}

impl NoteChange {
    /// The note that it changes.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Create { path, .. }
            | Self::Replace { path, .. }
            | Self::Rewrite { path, .. }
            | Self::Patch { path, .. } => path,
        }
    }
}

impl Vault {
    /// Makes all changes that `plan` returns, or none of them, even if the process dies meanwhile.
    /// A note may be changed only once.
    ///
    /// While `plan` runs and until its changes are made, no other caller changes the vault through
    /// the engine, and the index includes everything that was done before. `plan` may read the
    /// vault, and must not change it.
    ///
    /// Returns what was written, in the order of the changes, and what else `plan` returned.
    ///
    /// # Errors
    /// The error of `plan`. `AlreadyExists` if a note to be created exists, `Conflict` if an
    /// `if_match` is stale or another program changes a note meanwhile, `NotPatched`, `NotText`,
    /// `TooLarge`, `NotFound`, `InvalidPath`, `NoJournal` if there are several changes and they
    /// cannot be recorded, `ReadOnly`, `Busy`, `Cancelled` before anything is changed, `Io`.
    pub fn transaction<T, E: From<VaultError>>(
        &self,
        plan: impl FnOnce() -> Result<(Vec<NoteChange>, T), E>,
        cancel: CancelCheck<'_>,
    ) -> Result<(Vec<Written>, T), E> {
        drop(self.index(cancel)?);
        let writer = self.lock_writer()?;
        self.catch_up(&writer);
        let (changes, planned) = plan()?;
        if cancel() {
            return Err(VaultError::Cancelled.into());
        }
        Ok((self.make_changes(&writer, changes)?, planned))
    }

    fn make_changes(&self, writer: &Writer<'_>, changes: Vec<NoteChange>) -> Result<Vec<Written>> {
        let mut all_written = Vec::with_capacity(changes.len());
        let mut steps = Vec::with_capacity(changes.len());
        for change in changes {
            let (step, written) = self.plan_step(change)?;
            steps.extend(step);
            all_written.push(written);
        }
        match steps.as_slice() {
            [] => {}
            [Change::Create(Creation { path, bytes })] => {
                writer.create(&self.root().entry_for_new(path)?, bytes)?;
            }
            [Change::Replace(replacement)] => {
                let Replacement { path, old, bytes } = &**replacement;
                writer.replace(&self.root().find_existing(path)?, bytes, &old.metadata)?;
            }
            steps => writer.commit(self.root(), self.store(), steps)?,
        }
        Ok(all_written)
    }

    /// The step for a change, and what is written then. There is no step if nothing changes.
    fn plan_step(&self, change: NoteChange) -> Result<(Option<Change>, Written)> {
        if let NoteChange::Create { path, content } = change {
            check_content(&path, &content)?;
            if let Some(taken) = self.root().find(&path)? {
                return Err(VaultError::AlreadyExists { path: taken.path });
            }
            self.root().check_new_names(&path, false)?;
            let path = self.root().entry_for_new(&path.or_note()?)?.path;
            let bytes = content.into_bytes();
            let written = to_written(path.clone(), &bytes, true);
            return Ok((Some(Change::Create(Creation { path, bytes })), written));
        }
        let entry = self.root().find_existing(change.path())?;
        let old = entry.read()?;
        let if_match = match &change {
            NoteChange::Replace { if_match, .. }
            | NoteChange::Rewrite { if_match, .. }
            | NoteChange::Patch { if_match, .. } => if_match.as_ref(),
            NoteChange::Create { .. } => None,
        };
        check_version(&entry, &old.bytes, if_match)?;
        let StoredFile { bytes, .. } = &old;
        let decoded = decode(&entry, bytes.clone())?;
        let new = match change {
            NoteChange::Replace { content, .. } | NoteChange::Create { content, .. } => {
                check_content(&entry.path, &content)?;
                decoded.format.encode(&content)
            }
            NoteChange::Rewrite { text, .. } => {
                check_content(&entry.path, &text)?;
                decoded.format.encoding.encode(&text)
            }
            NoteChange::Patch { patches, .. } => {
                let mut text = decoded.text;
                for change in &patches {
                    text =
                        patch::apply(&text, decoded.format.newline, change).map_err(|reason| {
                            VaultError::NotPatched { path: entry.path.clone(), reason }
                        })?;
                }
                check_content(&entry.path, &text)?;
                decoded.format.encoding.encode(&text)
            }
        };
        let written = to_written(entry.path.clone(), &new, false);
        let step = (new != old.bytes)
            .then(|| Change::Replace(Box::new(Replacement { path: entry.path, old, bytes: new })));
        Ok((step, written))
    }
}
