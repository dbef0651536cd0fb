//! Canvases that follow the entities that they show.

use std::collections::{BTreeSet, HashMap};

use toolwrit_vault::{Note, NoteChange, VaultError, VaultPath};

use super::draft::{Draft, Origin};
use crate::canvas::{Canvas, CanvasPlan};
use crate::error::Result;
use crate::model::EntityId;

/// Most canvases whose edges follow a change.
const MOST_CANVASES: usize = 200;

impl Draft<'_> {
    /// Says what happens with a canvas.
    pub(super) fn plan_canvas(&mut self, plan: &CanvasPlan) {
        self.canvas = plan.clone();
    }

    /// The changes of canvases: of the one that was named, and of those that show entities whose relations change.
    pub(super) fn canvas_changes(&self) -> Result<Vec<NoteChange>> {
        let existing = self.project.entities().filter(|entity| !self.is_planned(entity.id));
        let all = existing.chain(self.planned_entities());
        let all: HashMap<&str, EntityId> =
            all.map(|entity| (entity.path.as_str(), entity.id)).collect();
        let mut changes = Vec::new();
        if let Some(path) = &self.canvas.path {
            let old = match self.workspace.vault().read(path, None) {
                Ok(note) => Some(note),
                Err(VaultError::NotFound { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            changes.extend(self.change_named(path, old, &all)?);
        }
        let related = self.related();
        if related.is_empty() {
            return Ok(changes);
        }
        for path in self.other_canvases() {
            // Another program's canvas may be broken; it is left alone.
            let Ok(note) = self.workspace.vault().read(&path, None) else { continue };
            let Ok(mut canvas) = Canvas::parse(&path, Some(&note.content)) else { continue };
            let before = |id| self.prerequisites(id);
            if canvas.update_edges(&all, &related, before).is_ok_and(|has_changed| has_changed) {
                let (path, content) = (note.path, canvas.to_text());
                changes.push(NoteChange::Replace { path, content, if_match: Some(note.etag) });
            }
        }
        Ok(changes)
    }

    /// The change of the canvas that was named.
    fn change_named(
        &self,
        path: &VaultPath,
        old: Option<Note>,
        all: &HashMap<&str, EntityId>,
    ) -> Result<Option<NoteChange>> {
        let mut canvas = Canvas::parse(path, old.as_ref().map(|note| note.content.as_str()))?;
        let planned = || self.kept.values().map(|planned| &planned.entity);
        let mut has_changed = false;
        if self.canvas.remove {
            let gone: BTreeSet<&str> = planned()
                .filter(|entity| entity.archived)
                .map(|entity| entity.path.as_str())
                .collect();
            has_changed |= canvas.remove_notes(&gone);
        }
        let related = self.related();
        has_changed |= canvas.update_edges(all, &related, |id| self.prerequisites(id))?;
        if self.canvas.add {
            let shown: Vec<_> = planned().filter(|entity| !entity.archived).collect();
            has_changed |= canvas.add_notes(&shown, all, |id| self.prerequisites(id))?;
        }
        let path = path.clone();
        Ok(has_changed.then(|| match old {
            Some(note) => {
                let (path, if_match) = (note.path, Some(note.etag));
                NoteChange::Replace { path, content: canvas.to_text(), if_match }
            }
            None => NoteChange::Create { path, content: canvas.to_text() },
        }))
    }

    /// The entities that exist and whose relations change, and those at the other end of `enables`.
    fn related(&self) -> BTreeSet<EntityId> {
        let mut related = BTreeSet::new();
        for (id, planned) in &self.kept {
            let Some(before) = self.project.entity(*id) else { continue };
            if matches!(planned.origin, Origin::New { .. }) {
                continue;
            }
            if before.depends_on != planned.entity.depends_on {
                related.insert(*id);
            }
            if before.enables != planned.entity.enables {
                related.extend(before.enables.iter().chain(&planned.entity.enables));
            }
        }
        related
    }

    fn other_canvases(&self) -> Vec<VaultPath> {
        let Ok(snapshot) = self.workspace.vault().snapshot(&|| false) else { return Vec::new() };
        let is_canvas = |path: &&VaultPath| {
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("canvas"))
                && self.canvas.path.as_ref() != Some(*path)
        };
        let mut paths: Vec<VaultPath> =
            snapshot.files().filter(is_canvas).take(MOST_CANVASES).cloned().collect();
        paths.sort_unstable();
        paths
    }
}
