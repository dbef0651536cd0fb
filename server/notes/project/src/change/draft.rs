//! Changes that are planned: the project as it would be.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::{Etag, NoteChange, VaultError, VaultPath};

use super::Changed;
use super::data::{self, PropertyChange};
use super::note;
use crate::canvas::Canvas;
use crate::error::{ProjectError, Result};
use crate::model::format_time;
use crate::model::{Entity, EntityId, EntityKind, Field, Status, new_entity, with_properties};
use crate::project::Project;
use crate::workspace::Workspace;

/// A project and changes of it that are not made yet.
///
/// The changes of an operation are pending until [`keep_pending`](Self::keep_pending) or
/// [`discard_pending`](Self::discard_pending).
pub(super) struct Draft<'a> {
    workspace: &'a Workspace,
    project: &'a Project,
    /// Ids that other programs have taken since.
    taken: &'a BTreeSet<EntityId>,
    now: Timestamp,
    kept: BTreeMap<EntityId, Planned>,
    pending: BTreeMap<EntityId, Planned>,
    canvas: Option<VaultPath>,
}

/// An entity as it would be.
struct Planned {
    entity: Entity,
    origin: Origin,
}

#[derive(Clone)]
enum Origin {
    /// It is created, with this body.
    New {
        body: String,
    },
    Existing {
        if_match: Option<Etag>,
    },
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        project: &'a Project,
        taken: &'a BTreeSet<EntityId>,
        now: Timestamp,
    ) -> Self {
        let (kept, pending) = (BTreeMap::new(), BTreeMap::new());
        Self { workspace, project, taken, now, kept, pending, canvas: None }
    }

    /// Keeps the pending changes, and returns the notes that they change.
    pub(super) fn keep_pending(&mut self) -> Vec<VaultPath> {
        let paths = self.pending.values().map(|planned| planned.entity.path.clone()).collect();
        self.kept.append(&mut self.pending);
        paths
    }

    /// Drops the pending changes.
    pub(super) fn discard_pending(&mut self) {
        self.pending.clear();
    }

    /// Places the new notes on a canvas.
    pub(super) fn place_on(&mut self, canvas: &VaultPath) {
        self.canvas = Some(canvas.clone());
    }

    /// The entity as it would be, if there is one.
    pub(super) fn entity(&self, id: EntityId) -> Option<&Entity> {
        let planned = self.pending.get(&id).or_else(|| self.kept.get(&id));
        planned.map_or_else(|| self.project.entity(id), |planned| Some(&planned.entity))
    }

    /// The entities that are created or changed, in the order of their ids.
    pub(super) fn planned_entities(&self) -> impl Iterator<Item = &Entity> {
        let kept = self.kept.iter().filter(|(id, _)| !self.pending.contains_key(id));
        kept.chain(&self.pending).map(|(_, planned)| &planned.entity)
    }

    /// Whether the entity has changes, pending or kept.
    fn is_planned(&self, id: EntityId) -> bool {
        self.pending.contains_key(&id) || self.kept.contains_key(&id)
    }

    /// Creates an entity, and returns its id.
    pub(super) fn create(
        &mut self,
        kind: EntityKind,
        data: &Properties,
        body: &str,
    ) -> Result<EntityId> {
        let id = self.next_id(kind)?;
        let changes = data::parse(id, data, None)?;
        let mut given: BTreeMap<Field, PropertyChange> =
            changes.into_iter().filter_map(|change| Some((change.field?, change))).collect();
        if !given.contains_key(&Field::Title) {
            let (field, reason) = (Field::Title.name().to_owned(), "it is required".to_owned());
            return Err(ProjectError::InvalidField { field, reason });
        }
        let mut properties = Properties::new();
        for field in Field::ALL {
            let value = match field {
                Field::Id => Some(id.to_string().into()),
                Field::Type => Some(kind.name().into()),
                Field::Created | Field::Updated => Some(format_time(self.now)),
                _ => given.remove(&field).and_then(|change| change.value),
            };
            let default = || (field == Field::Status).then(|| kind.statuses()[0].name().into());
            if let Some(value) = value.or_else(default) {
                properties.insert(field.name().to_owned(), value);
            }
        }
        let path = self.workspace.folder().child(&format!("{id}.md"));
        let path = path.map_err(VaultError::from)?;
        let entity = new_entity(id, path, properties);
        let fields = Field::ALL;
        self.pending.insert(id, Planned { entity, origin: Origin::New { body: body.to_owned() } });
        self.check(id, &fields)?;
        self.link_superseded(id, None)?;
        Ok(id)
    }

    /// Changes fields of an entity.
    pub(super) fn update(
        &mut self,
        id: EntityId,
        data: &Properties,
        if_match: Option<&Etag>,
    ) -> Result<()> {
        let entity = self.require_entity(id)?;
        let changes = data::parse(id, data, Some(entity))?;
        let superseded = entity.supersedes;
        self.check_version(id, if_match)?;
        let fields: Vec<Field> = changes.iter().filter_map(|change| change.field).collect();
        self.set_properties(id, changes, if_match)?;
        self.check(id, &fields)?;
        if fields.contains(&Field::Supersedes) {
            self.link_superseded(id, superseded)?;
        }
        Ok(())
    }

    /// Archives an entity, and everything below it. Returns what was not archived before, and the entity
    /// itself.
    pub(super) fn archive(
        &mut self,
        id: EntityId,
        cascade: bool,
        if_match: Option<&Etag>,
    ) -> Result<Vec<EntityId>> {
        self.check_version(id, if_match)?;
        let mut ids = vec![id];
        let mut at = 0;
        // A cycle of parents ends at what is listed already.
        let mut listed = BTreeSet::from([id]);
        while let Some(&next) = ids.get(at).filter(|_| cascade) {
            let below = self.children(next);
            ids.extend(below.into_iter().filter(|child| listed.insert(*child)));
            at += 1;
        }
        let archived = || PropertyChange {
            name: Field::Archived.name().to_owned(),
            field: Some(Field::Archived),
            value: Some(true.into()),
        };
        let mut changed = Vec::new();
        for each in ids {
            let entity = self.require_entity(each)?;
            let change = (!entity.archived).then(archived);
            if each == id || change.is_some() {
                let if_match = if_match.filter(|_| each == id);
                self.set_properties(each, change.into_iter().collect(), if_match)?;
                changed.push(each);
            }
        }
        Ok(changed)
    }

    /// A new entity as it will be.
    pub(super) fn predict_changed(&self, id: EntityId) -> Result<Changed> {
        let planned = self.kept.get(&id).ok_or(ProjectError::NoSuchEntity { id })?;
        let text = match &planned.origin {
            Origin::New { body } => note::render_note(&planned.entity.properties, body)?,
            Origin::Existing { .. } => String::new(),
        };
        let (path, etag) = (planned.entity.path.clone(), Etag::from_bytes(text.as_bytes()));
        Ok(Changed { id, path, etag })
    }

    /// The changes of files, with the ids of their entities.
    pub(super) fn into_changes(self) -> Result<Vec<(Option<EntityId>, NoteChange)>> {
        let canvas = self.canvas_change()?;
        let change = |(id, Planned { entity, origin }): (EntityId, Planned)| {
            let path = entity.path.clone();
            let change = match origin {
                Origin::New { body } => NoteChange::Create {
                    path,
                    content: note::render_note(&entity.properties, &body)?,
                },
                Origin::Existing { if_match } => {
                    let before = self.project.require_entity(id)?;
                    let patches = note::find_patches(&before.properties, &entity.properties);
                    NoteChange::Patch { path, patches, if_match }
                }
            };
            Ok((Some(id), change))
        };
        let changes: Result<Vec<_>> = self.kept.into_iter().map(change).collect();
        Ok(changes?.into_iter().chain(canvas.map(|change| (None, change))).collect())
    }

    /// The change of the canvas that gets the new notes.
    fn canvas_change(&self) -> Result<Option<NoteChange>> {
        let Some(path) = &self.canvas else { return Ok(None) };
        let is_new = |planned: &&Planned| matches!(planned.origin, Origin::New { .. });
        let new: Vec<&Entity> =
            self.kept.values().filter(is_new).map(|planned| &planned.entity).collect();
        if new.is_empty() {
            return Ok(None);
        }
        let existing = self.project.entities().filter(|entity| !self.is_planned(entity.id));
        let all =
            existing.chain(self.planned_entities()).map(|entity| (entity.path.as_str(), entity.id));
        let old = match self.workspace.vault().read(path, None) {
            Ok(note) => Some(note),
            Err(VaultError::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let mut canvas = Canvas::parse(path, old.as_ref().map(|note| note.content.as_str()))?;
        canvas.add_notes(&new, &all.collect(), |id| self.prerequisites(id))?;
        let (path, content) = (path.clone(), canvas.to_text());
        Ok(Some(match old {
            Some(note) => {
                NoteChange::Replace { path: note.path, content, if_match: Some(note.etag) }
            }
            None => NoteChange::Create { path, content },
        }))
    }

    /// The entity as it would be.
    ///
    /// # Errors
    /// `NoSuchEntity`, `Unreadable`.
    pub(super) fn require_entity(&self, id: EntityId) -> Result<&Entity> {
        match self.entity(id) {
            Some(entity) => Ok(entity),
            None => self.project.require_entity(id),
        }
    }

    /// One more than the highest number that is in use.
    fn next_id(&self, kind: EntityKind) -> Result<EntityId> {
        let used = self.taken.iter().chain(self.kept.keys()).chain(self.pending.keys());
        let used = used.filter(|id| id.kind() == kind).map(|id| id.number());
        let highest = used.chain([self.project.highest_number(kind)]).max().unwrap_or(0);
        EntityId::new(kind, highest.saturating_add(1)).ok_or_else(|| ProjectError::InvalidField {
            field: Field::Id.name().to_owned(),
            reason: format!("the number of a {kind} is {highest}, the highest that there can be"),
        })
    }

    /// Refuses if the note has changed. A note that is to be created has no version.
    fn check_version(&self, id: EntityId, if_match: Option<&Etag>) -> Result<()> {
        let entity = self.require_entity(id)?;
        let Some(expected) = if_match else { return Ok(()) };
        let current = self.workspace.vault().read(&entity.path, Some(0))?.etag;
        if current == *expected { Ok(()) } else { Err(ProjectError::Conflict { id, current }) }
    }

    /// Sets properties of an entity.
    fn set_properties(
        &mut self,
        id: EntityId,
        changes: Vec<PropertyChange>,
        if_match: Option<&Etag>,
    ) -> Result<()> {
        let entity = self.require_entity(id)?;
        let mut properties = entity.properties.clone();
        for change in changes {
            match change.value {
                Some(value) => drop(properties.insert(change.name, value)),
                None => drop(properties.shift_remove(&change.name)),
            }
        }
        if properties != entity.properties {
            properties.insert(Field::Updated.name().to_owned(), format_time(self.now));
        }
        let entity = with_properties(entity, properties);
        let before = self.pending.get(&id).or_else(|| self.kept.get(&id));
        let origin = match before.map(|planned| planned.origin.clone()) {
            Some(Origin::New { body }) => Origin::New { body },
            Some(Origin::Existing { if_match: known }) => {
                Origin::Existing { if_match: known.or_else(|| if_match.cloned()) }
            }
            None => Origin::Existing { if_match: if_match.cloned() },
        };
        self.pending.insert(id, Planned { entity, origin });
        Ok(())
    }

    /// Links what an entity supersedes back to it, and removes the link from what it superseded before.
    fn link_superseded(&mut self, id: EntityId, before: Option<EntityId>) -> Result<()> {
        let now = self.require_entity(id)?.supersedes;
        let change = |field: Field, value: Option<&str>| PropertyChange {
            name: field.name().to_owned(),
            field: Some(field),
            value: value.map(Into::into),
        };
        if let Some(before) = before.filter(|before| now != Some(*before))
            && self.entity(before).is_some_and(|entity| entity.superseded_by == Some(id))
        {
            self.set_properties(before, vec![change(Field::SupersededBy, None)], None)?;
        }
        if let Some(superseded) = now {
            let by = change(Field::SupersededBy, Some(&id.to_string()));
            let status = change(Field::Status, Some(Status::Superseded.name()));
            self.set_properties(superseded, vec![status, by], None)?;
        }
        Ok(())
    }

    /// The entities whose parent it would be.
    pub(super) fn children(&self, id: EntityId) -> Vec<EntityId> {
        let known =
            self.project.children(id).iter().copied().filter(|child| !self.is_planned(*child));
        let planned = self.planned_entities().filter(|entity| entity.parent == Some(id));
        known.chain(planned.map(|entity| entity.id)).collect()
    }

    /// The entities that would have to be done before it.
    pub(super) fn prerequisites(&self, id: EntityId) -> Vec<EntityId> {
        let depends_on = self.entity(id).map_or(&[][..], |entity| &entity.depends_on);
        let known = self.project.prerequisites(id).iter().copied();
        let known = known.filter(|first| {
            let enables = |entity: &Entity| entity.enables.contains(&id);
            !self.is_planned(*first) && self.project.entity(*first).is_some_and(enables)
        });
        let planned = self.planned_entities().filter(|entity| entity.enables.contains(&id));
        depends_on.iter().copied().chain(known).chain(planned.map(|entity| entity.id)).collect()
    }
}
