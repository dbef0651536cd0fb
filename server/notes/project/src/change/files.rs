//! A draft as changes of files.

use toolwrit_frontmatter::{self as frontmatter, Edit};
use toolwrit_vault::{Etag, NoteChange};

use super::Changed;
use super::draft::{Draft, Origin, Planned};
use super::note;
use crate::error::{ProjectError, Result};
use crate::model::{EntityId, Words, write_criteria};

impl Draft<'_> {
    /// A new entity as it will be.
    pub(super) fn predict_changed(&self, id: EntityId) -> Result<Changed> {
        let planned = self.kept.get(&id).ok_or(ProjectError::NoSuchEntity { id })?;
        let text = match &planned.origin {
            Origin::New { body } => render(planned, body, self.project.words())?,
            Origin::Existing { .. } => String::new(),
        };
        let (path, etag) = (planned.entity.path.clone(), Etag::from_bytes(text.as_bytes()));
        Ok(Changed { id, path, etag })
    }

    /// The changes of files, with the ids of their entities.
    pub(super) fn into_changes(self) -> Result<Vec<(Option<EntityId>, NoteChange)>> {
        let canvases = self.canvas_changes()?;
        let mut changes = Vec::with_capacity(self.kept.len() + canvases.len());
        for (id, planned) in &self.kept {
            changes.push((Some(*id), self.change_of(*id, planned)?));
        }
        changes.extend(canvases.into_iter().map(|change| (None, change)));
        Ok(changes)
    }

    fn change_of(&self, id: EntityId, planned: &Planned) -> Result<NoteChange> {
        let Planned { entity, origin, criteria } = planned;
        let words = self.project.words();
        let path = entity.path.clone();
        let if_match = match origin {
            Origin::New { body } => {
                return Ok(NoteChange::Create { path, content: render(planned, body, words)? });
            }
            Origin::Existing { if_match } => if_match.clone(),
        };
        let before = self.project.require_entity(id)?;
        let edits = note::find_edits(before, entity, words);
        let Some(criteria) = criteria else {
            let patches = edits.iter().map(|(name, value)| note::to_patch(name, value.as_ref()));
            return Ok(NoteChange::Patch { path, patches: patches.collect(), if_match });
        };
        // The criteria are in the text, so that the whole note is written.
        let old = self.workspace.vault().read(&path, None)?;
        let mut content = write_criteria(&old.content, criteria);
        for (name, value) in edits {
            let edit = value.map_or(Edit::Delete, Edit::Set);
            content = frontmatter::edit(&content, &name, &edit).map_err(|error| {
                ProjectError::InvalidField { field: name.clone(), reason: error.to_string() }
            })?;
        }
        Ok(NoteChange::Replace { path: old.path, content, if_match: if_match.or(Some(old.etag)) })
    }
}

/// The text of a new note.
fn render(planned: &Planned, body: &str, words: &Words) -> Result<String> {
    let text = note::render_note(&planned.entity.properties, body, words)?;
    Ok(match &planned.criteria {
        Some(criteria) => write_criteria(&text, criteria),
        None => text,
    })
}
