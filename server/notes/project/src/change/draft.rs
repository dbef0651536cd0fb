//! Changes that are planned: the project as it would be.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value as Json;
use toolwrit_frontmatter::{self as frontmatter, Properties};
use toolwrit_vault::{Etag, VaultError, VaultPath};

use super::data::{self, Given, PropertyChange};
use crate::canvas::CanvasPlan;
use crate::error::{ProjectError, Result};
use crate::model::{
    Criterion, Entity, EntityId, EntityKind, Field, Interpreter, Status, format_time, new_entity,
    with_properties,
};
use crate::project::Project;
use crate::workspace::Workspace;

/// What callers can give beside the fields of an entity: whether everything below it is archived, too.
const CASCADE: &str = "cascade";

/// A project and changes of it that are not made yet.
///
/// The changes of an operation are pending until [`keep_pending`](Self::keep_pending) or
/// [`discard_pending`](Self::discard_pending).
pub(super) struct Draft<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) project: &'a Project,
    /// Paths that other programs have taken since.
    taken: &'a BTreeSet<VaultPath>,
    now: Timestamp,
    pub(super) kept: BTreeMap<EntityId, Planned>,
    pending: BTreeMap<EntityId, Planned>,
    pub(super) canvas: CanvasPlan,
}

/// An entity as it would be.
pub(super) struct Planned {
    pub(super) entity: Entity,
    pub(super) origin: Origin,
    /// The criteria in its text, if they change.
    pub(super) criteria: Option<Vec<Criterion>>,
}

#[derive(Clone)]
pub(super) enum Origin {
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
        taken: &'a BTreeSet<VaultPath>,
        now: Timestamp,
    ) -> Self {
        let (kept, pending) = (BTreeMap::new(), BTreeMap::new());
        let canvas = CanvasPlan::default();
        Self { workspace, project, taken, now, kept, pending, canvas }
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

    /// The time of the changes.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// The entities that are created.
    pub(super) fn new_ids(&self) -> impl Iterator<Item = EntityId> {
        let is_new = |planned: &Planned| matches!(planned.origin, Origin::New { .. });
        self.kept.iter().filter(move |(_, planned)| is_new(planned)).map(|(id, _)| *id)
    }

    /// Whether the entity has changes, pending or kept.
    pub(super) fn is_planned(&self, id: EntityId) -> bool {
        self.pending.contains_key(&id) || self.kept.contains_key(&id)
    }

    /// Runs what needs to read values of a note at this path.
    pub(super) fn interpret<T>(
        &self,
        path: &VaultPath,
        work: impl FnOnce(&Interpreter<'_>) -> T,
    ) -> T {
        let follow = |target: &str| self.workspace.follow_link(self.project, target, Some(path));
        work(&Interpreter { words: self.project.words(), follow: &follow })
    }

    fn parse_data(
        &self,
        id: EntityId,
        path: &VaultPath,
        data: &Properties,
        existing: Option<&Entity>,
    ) -> Result<Given> {
        let is_own = |name: &str| {
            self.project.words().is_own(name)
                || self.project.entities().any(|entity| entity.properties.contains_key(name))
        };
        self.interpret(path, |interpreter| data::parse(id, data, existing, interpreter, is_own))
    }

    /// Creates an entity, and returns its id.
    pub(super) fn create(
        &mut self,
        kind: EntityKind,
        data: &Properties,
        body: &str,
    ) -> Result<EntityId> {
        let id = self.next_id(kind)?;
        let title = data.get(Field::Title.name()).and_then(Json::as_str).unwrap_or_default();
        let path = self.new_path(id, title)?;
        let Given { changes, criteria } = self.parse_data(id, &path, data, None)?;
        let (mut given, mut own) = (BTreeMap::new(), Properties::new());
        for PropertyChange { name, field, value } in changes {
            match (field, value) {
                (Some(field), value) => drop(given.insert(field, value)),
                (None, Some(value)) => drop(own.insert(name, value)),
                (None, None) => {}
            }
        }
        if !given.contains_key(&Field::Title) {
            let (field, reason) = (Field::Title.name().to_owned(), "it is required".to_owned());
            return Err(ProjectError::InvalidField { field, reason });
        }
        let status = first_status(kind, &given);
        let words = self.project.words();
        let mut properties = Properties::new();
        for field in Field::ALL.into_iter().filter(|field| !words.properties(*field).is_empty()) {
            let value = match field {
                Field::Id => Some(id.to_string().into()),
                Field::Type => Some(kind.name().into()),
                Field::Created | Field::Updated => Some(format_time(self.now)),
                _ => given.remove(&field).flatten(),
            };
            let default =
                || (field == Field::Status).then(|| words.status_word(kind, status).into());
            if let Some(value) = value.or_else(default) {
                properties.insert(field.name().to_owned(), value);
            }
        }
        properties.extend(own);
        if let Some(tag) = words.tag_of(kind) {
            let mut tags = frontmatter::tags(&properties);
            if words.kind_of_tags(&tags) != Some(kind) {
                tags.push(tag.to_owned());
                properties.insert(Field::Tags.name().to_owned(), tags.into());
            }
        }
        let entity = self
            .interpret(&path, |interpreter| new_entity(id, path.clone(), properties, interpreter));
        let origin = Origin::New { body: body.to_owned() };
        self.pending.insert(id, Planned { entity, origin, criteria });
        self.check(id, &Field::ALL)?;
        self.link_superseded(id, None)?;
        Ok(id)
    }

    /// The path of a new note, which no other note has.
    fn new_path(&self, id: EntityId, title: &str) -> Result<VaultPath> {
        let words = self.project.words();
        let is_used = |path: &VaultPath| {
            let is_same = |other: &VaultPath| other.as_str().eq_ignore_ascii_case(path.as_str());
            self.taken.iter().any(is_same)
                || self.planned_entities().any(|entity| is_same(&entity.path))
                || (!words.are_named_by_id(id.kind())
                    && self.workspace.vault().locate(path).is_ok())
        };
        let mut copy = 1;
        loop {
            let name = words.path_of_new(id, title, copy);
            let path = self.workspace.folder().child(&name).map_err(VaultError::from)?;
            // A note that is named after an id shows that the id is taken.
            if words.are_named_by_id(id.kind()) || !is_used(&path) {
                return Ok(path);
            }
            copy += 1;
        }
    }

    /// Changes fields of an entity. `cascade` beside `archived` archives everything below it, too; `add_to` and
    /// `remove_from` change single items of lists.
    pub(super) fn update(
        &mut self,
        id: EntityId,
        data: &Properties,
        if_match: Option<&Etag>,
    ) -> Result<()> {
        let mut data = data.clone();
        let has_cascade = self.require_entity(id)?.properties.contains_key(CASCADE);
        let cascade = if has_cascade { None } else { data.shift_remove(CASCADE) };
        let entity = self.require_entity(id)?;
        self.change_items(entity, &mut data)?;
        let Given { changes, criteria } = self.parse_data(id, &entity.path, &data, Some(entity))?;
        let superseded = entity.supersedes;
        let was_archived = entity.archived;
        self.check_version(id, if_match)?;
        let fields: Vec<Field> = changes.iter().filter_map(|change| change.field).collect();
        self.set_properties(id, changes, if_match)?;
        if let Some(criteria) = criteria {
            self.set_criteria(id, criteria);
        }
        self.check(id, &fields)?;
        if fields.contains(&Field::Supersedes) {
            self.link_superseded(id, superseded)?;
        }
        let archived = self.require_entity(id)?.archived;
        match data.get(Field::Archived.name()) {
            Some(Json::Bool(true)) if cascade == Some(Json::Bool(true)) => {
                self.archive(id, true, if_match).map(drop)
            }
            _ if was_archived && !archived => self.restore_below(id),
            _ => Ok(()),
        }
    }

    /// The entity that a text names: an id, or a link to its note.
    pub(super) fn find_id(&self, text: &str) -> Result<EntityId> {
        self.workspace.find_id_in(self.project, text)
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
        let words = self.project.words();
        let taken = self.taken.iter().filter_map(|path| words.parse_id(path.stem()).ok());
        let planned = self.kept.keys().chain(self.pending.keys()).copied();
        let prefix = words.ids().prefix(kind);
        let used = taken.chain(planned).filter(|id| Some(id.prefix()) == prefix);
        let used = used.map(EntityId::number).chain([self.project.highest_number(kind)]);
        let highest = used.max().unwrap_or(0);
        words.ids().id(kind, highest.saturating_add(1)).ok_or_else(|| ProjectError::InvalidField {
            field: Field::Id.name().to_owned(),
            reason: format!("the number of a {kind} is {highest}, the highest that there can be"),
        })
    }

    /// Refuses if the note has changed. A note that is to be created has no version.
    pub(super) fn check_version(&self, id: EntityId, if_match: Option<&Etag>) -> Result<()> {
        let entity = self.require_entity(id)?;
        let Some(expected) = if_match else { return Ok(()) };
        let current = self.workspace.vault().read(&entity.path, Some(0))?.etag;
        if current == *expected { Ok(()) } else { Err(ProjectError::Conflict { id, current }) }
    }

    /// Sets properties of an entity.
    ///
    /// # Errors
    /// `Ambiguous` if another note has its id.
    pub(super) fn set_properties(
        &mut self,
        id: EntityId,
        changes: Vec<PropertyChange>,
        if_match: Option<&Etag>,
    ) -> Result<()> {
        let entity = self.require_entity(id)?;
        if let [copy, ..] = self.project.copies(id) {
            let (path, copy) = (entity.path.clone(), copy.clone());
            return Err(ProjectError::Ambiguous { id, path, copy });
        }
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
        let entity = self.interpret(&entity.path, |interpreter| {
            with_properties(entity, properties, interpreter)
        });
        let before = self.pending.get(&id).or_else(|| self.kept.get(&id));
        let criteria = before.and_then(|planned| planned.criteria.clone());
        let origin = match before.map(|planned| planned.origin.clone()) {
            Some(Origin::New { body }) => Origin::New { body },
            Some(Origin::Existing { if_match: known }) => {
                Origin::Existing { if_match: known.or_else(|| if_match.cloned()) }
            }
            None => Origin::Existing { if_match: if_match.cloned() },
        };
        self.pending.insert(id, Planned { entity, origin, criteria });
        Ok(())
    }

    /// Sets the criteria in the text of an entity that has pending changes.
    fn set_criteria(&mut self, id: EntityId, criteria: Vec<Criterion>) {
        if let Some(planned) = self.pending.get_mut(&id)
            && planned.entity.criteria != criteria
        {
            let updated = format_time(self.now);
            planned.entity.properties.insert(Field::Updated.name().to_owned(), updated);
            planned.entity.criteria.clone_from(&criteria);
            planned.criteria = Some(criteria);
        }
    }

    /// Links what an entity supersedes back to it, and removes the link from what it superseded before.
    fn link_superseded(&mut self, id: EntityId, before: Option<EntityId>) -> Result<()> {
        let now = self.require_entity(id)?.supersedes;
        if let Some(before) = before.filter(|before| now != Some(*before))
            && self.entity(before).is_some_and(|entity| entity.superseded_by == Some(id))
        {
            self.set_properties(before, vec![PropertyChange::of(Field::SupersededBy, None)], None)?;
        }
        if let Some(superseded) = now {
            let status = self.project.words().status_word(superseded.kind(), Status::Superseded);
            let status = PropertyChange::of(Field::Status, Some(status.into()));
            let by = PropertyChange::of(Field::SupersededBy, Some(id.to_string().into()));
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

/// The status of a new entity: a decision that says what was decided was made.
fn first_status(kind: EntityKind, given: &BTreeMap<Field, Option<Json>>) -> Status {
    let says = |value: &Json| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let is_made = given.get(&Field::Decision).is_some_and(|value| value.as_ref().is_some_and(says));
    if kind == EntityKind::Decision && is_made { Status::Decided } else { kind.statuses()[0] }
}
