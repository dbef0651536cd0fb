//! How far a project is.

use std::collections::{BTreeMap, HashSet};

use toolwrit_vault::{CancelCheck, VaultPath};

use crate::canvas::Canvas;
use crate::error::Result;
use crate::model::{Entity, EntityId, EntityKind, InlineTask, Status, StatusKind};
use crate::project::{Project, shorten_ids};
use crate::workspace::Workspace;

/// What an overview includes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OverviewOptions {
    /// Only this workstream, in any case, with its groups.
    pub workstream: Option<String>,
    /// What the entities of that workstream are grouped by.
    pub group_by: GroupBy,
    /// Whether entities that are done are listed. They are counted in any case.
    pub include_completed: bool,
    /// Whether archived entities are listed and counted.
    pub include_archived: bool,
    /// Only what is shown on this canvas.
    pub canvas: Option<VaultPath>,
}

/// What entities are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupBy {
    /// Their status.
    #[default]
    Status,
    /// Their kind.
    Kind,
    /// Their priority.
    Priority,
}

impl GroupBy {
    /// Its name in answers: `status`, `type` or `priority`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Kind => "type",
            Self::Priority => "priority",
        }
    }

    fn group(self, entity: &Entity) -> (usize, String) {
        match self {
            Self::Status => (entity.status as usize, entity.status_word.clone()),
            Self::Kind => (entity.kind() as usize, entity.kind().name().to_owned()),
            Self::Priority => match entity.priority {
                Some(priority) => (priority as usize, priority.name().to_owned()),
                None => (usize::MAX, "none".to_owned()),
            },
        }
    }
}

/// How far a project is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// How many entities there are.
    pub summary: Summary,
    /// The workstreams in the order of their names; entities without one come last.
    pub workstreams: Vec<WorkstreamOverview>,
    /// The groups of the workstream that was asked for, in their order.
    pub groups: Option<Vec<(String, Vec<EntityId>)>>,
}

/// How many entities there are, by kind and status.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    pub milestones: WorkCount,
    pub stories: WorkCount,
    pub tasks: WorkCount,
    /// All decisions.
    pub decisions: usize,
    /// Decisions that are still to be made.
    pub pending: usize,
    /// Decisions that were made.
    pub decided: usize,
    /// All documents.
    pub documents: usize,
    /// Documents that are being written.
    pub draft: usize,
    /// Documents that apply.
    pub approved: usize,
    /// Entities that will not be done.
    pub dropped: usize,
    /// Entities whose status is no known word.
    pub unknown: usize,
    /// Tasks in the texts of notes: all, and those that are done.
    pub inline_tasks: (usize, usize),
}

/// How much work there is of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkCount {
    /// All of it.
    pub total: usize,
    /// What is done.
    pub completed: usize,
    /// What has begun.
    pub in_progress: usize,
    /// What cannot go on.
    pub blocked: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkstreamOverview {
    /// Its name; `None` for the entities without one.
    pub name: Option<String>,
    pub milestones: Vec<EntityId>,
    pub stories: Vec<EntityId>,
    pub tasks: Vec<EntityId>,
    /// How many entities there are, listed or not.
    pub total: usize,
    /// How many of them are done.
    pub completed: usize,
    /// Whether its work can go on.
    pub health: Health,
    /// Why.
    pub reason: String,
}

/// Whether the work of a workstream can go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Nothing stands in the way.
    Healthy,
    /// Some of it cannot go on.
    AtRisk,
    /// None of it can go on.
    Blocked,
}

impl Health {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::AtRisk => "at_risk",
            Self::Blocked => "blocked",
        }
    }
}

impl Summary {
    fn count(&mut self, entity: &Entity) {
        self.dropped += usize::from(entity.status == Status::Dropped);
        self.unknown += usize::from(entity.status == Status::Unknown);
        let work = match entity.kind() {
            EntityKind::Milestone => &mut self.milestones,
            EntityKind::Story => &mut self.stories,
            EntityKind::Task => &mut self.tasks,
            EntityKind::Decision => {
                self.decisions += 1;
                self.pending += usize::from(entity.status == Status::Pending);
                self.decided += usize::from(entity.status == Status::Decided);
                return;
            }
            EntityKind::Document => {
                self.documents += 1;
                self.draft += usize::from(entity.status == Status::Draft);
                self.approved += usize::from(entity.status == Status::Approved);
                return;
            }
        };
        work.total += 1;
        work.completed += usize::from(entity.status == Status::Completed);
        work.in_progress += usize::from(entity.status == Status::InProgress);
        work.blocked += usize::from(entity.status == Status::Blocked);
    }

    fn count_tasks<'t>(&mut self, tasks: impl IntoIterator<Item = &'t InlineTask>) {
        for task in tasks {
            self.inline_tasks.0 += 1;
            self.inline_tasks.1 += usize::from(!task.is_open());
        }
    }
}

impl Workspace {
    /// How far the project is.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn overview(&self, options: &OverviewOptions, cancel: CancelCheck<'_>) -> Result<Overview> {
        let project = self.project(cancel)?;
        let shown = options.canvas.as_ref().map(|canvas| self.notes_on(canvas)).transpose()?;
        Ok(summarize(&project, options, shown.as_ref()))
    }

    /// The notes that a canvas shows.
    fn notes_on(&self, canvas: &VaultPath) -> Result<HashSet<String>> {
        let text = self.vault().read(canvas, None)?.content;
        Canvas::parse(canvas, Some(&text))?.notes()
    }
}

fn summarize(
    project: &Project,
    options: &OverviewOptions,
    shown: Option<&HashSet<String>>,
) -> Overview {
    // A canvas that shows no entity yet only says which workspace is meant.
    let shows_some = |shown: &&HashSet<String>| {
        project.entities().any(|entity| shown.contains(entity.path.as_str()))
    };
    let shown = shown.filter(shows_some);
    let wanted = options.workstream.as_ref().map(|name| name.trim().to_lowercase());
    let mut summary = Summary::default();
    // By their names in lower case; people write `Web` and `web`.
    let mut workstreams: BTreeMap<(bool, String), Vec<&Entity>> = BTreeMap::new();
    let is_shown = |entity: &&Entity| {
        (options.include_archived || !entity.archived)
            && shown.is_none_or(|shown| shown.contains(entity.path.as_str()))
    };
    for entity in project.entities().filter(is_shown) {
        let name = project.workstream(entity.id).map(str::to_lowercase);
        if wanted.is_some() && name != wanted {
            continue;
        }
        summary.count(entity);
        if wanted.is_some() || shown.is_some() {
            summary.count_tasks(&entity.inline_tasks);
        }
        workstreams.entry((name.is_none(), name.unwrap_or_default())).or_default().push(entity);
    }
    if wanted.is_none() && shown.is_none() {
        project.inline_tasks().iter().for_each(|(_, task)| summary.count_tasks([task]));
    }
    for entities in workstreams.values_mut() {
        entities.sort_by_key(|entity| urgency(entity));
    }
    let is_listed = |entity: &&&Entity| options.include_completed || !entity.status.is_closed();
    let groups = wanted.map(|_| {
        let mut groups: BTreeMap<(usize, String), Vec<EntityId>> = BTreeMap::new();
        for entity in workstreams.values().flatten().filter(is_listed) {
            groups.entry(options.group_by.group(entity)).or_default().push(entity.id);
        }
        groups.into_iter().map(|((_, name), ids)| (name, ids)).collect()
    });
    let workstreams = workstreams.into_values().map(|entities| {
        let of = |kind: EntityKind| {
            let listed = entities.iter().filter(is_listed).filter(|entity| entity.kind() == kind);
            listed.map(|entity| entity.id).collect()
        };
        let (health, reason) = assess_health(project, &entities);
        WorkstreamOverview {
            name: entities
                .first()
                .and_then(|entity| project.workstream(entity.id))
                .map(str::to_owned),
            milestones: of(EntityKind::Milestone),
            stories: of(EntityKind::Story),
            tasks: of(EntityKind::Task),
            total: entities.len(),
            completed: entities.iter().filter(|entity| entity.status.is_done()).count(),
            health,
            reason,
        }
    });
    Overview { summary, workstreams: workstreams.collect(), groups }
}

/// What comes first in a list: what somebody works on, what is stuck, then the most urgent.
fn urgency(entity: &Entity) -> impl Ord + use<> {
    let state = match entity.status.kind() {
        StatusKind::Doing => 0,
        StatusKind::Blocked => 1,
        StatusKind::Unknown => 2,
        StatusKind::Todo => 3,
        StatusKind::Done => 4,
        StatusKind::Dropped => 5,
    };
    (state, entity.priority.is_none(), entity.priority, entity.id)
}

/// Whether the work among some entities can go on, and why.
fn assess_health(project: &Project, entities: &[&Entity]) -> (Health, String) {
    let open: Vec<&&Entity> = entities
        .iter()
        .filter(|entity| entity.kind().is_work() && project.is_open(entity.id))
        .collect();
    let stuck: Vec<EntityId> =
        open.iter().map(|entity| entity.id).filter(|id| !project.can_go_on(*id)).collect();
    let is_stuck = |entity: &&&&Entity| matches!(entity.status, Status::Blocked | Status::Unknown);
    let blocked = open.iter().filter(is_stuck).count();
    let ids = shorten_ids(&stuck);
    match (open.len(), stuck.len()) {
        (0, _) => (Health::Healthy, "no work is open".to_owned()),
        (open, stuck) if open == stuck => {
            (Health::Blocked, format!("none of the open work can go on: {ids}"))
        }
        (open, stuck) if blocked > 0 => {
            let reason = format!("{stuck} of {open} open items cannot go on: {ids}");
            (Health::AtRisk, reason)
        }
        (open, 0) => (Health::Healthy, format!("all of the {open} open items can go on")),
        (open, stuck) => {
            let reason = format!("{stuck} of {open} open items wait for others: {ids}");
            (Health::Healthy, reason)
        }
    }
}
