//! What stands in the way of a project, and what can be done next.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use toolwrit_vault::{CancelCheck, VaultPath};

use crate::error::Result;
use crate::model::{Entity, EntityId, EntityKind, Field, InlineTask, Problem, Status};
use crate::next::{Finding, count_held_up, describe_ready, find_next, find_ready, is_of};
use crate::project::{Project, shorten_ids};
use crate::workspace::Workspace;

/// Most entities above one that are looked at.
const MOST_LEVELS: usize = 100;

/// What stands in the way of a project, and what can be done next. Archived entities are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Entities that hold up others, those that hold up most first, each with the longest chain of entities
    /// behind it.
    pub blockers: Vec<Finding>,
    /// Work that can begin: nothing before it is open. The most urgent first.
    pub ready: Vec<Finding>,
    /// What to do next: what is due, what holds up most, or what is most urgent.
    pub next: Option<Finding>,
    /// Entities whose status is no known word.
    pub unknown: Vec<Finding>,
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
    /// Open tasks in the texts of notes.
    pub inline_tasks: Vec<(VaultPath, InlineTask)>,
    /// What is wrong in notes and between them.
    pub problems: Vec<Problem>,
}

impl Workspace {
    /// Analyses the project, or one workstream of it. Open entities that have not changed for `stale_after` are
    /// stale.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn analyze(
        &self,
        now: Timestamp,
        stale_after: SignedDuration,
        workstream: Option<&str>,
        cancel: CancelCheck<'_>,
    ) -> Result<Analysis> {
        let project = self.project(cancel)?;
        let chains = Chains::new(&project);
        let ready = find_ready(&project);
        let analysis = Analysis {
            blockers: find_blockers(&project, &chains),
            next: find_next(&project, &ready, now, workstream),
            ready: ready.into_iter().map(|entity| describe_ready(&project, entity)).collect(),
            unknown: find_unknown(&project),
            stale: find_stale(&project, now, stale_after),
            orphans: find_orphans(&project),
            missing_fields: find_missing_fields(&project),
            critical_path: chains.find_longest(),
            contradictions: active_entities(&project)
                .flat_map(|entity| find_contradictions(&project, entity))
                .collect(),
            inline_tasks: project
                .inline_tasks()
                .iter()
                .filter(|(_, task)| task.is_open())
                .cloned()
                .collect(),
            problems: project.problems().to_vec(),
        };
        Ok(match workstream {
            Some(name) => analysis.keep_workstream(&project, name),
            None => analysis,
        })
    }
}

impl Analysis {
    /// Only what is about entities of a workstream.
    fn keep_workstream(mut self, project: &Project, name: &str) -> Self {
        let is_in = |id: &EntityId| is_of(project, *id, name);
        let lists = [
            &mut self.blockers,
            &mut self.ready,
            &mut self.unknown,
            &mut self.stale,
            &mut self.orphans,
            &mut self.missing_fields,
            &mut self.contradictions,
        ];
        for list in lists {
            list.retain(|finding| finding.ids.first().is_some_and(is_in));
        }
        self.critical_path = self.critical_path.filter(|path| path.ids.iter().any(is_in));
        self.problems.retain(|problem| problem.id.as_ref().is_none_or(is_in));
        self.inline_tasks.retain(|(path, _)| {
            project.entities().any(|entity| entity.path == *path && is_in(&entity.id))
        });
        self
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
        let open_dependents = |id: EntityId| project.open_dependents(id);
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

/// Entities whose status nobody knows: they are neither ready nor done.
fn find_unknown(project: &Project) -> Vec<Finding> {
    let unknown = active_entities(project).filter(|entity| entity.status == Status::Unknown);
    let finding = |entity: &Entity| {
        let reason = format!("`{}` is no status that is known", entity.status_word);
        Finding { ids: vec![entity.id], reason }
    };
    unknown.map(finding).collect()
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
    let (mut found, mut alone) = (Vec::new(), Vec::new());
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
    if project.is_open(id) {
        let above = |id: &EntityId| project.entity(*id)?.parent;
        // A cycle of parents is reported as such.
        let above: Vec<EntityId> =
            std::iter::successors(entity.parent, above).take(MOST_LEVELS).collect();
        let waits: Vec<_> =
            project.open_prerequisites(id).filter(|first| above.contains(first)).collect();
        let reason = format!(
            "{id} waits for {}, of which it is a part: neither can be done first",
            shorten_ids(&waits)
        );
        add(waits, reason);
    }
    if entity.status == Status::Pending && entity.properties.contains_key(Field::Decision.name()) {
        let reason = format!("{id} is pending, and says what was decided");
        alone.push(Finding { ids: vec![id], reason });
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
        alone.push(Finding { ids: vec![id], reason });
    }
    found.append(&mut alone);
    found
}
