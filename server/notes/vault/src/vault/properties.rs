//! Changing the properties of many notes.

use super::many::ManyEdit;
use super::{ChangeMode, ManyChanged, NoteChoice, Vault};
use crate::error::Result;
use crate::many::PropertyChange;
use crate::storage::walk::CancelCheck;

impl Vault {
    /// Changes the properties of notes in one change. A note whose properties cannot be read, or that has a property with the
    /// new name of another one, is skipped.
    ///
    /// # Errors
    /// As [`change_tags`](Self::change_tags).
    pub fn change_properties(
        &self,
        choice: &NoteChoice,
        change: &PropertyChange,
        mode: ChangeMode,
        cancel: CancelCheck<'_>,
    ) -> Result<ManyChanged> {
        let edit = ManyEdit { may_concern: &|_| true, edit: &|text| change.apply(text) };
        self.change_many(choice, &edit, mode, cancel)
    }
}
