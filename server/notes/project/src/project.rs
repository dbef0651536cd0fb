//! All entities of a workspace at one moment.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use toolwrit_vault::VaultPath;

use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityId, EntityKind, Field, Problem, Reading, Status};
use crate::relations::{Relations, find_cycles};

/// The entities of a workspace, and what is wrong with its notes.
#[derive(Debug, Default, PartialEq)]
pub struct Project {
    entities: BTreeMap<EntityId, Arc<Entity>>,
    problems: Vec<Problem>,
    /// Why the note with an entity's name cannot be read.
    broken: HashMap<EntityId, Problem>,
    relations: Relations,
    highest: HashMap<EntityKind, u32>,
    workstreams: HashMap<EntityId, String>,
}

impl Project {
    /// The project of these notes, which are in the order of their paths.
    pub(crate) fn new<'a>(notes: impl Iterator<Item = (&'a VaultPath, &'a Reading)>) -> Self {
        let mut project = Self::default();
        for (path, reading) in notes {
            if let Ok(id) = path.stem().parse() {
                project.reserve_id(id);
            }
            match reading {
                Reading::Entity(entity, problems) => {
                    project.problems.extend_from_slice(problems);
                    project.add(entity);
                }
                Reading::Broken(id, problem) => {
                    project.problems.push(problem.clone());
                    if let Some(id) = id {
                        project.broken.insert(*id, problem.clone());
                    }
                }
                Reading::Other => {}
            }
        }
        project.relations = Relations::new(&project.entities);
        project.workstreams = inherit_workstreams(&project.entities);
        let faults: Vec<Problem> = project.find_faults().collect();
        project.problems.extend(faults);
        project.problems.sort_unstable();
        project
    }

    /// Adds an entity. Of two with the same id, the one named after it counts, otherwise the first.
    fn add(&mut self, entity: &Arc<Entity>) {
        self.reserve_id(entity.id);
        let is_named = |entity: &Entity| entity.path.stem().parse() == Ok(entity.id);
        let entity = Arc::clone(entity);
        let other = match self.entities.get(&entity.id) {
            Some(known) if is_named(known) || !is_named(&entity) => entity,
            _ => match self.entities.insert(entity.id, entity) {
                Some(other) => other,
                None => return,
            },
        };
        let used = self.entities.get(&other.id).map(|used| used.path.to_string());
        let reason = format!(
            "the id {} is taken by `{}`; give this note another one",
            other.id,
            used.unwrap_or_default()
        );
        self.problems.push(problem(&other, Field::Id, reason));
    }

    fn reserve_id(&mut self, id: EntityId) {
        let highest = self.highest.entry(id.kind()).or_default();
        *highest = id.number().max(*highest);
    }

    /// What is wrong between entities.
    fn find_faults(&self) -> impl Iterator<Item = Problem> {
        let missing = self.entities.values().flat_map(|entity| {
            references(entity).filter_map(|(field, id)| {
                let state = match self.broken.get(&id) {
                    Some(_) => "whose note cannot be read",
                    None => "which does not exist",
                };
                let reason = format!("`{field}` names {id}, {state}");
                (!self.entities.contains_key(&id)).then(|| problem(entity, field, reason))
            })
        });
        let misplaced = self.entities.values().filter_map(|entity| {
            let parent = entity.parent?;
            let is_allowed = entity.kind().parents().contains(&parent.kind());
            let reason = || misplaced_reason(entity.kind(), parent.kind());
            (!is_allowed).then(|| problem(entity, Field::Parent, reason()))
        });
        let ids = || self.entities.keys().copied();
        let parent = |id| self.entity(id).and_then(|entity| entity.parent).into_iter().collect();
        let above = find_cycles(ids(), parent).into_iter().map(|cycle| (Field::Parent, cycle));
        let before = find_cycles(ids(), |id| self.relations.prerequisites(id).to_vec());
        let cycles = above.chain(before.into_iter().map(|cycle| (Field::DependsOn, cycle)));
        let cycles = cycles.filter_map(|(field, cycle)| {
            let ids: Vec<_> = cycle.iter().chain(cycle.first()).map(EntityId::to_string).collect();
            let reason = format!("`{field}` is a cycle: {}", ids.join(" -> "));
            Some(problem(self.entity(*cycle.first()?)?, field, reason))
        });
        missing.chain(misplaced).chain(cycles)
    }

    /// The entity with this id, if there is one.
    pub fn entity(&self, id: EntityId) -> Option<&Entity> {
        self.entities.get(&id).map(AsRef::as_ref)
    }

    /// All entities, in the order of their ids.
    pub fn entities(&self) -> impl Iterator<Item = &Entity> + Clone {
        self.entities.values().map(AsRef::as_ref)
    }

    /// What is wrong in notes and between them, in the order of the notes.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The entities whose parent it is.
    pub fn children(&self, id: EntityId) -> &[EntityId] {
        self.relations.children(id)
    }

    /// The entities that must be done before it: those that it depends on, and those that enable it.
    pub fn prerequisites(&self, id: EntityId) -> &[EntityId] {
        self.relations.prerequisites(id)
    }

    /// The entities before which it must be done.
    pub fn dependents(&self, id: EntityId) -> &[EntityId] {
        self.relations.dependents(id)
    }

    /// The workstream of an entity: its own, otherwise that of the nearest entity above that has one.
    pub fn workstream(&self, id: EntityId) -> Option<&str> {
        self.workstreams.get(&id).map(String::as_str)
    }

    /// Whether there is something left to do for an entity that is not put aside.
    pub fn is_open(&self, id: EntityId) -> bool {
        self.entity(id).is_some_and(|entity| !entity.archived && !entity.status.is_done())
    }

    /// The entities that must be done before it and are open.
    pub fn open_prerequisites(&self, id: EntityId) -> impl Iterator<Item = EntityId> {
        self.prerequisites(id).iter().copied().filter(|id| self.is_open(*id))
    }

    /// Whether an open entity can be worked on: it is not blocked, and nothing must be done before it.
    pub fn can_go_on(&self, id: EntityId) -> bool {
        let is_blocked = self.entity(id).is_some_and(|entity| entity.status == Status::Blocked);
        self.is_open(id) && !is_blocked && self.open_prerequisites(id).next().is_none()
    }

    /// The highest number in use, by an entity or by the name of a note.
    pub(crate) fn highest_number(&self, kind: EntityKind) -> u32 {
        self.highest.get(&kind).copied().unwrap_or(0)
    }

    /// The entity with this id.
    ///
    /// # Errors
    /// [`ProjectError::NoSuchEntity`], [`ProjectError::Unreadable`] if its note cannot be read.
    pub fn require_entity(&self, id: EntityId) -> Result<&Entity> {
        self.entity(id).ok_or_else(|| match self.broken.get(&id) {
            Some(problem) => ProjectError::Unreadable { id, problem: Box::new(problem.clone()) },
            None => ProjectError::NoSuchEntity { id },
        })
    }
}

/// The workstream of every entity that has one or is below one that has.
fn inherit_workstreams(entities: &BTreeMap<EntityId, Arc<Entity>>) -> HashMap<EntityId, String> {
    let mut found: HashMap<EntityId, Option<String>> = HashMap::new();
    for &start in entities.keys() {
        let mut way = Vec::new();
        let mut next = Some(start);
        let mut name = None;
        while let Some(entity) = next.and_then(|id| entities.get(&id)) {
            // An entity that was passed on this way has no name yet: a cycle of parents ends here.
            if let Some(known) = found.get(&entity.id) {
                name.clone_from(known);
                break;
            }
            way.push(entity.id);
            found.insert(entity.id, None);
            if entity.workstream.is_some() {
                name.clone_from(&entity.workstream);
                break;
            }
            next = entity.parent;
        }
        found.extend(way.into_iter().map(|id| (id, name.clone())));
    }
    found.into_iter().filter_map(|(id, name)| Some((id, name?))).collect()
}

/// All references of an entity to others.
fn references(entity: &Entity) -> impl Iterator<Item = (Field, EntityId)> {
    let one = |field, id: Option<EntityId>| id.into_iter().map(move |id| (field, id));
    let many = |field, ids: &[EntityId]| {
        ids.iter().map(move |id| (field, *id)).collect::<Vec<_>>().into_iter()
    };
    one(Field::Parent, entity.parent)
        .chain(many(Field::DependsOn, &entity.depends_on))
        .chain(many(Field::Enables, &entity.enables))
        .chain(many(Field::Decisions, &entity.decisions))
        .chain(one(Field::Supersedes, entity.supersedes))
        .chain(one(Field::SupersededBy, entity.superseded_by))
}

/// Why an entity of a kind cannot have a parent of another.
pub(crate) fn misplaced_reason(kind: EntityKind, parent: EntityKind) -> String {
    match kind.parents() {
        [] => format!("a {kind} has no parent"),
        parents => {
            let names: Vec<_> = parents.iter().map(|kind| kind.name()).collect();
            format!("the parent of a {kind} is a {}, not a {parent}", names.join(" or a "))
        }
    }
}

fn problem(entity: &Entity, field: Field, reason: String) -> Problem {
    let (path, line, id) = (entity.path.clone(), entity.line(field), Some(entity.id));
    Problem { path, line, id, field: Some(field), reason }
}

/// Ids for a message.
pub(crate) fn shorten_ids(ids: &[EntityId]) -> String {
    const MOST: usize = 5;
    let mut text = ids.iter().take(MOST).map(EntityId::to_string).collect::<Vec<_>>().join(", ");
    if ids.len() > MOST {
        text = format!("{text} and {} more", ids.len() - MOST);
    }
    text
}
