//! What stands in the way of a project, and what can be done next.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use toolwrit_vault::CancelCheck;

use crate::error::Result;
use crate::model::{Entity, EntityId, EntityKind, Field, Problem, Status};
use crate::project::{Project, shorten_ids};
use crate::workspace::Workspace;

/// What was found about some entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The entities that it is about.
    pub ids: Vec<EntityId>,
    /// Why it was found.
    pub reason: String,
}

/// What stands in the way of a project, and what can be done next. Archived entities are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Entities that hold up others, those that hold up most first, each with the longest chain of entities
    /// behind it.
    pub blockers: Vec<Finding>,
    /// Work that can begin: everything before it is done. The most urgent first.
    pub ready: Vec<Finding>,
    /// Open entities that have not changed for long, the oldest first.
    pub stale: Vec<Finding>,
    /// Stories and tasks that belong to nothing.
    pub orphans: Vec<Finding>,
    /// Entities without fields that they should have.
    pub missing_fields: Vec<Finding>,
    /// The longest chain of open entities, in the order in which they must be done; `None` if nothing
    /// waits for anything.
    pub critical_path: Option<Finding>,
    /// Entities whose fields do not fit those of others.
    pub contradictions: Vec<Finding>,
    /// What is wrong in notes and between them.
    pub problems: Vec<Problem>,
}

impl Workspace {
    /// Analyses the project. Open entities that have not changed for `stale_after` are stale.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn analyze(
        &self,
        now: Timestamp,
        stale_after: SignedDuration,
        cancel: CancelCheck<'_>,
    ) -> Result<Analysis> {
        let project = self.project(cancel)?;
        let chains = Chains::new(&project);
        Ok(Analysis {
            blockers: find_blockers(&project, &chains),
            ready: find_ready(&project),
            stale: find_stale(&project, now, stale_after),
            orphans: find_orphans(&project),
            missing_fields: find_missing_fields(&project),
            critical_path: chains.find_longest(),
            contradictions: active_entities(&project)
                .flat_map(|entity| find_contradictions(&project, entity))
                .collect(),
            problems: project.problems().to_vec(),
        })
    }
}

fn active_entities(project: &Project) -> impl Iterator<Item = &Entity> {
    project.entities().filter(|entity| !entity.archived)
}

/// For every open entity, the longest chain of open entities that must be done after it.
struct Chains {
    /// The length of the chain that starts with an entity, and the next entity in it.
    lengths: HashMap<EntityId, (usize, Option<EntityId>)>,
}

impl Chains {
    fn new(project: &Project) -> Self {
        let open_dependents =
            |id: EntityId| project.dependents(id).iter().copied().filter(|id| project.is_open(*id));
        let open = project.entities().map(|entity| entity.id).filter(|id| project.is_open(*id));
        let mut waiting: HashMap<EntityId, usize> =
            open.map(|id| (id, open_dependents(id).count())).collect();
        let is_last = |(id, count): (&EntityId, &usize)| (*count == 0).then_some(*id);
        let mut next: Vec<EntityId> = waiting.iter().filter_map(is_last).collect();
        let mut lengths: HashMap<EntityId, (usize, Option<EntityId>)> = HashMap::new();
        // From the ends of the chains to their starts. Entities in cycles are never reached.
        while let Some(id) = next.pop() {
            let longest =
                open_dependents(id).filter_map(|then| Some((lengths.get(&then)?.0, then)));
            let longest = longest.max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
            let (length, then) =
                longest.map_or((1, None), |(length, then)| (length + 1, Some(then)));
            lengths.insert(id, (length, then));
            for before in project.open_prerequisites(id) {
                if let Some(left) = waiting.get_mut(&before) {
                    *left -= 1;
                    if *left == 0 {
                        next.push(before);
                    }
                }
            }
        }
        Self { lengths }
    }

    /// The longest chain that starts with an entity.
    fn from(&self, id: EntityId) -> Vec<EntityId> {
        let after = |id: &EntityId| self.lengths.get(id).and_then(|(_, then)| *then);
        std::iter::successors(Some(id), after).collect()
    }

    /// The longest chain of all; of equal ones, the one with the lowest id.
    fn find_longest(&self) -> Option<Finding> {
        let chains = self.lengths.iter().map(|(id, (length, _))| (*length, *id));
        let (length, id) = chains.max_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)))?;
        let reason = format!("{length} open entities, of which each waits for the one before");
        (length > 1).then(|| Finding { ids: self.from(id), reason })
    }
}

/// Entities that hold up others and wait for none, and those that are marked as blocked.
fn find_blockers(project: &Project, chains: &Chains) -> Vec<Finding> {
    let is_first = |entity: &&Entity| {
        project.is_open(entity.id)
            && (entity.status == Status::Blocked
                || project.open_prerequisites(entity.id).next().is_none())
    };
    let found = project.entities().filter(is_first).filter_map(|entity| {
        let held_up = count_held_up(project, entity.id);
        let state = match entity.status {
            Status::Blocked => "is blocked",
            _ => "is open",
        };
        let reason = match held_up {
            0 if entity.status == Status::Blocked => format!("{} {state}", entity.id),
            0 => return None,
            count => format!("{} {state} and holds up {count}", entity.id),
        };
        Some((held_up, Finding { ids: chains.from(entity.id), reason }))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.ids.cmp(&b.1.ids)));
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// How many open entities wait for one, directly or not.
fn count_held_up(project: &Project, id: EntityId) -> usize {
    let mut seen = HashSet::from([id]);
    let mut next = vec![id];
    while let Some(id) = next.pop() {
        let dependents = project.dependents(id).iter().copied();
        let open = dependents.filter(|id| project.is_open(*id));
        next.extend(open.filter(|id| seen.insert(*id)));
    }
    seen.len() - 1
}

/// Work that has not begun, has no open parts and waits for nothing.
fn find_ready(project: &Project) -> Vec<Finding> {
    let is_ready = |entity: &&Entity| {
        entity.status == Status::Todo
            && project.can_go_on(entity.id)
            && !project.children(entity.id).iter().any(|child| project.is_open(*child))
    };
    let mut ready: Vec<&Entity> = active_entities(project).filter(is_ready).collect();
    ready.sort_by_key(|entity| (entity.priority.is_none(), entity.priority, entity.id));
    let finding = |entity: &Entity| {
        let reason = match project.prerequisites(entity.id).len() {
            0 => "it depends on nothing".to_owned(),
            1 => "what it depends on is done".to_owned(),
            count => format!("all {count} that it depends on are done"),
        };
        Finding { ids: vec![entity.id], reason }
    };
    ready.into_iter().map(finding).collect()
}

fn find_stale(project: &Project, now: Timestamp, after: SignedDuration) -> Vec<Finding> {
    let waits = |status| {
        matches!(status, Status::InProgress | Status::Blocked | Status::Pending | Status::Draft)
    };
    let age = |entity: &Entity| Some(now.duration_since(entity.updated?));
    let old = active_entities(project).filter(|entity| waits(entity.status));
    let old = old.filter_map(|entity| Some((age(entity)?, entity)));
    let mut old: Vec<_> = old.filter(|(age, _)| *age >= after).collect();
    old.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    let finding = |(age, entity): (SignedDuration, &Entity)| {
        let days = age.as_hours() / 24;
        let reason = format!("{} for {days} days without a change", entity.status);
        Finding { ids: vec![entity.id], reason }
    };
    old.into_iter().map(finding).collect()
}

fn find_orphans(project: &Project) -> Vec<Finding> {
    let needs_parent = |kind| matches!(kind, EntityKind::Story | EntityKind::Task);
    let finding = |entity: &Entity| {
        let reason = match entity.parent {
            Some(parent) if project.entity(parent).is_none() => {
                format!("its parent {parent} does not exist")
            }
            Some(_) => return None,
            None => format!("the {} has no parent", entity.kind()),
        };
        Some(Finding { ids: vec![entity.id], reason })
    };
    active_entities(project)
        .filter(|entity| needs_parent(entity.kind()))
        .filter_map(finding)
        .collect()
}

fn find_missing_fields(project: &Project) -> Vec<Finding> {
    let finding = |entity: &Entity| {
        let expected: &[Field] = match (entity.kind(), entity.status) {
            (EntityKind::Decision, Status::Decided) => {
                &[Field::Title, Field::Status, Field::Decision, Field::Rationale, Field::DecidedBy]
            }
            (EntityKind::Decision, _) => &[Field::Title, Field::Status, Field::Context],
            (EntityKind::Document, _) => &[Field::Title, Field::Status, Field::Version],
            _ => &[Field::Title, Field::Status, Field::Workstream, Field::Priority],
        };
        let has = |field: Field| match field {
            Field::Workstream => project.workstream(entity.id).is_some(),
            field => entity.properties.get(field.name()).is_some_and(|value| !value.is_null()),
        };
        let missing: Vec<_> =
            expected.iter().filter(|field| !has(**field)).map(|field| field.name()).collect();
        let reason = format!("it has no {}", missing.join(", "));
        (!missing.is_empty()).then(|| Finding { ids: vec![entity.id], reason })
    };
    active_entities(project).filter_map(finding).collect()
}

/// Fields of an entity that do not fit those of others.
fn find_contradictions(project: &Project, entity: &Entity) -> Vec<Finding> {
    let id = entity.id;
    let mut found = Vec::new();
    let mut add = |others: Vec<EntityId>, reason: String| {
        if !others.is_empty() {
            let ids = [id].into_iter().chain(others).collect();
            found.push(Finding { ids, reason });
        }
    };
    if entity.status.is_done() {
        let children: Vec<_> =
            project.children(id).iter().copied().filter(|child| project.is_open(*child)).collect();
        add(
            children.clone(),
            format!("{id} is done, and below it are open: {}", shorten_ids(&children)),
        );
        let before: Vec<_> = project.open_prerequisites(id).collect();
        add(
            before.clone(),
            format!("{id} is done, and before it are open: {}", shorten_ids(&before)),
        );
    }
    if let Some(parent) = entity.parent.and_then(|parent| project.entity(parent))
        && parent.archived
        && project.is_open(id)
    {
        add(vec![parent.id], format!("{id} is open, and its parent {} is archived", parent.id));
    }
    let superseding = entity.superseded_by.and_then(|by| project.entity(by));
    if let Some(by) = superseding.filter(|by| by.supersedes != Some(id)) {
        add(vec![by.id], format!("{id} is superseded by {}, which does not say so", by.id));
    }
    if let Some(old) = entity.supersedes.and_then(|old| project.entity(old))
        && (old.superseded_by != Some(id) || old.status != Status::Superseded)
    {
        add(vec![old.id], format!("{id} supersedes {}, which does not say so", old.id));
    }
    if entity.status == Status::Superseded && entity.superseded_by.is_none() {
        let reason = format!("{id} is superseded, and does not say by what");
        found.push(Finding { ids: vec![id], reason });
    }
    found
}
