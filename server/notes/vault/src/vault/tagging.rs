//! Changing the tags of notes.

use super::many::ManyEdit;
use super::{ChangeMode, ManyChanged, NoteChoice, Vault};
use crate::error::Result;
use crate::index::Facts;
use crate::many::{TagChange, TagEdit};
use crate::storage::walk::CancelCheck;

impl Vault {
    /// Adds, removes or renames tags of notes in one change. Every byte outside of the tags, and of the white space around
    /// removed ones, stays. Canvases are left alone.
    ///
    /// # Errors
    /// `NotFound` and `NotMarkdown` for a note that is named, `NotFound` for a folder, `TooMany`; otherwise as
    /// [`transaction`](Self::transaction). Nothing is changed then.
    pub fn change_tags(
        &self,
        choice: &NoteChoice,
        change: &TagChange,
        mode: ChangeMode,
        cancel: CancelCheck<'_>,
    ) -> Result<ManyChanged> {
        let is_added = matches!(change.edit, TagEdit::Add(_));
        // Of a note without valid properties, the index does not know all tags.
        let may_concern = |facts: &Facts| {
            let mut tags = facts.tags.iter();
            is_added || facts.values.is_none() || tags.any(|tag| change.concerns(tag))
        };
        let edit = ManyEdit { may_concern: &may_concern, edit: &|text| change.apply(text) };
        self.change_many(choice, &edit, mode, cancel)
    }
}
