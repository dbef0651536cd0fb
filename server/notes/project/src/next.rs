//! What can begin, and what to do next.

use std::cmp::Reverse;
use std::collections::HashSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::model::{Entity, EntityId, EntityKind, Status};
use crate::project::{Project, shorten_ids};

/// What was found about some entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The entities that it is about.
    pub ids: Vec<EntityId>,
    /// Why it was found.
    pub reason: String,
}

/// Whether an entity belongs to a workstream, in any case.
pub(crate) fn is_of(project: &Project, id: EntityId, name: &str) -> bool {
    project.workstream(id).is_some_and(|own| own.to_lowercase() == name.trim().to_lowercase())
}

/// How many open entities wait for one, directly or not.
pub(crate) fn count_held_up(project: &Project, id: EntityId) -> usize {
    let mut seen = HashSet::from([id]);
    let mut next = vec![id];
    while let Some(id) = next.pop() {
        next.extend(project.open_dependents(id).filter(|id| seen.insert(*id)));
    }
    seen.len() - 1
}

/// Work that has not begun, has no open parts and waits for nothing; the most urgent first.
pub(crate) fn find_ready(project: &Project) -> Vec<&Entity> {
    let is_ready = |entity: &&Entity| {
        entity.status == Status::Todo
            && project.can_go_on(entity.id)
            && !project.children(entity.id).iter().any(|child| project.is_open(*child))
    };
    let mut ready: Vec<&Entity> = project.entities().filter(is_ready).collect();
    ready.sort_by_key(|entity| (entity.priority.is_none(), entity.priority, entity.id));
    ready
}

pub(crate) fn describe_ready(project: &Project, entity: &Entity) -> Finding {
    let before = project.prerequisites(entity.id);
    // What was dropped or put aside does not hold up others, but it was not done.
    let undone: Vec<EntityId> = before
        .iter()
        .map(|id| project.current(*id))
        .filter(|id| project.entity(*id).is_some_and(|entity| !entity.status.is_done()))
        .collect();
    let reason = match before.len() {
        0 => "it depends on nothing".to_owned(),
        _ if !undone.is_empty() => {
            format!(
                "nothing before it is open; dropped or archived undone: {}",
                shorten_ids(&undone)
            )
        }
        1 => "what it depends on is done".to_owned(),
        count => format!("all {count} that it depends on are done"),
    };
    Finding { ids: vec![entity.id], reason }
}

/// The one to work on next: tasks before what they are parts of, then what is overdue or due first, what is most
/// urgent, and what holds up most.
pub(crate) fn find_next(
    project: &Project,
    ready: &[&Entity],
    now: Timestamp,
    workstream: Option<&str>,
) -> Option<Finding> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let held_up = |entity: &Entity| count_held_up(project, entity.id);
    let wanted =
        ready.iter().filter(|entity| workstream.is_none_or(|name| is_of(project, entity.id, name)));
    let next = wanted.min_by_key(|entity| {
        let is_overdue = entity.due.is_some_and(|due| due < today);
        (
            entity.kind() != EntityKind::Task,
            !is_overdue,
            entity.priority.is_none(),
            entity.priority,
            entity.due.is_none(),
            entity.due,
            Reverse(held_up(entity)),
            entity.id,
        )
    })?;
    let mut reasons = Vec::new();
    match next.due {
        Some(due) if due < today => reasons.push(format!("it was due on {due}")),
        Some(due) => reasons.push(format!("it is due on {due}")),
        None => {}
    }
    if let Some(priority) = next.priority {
        reasons.push(format!("its priority is {priority}"));
    }
    match held_up(next) {
        0 => {}
        count => reasons.push(format!("it holds up {count}")),
    }
    reasons.push(describe_ready(project, next).reason);
    Some(Finding { ids: vec![next.id], reason: reasons.join("; ") })
}
