//! All entities of a workspace at one moment.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use toolwrit_vault::VaultPath;

use crate::copies::is_original;
use crate::error::ProjectError;
use crate::model::{
    Entity, EntityId, EntityKind, Field, InlineTask, Interpreter, InvalidId, Prefix, Problem,
    Reading, StatusKind, Words, follow_name, link_again,
};
use crate::relations::{Relations, find_cycles};

/// The entities of a workspace, and what is wrong with its notes.
#[derive(Debug, Default, PartialEq)]
pub struct Project {
    words: Arc<Words>,
    entities: BTreeMap<EntityId, Arc<Entity>>,
    problems: Vec<Problem>,
    /// Why the note with an entity's name cannot be read.
    broken: HashMap<EntityId, Problem>,
    /// The entities by their notes, also by copies of them.
    ids: HashMap<VaultPath, EntityId>,
    /// Notes that have the id of another one.
    copies: BTreeMap<EntityId, Vec<VaultPath>>,
    /// Notes of entities that have no id.
    nameless: Vec<(VaultPath, EntityKind)>,
    /// The tasks in notes.
    inline_tasks: Vec<(VaultPath, InlineTask)>,
    relations: Relations,
    highest: HashMap<Prefix, u32>,
    workstreams: HashMap<EntityId, String>,
}

/// The file that the target of a link in a note leads to, by Obsidian's rules.
pub(crate) type FollowLink<'a> = &'a dyn Fn(&str, &VaultPath) -> Option<VaultPath>;

impl Project {
    /// The project of these notes, which are in the order of their paths.
    pub(crate) fn new<'a>(
        notes: impl Iterator<Item = (&'a VaultPath, &'a Reading)>,
        words: Arc<Words>,
        follow: FollowLink<'_>,
    ) -> Self {
        let mut project = Self { words, ..Self::default() };
        let mut read: Vec<(&Arc<Entity>, &[Problem])> = Vec::new();
        for (path, reading) in notes {
            if let Ok(id) = project.words.parse_id(path.stem()) {
                project.reserve_id(id);
            }
            match reading {
                Reading::Entity(entity, problems) => {
                    project.ids.insert(path.clone(), entity.id);
                    project.keep_tasks(path, &entity.inline_tasks);
                    read.push((entity, problems));
                }
                Reading::Broken(id, problem) => {
                    project.problems.push(problem.clone());
                    if let Some(id) = id {
                        project.broken.insert(*id, problem.clone());
                    }
                }
                Reading::Nameless(kind, problem) => {
                    project.problems.push(problem.clone());
                    project.nameless.push((path.clone(), *kind));
                }
                Reading::Other(tasks) => project.keep_tasks(path, tasks),
            }
        }
        for (entity, problems) in read {
            if entity.has_links() {
                let (linked, problems) = project.link(entity, follow);
                project.problems.extend(problems);
                project.add(&Arc::new(linked));
            } else {
                project.problems.extend_from_slice(problems);
                project.add(entity);
            }
        }
        project.report_copies();
        project.relations = Relations::new(&project.entities);
        project.workstreams = inherit_workstreams(&project.entities);
        let faults: Vec<Problem> = project.find_faults().collect();
        project.problems.extend(faults);
        project.problems.sort_unstable();
        project
    }

    fn keep_tasks(&mut self, path: &VaultPath, tasks: &[InlineTask]) {
        self.inline_tasks.extend(tasks.iter().map(|task| (path.clone(), task.clone())));
    }

    /// An entity with its links followed.
    pub(crate) fn link(&self, entity: &Entity, follow: FollowLink<'_>) -> (Entity, Vec<Problem>) {
        let leads = |target: &str| self.follow(target, &entity.path, follow);
        link_again(entity, &Interpreter { words: &self.words, follow: &leads })
    }

    /// The entity behind the target of a link in a note: the one of the note that it leads to. A link that leads to
    /// no note means the id that it is named after.
    pub(crate) fn follow(
        &self,
        target: &str,
        source: &VaultPath,
        follow: FollowLink<'_>,
    ) -> Result<EntityId, String> {
        match follow(target, source) {
            Some(path) => self.ids.get(&path).copied().ok_or_else(|| {
                let is_reported = self.problems.iter().any(|problem| problem.path == path);
                let state = if is_reported {
                    "which cannot be used until it is corrected"
                } else {
                    "which is no entity"
                };
                format!("`[[{target}]]` leads to `{path}`, {state}")
            }),
            None => follow_name(&self.words, target),
        }
    }

    /// Adds an entity. Of two with the same id, the original counts.
    fn add(&mut self, entity: &Arc<Entity>) {
        self.reserve_id(entity.id);
        let entity = Arc::clone(entity);
        let copy = match self.entities.get(&entity.id) {
            None => return drop(self.entities.insert(entity.id, entity)),
            Some(known) if is_original(known, &entity) => entity,
            Some(_) => match self.entities.insert(entity.id, Arc::clone(&entity)) {
                Some(known) => known,
                None => return,
            },
        };
        self.copies.entry(copy.id).or_default().push(copy.path.clone());
    }

    /// Reports the notes that have the id of another one.
    fn report_copies(&mut self) {
        for (id, copies) in &self.copies {
            let Some(original) = self.entities.get(id) else { continue };
            for path in copies {
                let reason = format!(
                    "the id {id} is taken by `{}`, of which this note is a copy; give this note another one",
                    original.path
                );
                let (path, line) = (path.clone(), original.line(Field::Id));
                let (id, field) = (Some(*id), Some(Field::Id));
                self.problems.push(Problem { path, line, id, field, reason });
            }
        }
    }

    /// The notes that have this id beside the original.
    pub(crate) fn copies(&self, id: EntityId) -> &[VaultPath] {
        self.copies.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The words of the team.
    pub(crate) fn words(&self) -> &Arc<Words> {
        &self.words
    }

    /// The notes of entities that have no id, and their kinds.
    pub(crate) fn nameless(&self) -> &[(VaultPath, EntityKind)] {
        &self.nameless
    }

    /// The tasks in the texts of notes.
    pub fn inline_tasks(&self) -> &[(VaultPath, InlineTask)] {
        &self.inline_tasks
    }

    /// Parses an id, as the ids of the project are written.
    ///
    /// # Errors
    /// [`InvalidId`]
    pub fn parse_id(&self, text: &str) -> Result<EntityId, InvalidId> {
        self.words.parse_id(text)
    }

    fn reserve_id(&mut self, id: EntityId) {
        let highest = self.highest.entry(id.prefix()).or_default();
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

    /// The version of a decision or document that counts: what superseded it last, or itself.
    pub fn current(&self, id: EntityId) -> EntityId {
        let next = |id: &EntityId| {
            let by = self.entity(*id)?.superseded_by?;
            self.entity(by).map(|entity| entity.id)
        };
        // A cycle that was made by hand has at most as many steps as there are entities.
        std::iter::successors(Some(id), next).take(self.entities.len()).last().unwrap_or(id)
    }

    /// Whether there is something left to do for an entity that is not put aside.
    pub fn is_open(&self, id: EntityId) -> bool {
        self.entity(id).is_some_and(|entity| !entity.archived && !entity.status.is_closed())
    }

    /// The entities that must be done before it and are open. Of what was superseded, the current version counts.
    pub fn open_prerequisites(&self, id: EntityId) -> impl Iterator<Item = EntityId> {
        let before = self.prerequisites(id).iter().map(|first| self.current(*first));
        let mut open: Vec<EntityId> =
            before.filter(|first| *first != id && self.is_open(*first)).collect();
        open.sort_unstable();
        open.dedup();
        open.into_iter()
    }

    /// The open entities before which it must be done, also those that wait for an older version of it.
    pub fn open_dependents(&self, id: EntityId) -> impl Iterator<Item = EntityId> {
        let before = |id: &EntityId| {
            let old = self.entity(*id)?.supersedes?;
            self.entity(old).filter(|old| old.superseded_by == Some(*id)).map(|old| old.id)
        };
        let versions = std::iter::successors(Some(id), before).take(self.entities.len());
        let mut waiting: Vec<EntityId> =
            versions.flat_map(|version| self.dependents(version).iter().copied()).collect();
        waiting.retain(|then| *then != id && self.is_open(*then));
        waiting.sort_unstable();
        waiting.dedup();
        waiting.into_iter()
    }

    /// Whether an open entity can be worked on: its status says so, and nothing must be done before it.
    pub fn can_go_on(&self, id: EntityId) -> bool {
        let is_stuck = |entity: &Entity| {
            matches!(entity.status.kind(), StatusKind::Blocked | StatusKind::Unknown)
        };
        let is_stuck = self.entity(id).is_some_and(is_stuck);
        self.is_open(id) && !is_stuck && self.open_prerequisites(id).next().is_none()
    }

    /// The highest number in use, by an entity or by the name of a note.
    pub(crate) fn highest_number(&self, kind: EntityKind) -> u32 {
        let prefix = self.words.ids().prefix(kind);
        prefix.and_then(|prefix| self.highest.get(&prefix).copied()).unwrap_or(0)
    }

    /// The entity with this id.
    ///
    /// # Errors
    /// [`ProjectError::NoSuchEntity`], [`ProjectError::Unreadable`] if its note cannot be read.
    pub fn require_entity(&self, id: EntityId) -> Result<&Entity, ProjectError> {
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
