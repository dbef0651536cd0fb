//! How far a project is.

use std::collections::BTreeMap;

use toolwrit_vault::CancelCheck;

use crate::error::Result;
use crate::model::{Entity, EntityId, EntityKind, Status};
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

    fn group(self, entity: &Entity) -> (usize, &'static str) {
        match self {
            Self::Status => (entity.status as usize, entity.status.name()),
            Self::Kind => (entity.kind() as usize, entity.kind().name()),
            Self::Priority => match entity.priority {
                Some(priority) => (priority as usize, priority.name()),
                None => (usize::MAX, "none"),
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
    pub groups: Option<Vec<(&'static str, Vec<EntityId>)>>,
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
}

impl Workspace {
    /// How far the project is.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn overview(&self, options: &OverviewOptions, cancel: CancelCheck<'_>) -> Result<Overview> {
        let project = self.project(cancel)?;
        Ok(summarize(&project, options))
    }
}

fn summarize(project: &Project, options: &OverviewOptions) -> Overview {
    let wanted = options.workstream.as_ref().map(|name| name.trim().to_lowercase());
    let mut summary = Summary::default();
    // By their names in lower case; people write `Web` and `web`.
    let mut workstreams: BTreeMap<(bool, String), Vec<&Entity>> = BTreeMap::new();
    for entity in project.entities().filter(|entity| options.include_archived || !entity.archived) {
        let name = project.workstream(entity.id).map(str::to_lowercase);
        if wanted.is_some() && name != wanted {
            continue;
        }
        summary.count(entity);
        workstreams.entry((name.is_none(), name.unwrap_or_default())).or_default().push(entity);
    }
    let is_listed = |entity: &&&Entity| options.include_completed || !entity.status.is_done();
    let groups = wanted.map(|_| {
        let mut groups: BTreeMap<(usize, &'static str), Vec<EntityId>> = BTreeMap::new();
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
            health,
            reason,
        }
    });
    Overview { summary, workstreams: workstreams.collect(), groups }
}

/// Whether the work among some entities can go on, and why.
fn assess_health(project: &Project, entities: &[&Entity]) -> (Health, String) {
    let open: Vec<&&Entity> = entities
        .iter()
        .filter(|entity| entity.kind().is_work() && project.is_open(entity.id))
        .collect();
    let stuck: Vec<EntityId> =
        open.iter().map(|entity| entity.id).filter(|id| !project.can_go_on(*id)).collect();
    let blocked = open.iter().filter(|entity| entity.status == Status::Blocked).count();
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
