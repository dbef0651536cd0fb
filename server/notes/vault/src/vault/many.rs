//! Changing many notes as one.

use std::collections::BTreeSet;

use super::syntax::check_markdown;
use super::{ChangeMode, NoteChange, Vault};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::index::Facts;
use crate::many::{Edited, SkipReason};
use crate::note::Decoded;
use crate::path::{Folder, VaultPath};
use crate::search::SearchPattern;
use crate::storage::walk::CancelCheck;

/// Most notes that one change may have.
const NOTES: usize = 5000;
/// Most bytes of their texts, which are in memory together.
const MEBIBYTES: usize = 128;

/// Which notes a change concerns.
#[derive(Debug, Clone)]
pub enum NoteChoice {
    /// These notes. Each must exist.
    Named(Vec<VaultPath>),
    /// The notes in and below a folder.
    Below(Folder),
    /// The notes in which a pattern is found.
    Matching(SearchPattern),
}

/// What became of many notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ManyChanged {
    /// The notes that changed, or would change, in the order of their paths.
    pub notes: Vec<ChangedNote>,
    /// The notes that were left alone, for a reason.
    pub skipped: Vec<SkippedNote>,
}

/// One of many changed notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedNote {
    pub path: VaultPath,
    /// How many places of it changed.
    pub changes: usize,
    /// Its new version; in a preview, that of the unchanged note.
    pub etag: Etag,
}

/// A note that a change did not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedNote {
    pub path: VaultPath,
    pub reason: SkipReason,
}

/// An edit of many notes.
pub(super) struct ManyEdit<'a> {
    /// Whether it may concern a note that nobody named.
    pub(super) may_concern: &'a dyn Fn(&Facts) -> bool,
    /// The edit of a text; `None` if it leaves the text as it is.
    pub(super) edit: &'a dyn Fn(&str) -> Result<Option<Edited>, SkipReason>,
}

/// What an edit makes of a version of a note.
type Outcome = Result<Option<(Edited, Etag)>, SkipReason>;

impl Vault {
    /// Makes an edit in all chosen notes as one change. Notes that it does not fit are skipped.
    ///
    /// # Errors
    /// `NotFound` and `NotMarkdown` for a note that is named, `TooMany`; otherwise as [`transaction`](Self::transaction).
    pub(super) fn change_many(
        &self,
        choice: &NoteChoice,
        edit: &ManyEdit<'_>,
        mode: ChangeMode,
        cancel: CancelCheck<'_>,
    ) -> Result<ManyChanged> {
        if mode == ChangeMode::Preview {
            return Ok(self.plan_many(choice, edit, cancel)?.1);
        }
        let plan = || self.plan_many(choice, edit, cancel);
        let (written, mut changed) = self.transaction(plan, cancel)?;
        for (note, written) in changed.notes.iter_mut().zip(written) {
            note.etag = written.etag;
        }
        Ok(changed)
    }

    /// The chosen notes, in the order of their paths.
    fn choose(&self, choice: &NoteChoice, cancel: CancelCheck<'_>) -> Result<Vec<VaultPath>> {
        let chosen: BTreeSet<VaultPath> = match choice {
            NoteChoice::Named(paths) => {
                let find = |path| {
                    let path = self.root().find_existing(path)?.path;
                    check_markdown(&path).map(|()| path)
                };
                paths.iter().map(find).collect::<Result<_>>()?
            }
            NoteChoice::Below(folder) => {
                let (_, folder) = self.root().open_folder(folder)?;
                let index = self.index(cancel)?;
                let paths = index.names.iter().map(|(_, path)| path);
                paths.filter(|path| path.is_note() && path.is_below(&folder)).cloned().collect()
            }
            NoteChoice::Matching(pattern) => {
                let found = self.find_matching(pattern, cancel)?;
                found.into_iter().filter(VaultPath::is_note).collect()
            }
        };
        Ok(chosen.into_iter().collect())
    }

    /// The changes of the chosen notes, and what they are.
    fn plan_many(
        &self,
        choice: &NoteChoice,
        edit: &ManyEdit<'_>,
        cancel: CancelCheck<'_>,
    ) -> Result<(Vec<NoteChange>, ManyChanged)> {
        let is_named = matches!(choice, NoteChoice::Named(_));
        let mut notes = self.choose(choice, cancel)?;
        if !is_named {
            let index = self.index(cancel)?;
            let facts = |path: &VaultPath| index.names.id(path).and_then(|id| index.facts(id));
            notes.retain(|path| facts(path).is_none_or(edit.may_concern));
        }
        let (mut planned, mut changed, mut bytes) = (Vec::new(), ManyChanged::default(), 0);
        for path in notes {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            let Some(outcome) = self.try_edit(&path, edit)? else { continue };
            let reason = match outcome {
                Ok(Some((Edited { text, changes: count }, etag))) => {
                    bytes += text.len();
                    if planned.len() == NOTES || bytes > MEBIBYTES << 20 {
                        return Err(VaultError::TooMany { notes: NOTES, mebibytes: MEBIBYTES });
                    }
                    let if_match = Some(etag.clone());
                    planned.push(NoteChange::Rewrite { path: path.clone(), text, if_match });
                    changed.notes.push(ChangedNote { path, changes: count, etag });
                    continue;
                }
                Ok(None) if is_named => SkipReason::Unchanged,
                Ok(None) => continue,
                Err(reason) => reason,
            };
            changed.skipped.push(SkippedNote { path, reason });
        }
        Ok((planned, changed))
    }

    /// Edits the text of a note as it is now, in memory. `None` if the note is gone.
    fn try_edit(&self, path: &VaultPath, edit: &ManyEdit<'_>) -> Result<Option<Outcome>> {
        let Some(entry) = self.root().find_exact(path)? else { return Ok(None) };
        let bytes = match entry.read() {
            Ok(file) => file.bytes,
            Err(VaultError::NotFound { .. }) => return Ok(None),
            Err(VaultError::TooLarge { .. }) => return Ok(Some(Err(SkipReason::TooLarge))),
            Err(error) => return Err(error),
        };
        let etag = Etag::from_bytes(&bytes);
        let text = Decoded::decode_text(bytes).map_err(SkipReason::NotText);
        let edited = text.and_then(|text| (edit.edit)(&text));
        Ok(Some(edited.map(|edited| Some((edited?, etag)))))
    }
}
