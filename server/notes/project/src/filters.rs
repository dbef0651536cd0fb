//! Which entities a search keeps, and their order.

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value as Json;
use toolwrit_text::{nearest, shorten};

use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityId, EntityKind, Priority, Status, StatusKind};
use crate::project::Project;

/// Which entities to keep. An empty list keeps all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// Entities of these kinds.
    pub kinds: Vec<EntityKind>,
    /// Entities with these statuses: names of statuses, the team's words, or kinds of statuses.
    pub statuses: Vec<String>,
    /// Entities of these workstreams, their own or that of an entity above, in any case.
    pub workstreams: Vec<String>,
    /// Entities that are archived, or not.
    pub archived: Archived,
    /// Entities with this tag, in any case, or one below it.
    pub tag: Option<String>,
    /// Entities with these priorities: names of priorities, or the team's words.
    pub priorities: Vec<String>,
    /// Entities of these people, in any case.
    pub assignees: Vec<String>,
    /// Entities with one of these labels, in any case.
    pub labels: Vec<String>,
    /// Entities with this parent.
    pub parent: Option<EntityId>,
    /// Entities that must be done before this day.
    pub due_before: Option<Date>,
}

/// What found entities are sorted by. Those without it come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    /// The first day first.
    Due,
    /// The most urgent first.
    Priority,
    /// What changed last first.
    Updated,
    /// What was created last first.
    Created,
    /// By name.
    Title,
    /// By name.
    Assignee,
    /// By number, otherwise by text.
    Estimate,
}

/// Whether archived entities are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Archived {
    /// They are left out.
    #[default]
    Exclude,
    /// Only they are kept.
    Only,
    /// They are kept like others.
    Include,
}

impl Filters {
    pub(crate) fn accepts(&self, entity: &Entity, project: &Project) -> bool {
        let is_of = |name: &str| {
            let workstream = project.workstream(entity.id);
            workstream.is_some_and(|known| known.to_lowercase() == name.trim().to_lowercase())
        };
        let is_below = |tag: &str| {
            let wanted = tag.trim_start_matches('#').to_lowercase();
            entity.tags.iter().any(|tag| {
                let tag = tag.to_lowercase();
                tag.strip_prefix(&wanted)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let is_archived = match self.archived {
            Archived::Exclude => !entity.archived,
            Archived::Only => entity.archived,
            Archived::Include => true,
        };
        let words = project.words();
        let has_status = |name: &String| {
            if let Some((word, _)) = words.own_status(name) {
                return entity.status_word.eq_ignore_ascii_case(word);
            }
            match (Status::from_name(name), StatusKind::from_name(name)) {
                (_, Some(StatusKind::Done)) => entity.status.is_done(),
                (Some(status), _) => entity.status == status,
                (None, Some(kind)) => entity.status.kind() == kind,
                (None, None) => entity.status_word.eq_ignore_ascii_case(name.trim()),
            }
        };
        let has_priority = |name: &String| words.priority(name) == Some(entity.priority);
        let is_one_of = |wanted: &[String], own: &[String]| {
            let fold = |name: &String| name.trim().trim_start_matches('@').to_lowercase();
            wanted.is_empty()
                || wanted.iter().any(|name| own.iter().any(|own| fold(own) == fold(name)))
        };
        is_archived
            && (self.priorities.is_empty() || self.priorities.iter().any(has_priority))
            && is_one_of(&self.assignees, &entity.assignees)
            && is_one_of(&self.labels, &entity.labels)
            && self.parent.is_none_or(|parent| entity.parent == Some(parent))
            && self.due_before.is_none_or(|day| entity.due.is_some_and(|due| due < day))
            && (self.kinds.is_empty() || self.kinds.contains(&entity.kind()))
            && (self.statuses.is_empty() || self.statuses.iter().any(has_status))
            && (self.workstreams.is_empty() || self.workstreams.iter().any(|name| is_of(name)))
            && self.tag.as_deref().is_none_or(is_below)
    }
}

impl Filters {
    /// Refuses words that are neither statuses nor priorities.
    pub(crate) fn check(&self, project: &Project) -> Result<()> {
        let words = project.words();
        let is_status = |name: &&String| {
            StatusKind::from_name(name).is_some()
                || words.own_status(name).is_some()
                || Status::from_name(name).is_some()
                || project
                    .entities()
                    .any(|entity| entity.status_word.eq_ignore_ascii_case(name.trim()))
        };
        let unknown = |names: &[String], is_known: &dyn Fn(&&String) -> bool| {
            let at = names.iter().position(|name| !is_known(&name))?;
            Some((at, names[at].clone()))
        };
        if let Some((at, name)) = unknown(&self.statuses, &is_status) {
            let own: Vec<&str> =
                EntityKind::ALL.iter().flat_map(|kind| words.status_names(*kind)).collect();
            return Err(unknown_name(&format!("status/{at}"), &name, own));
        }
        let is_priority = |name: &&String| words.priority(name).is_some();
        if let Some((at, name)) = unknown(&self.priorities, &is_priority) {
            let known = Priority::ALL.map(Priority::name).to_vec();
            return Err(unknown_name(&format!("priority/{at}"), &name, known));
        }
        Ok(())
    }
}

fn unknown_name(field: &str, name: &str, known: Vec<&str>) -> ProjectError {
    let mut expected: Vec<String> = Vec::new();
    for name in known {
        if !expected.iter().any(|other| other == name) {
            expected.push(name.to_owned());
        }
    }
    ProjectError::InvalidChoice {
        field: field.to_owned(),
        similar: nearest::closest(name, expected.iter().map(String::as_str)),
        got: Json::from(shorten::name(name)).to_string(),
        expected,
    }
}

impl SortBy {
    /// Sorts as the values do; those that are missing come last.
    pub(crate) fn key(self, entity: &Entity) -> (bool, i64, String) {
        let number =
            |number: Option<i64>| (number.is_none(), number.unwrap_or_default(), String::new());
        let text = |text: Option<&str>| {
            (text.is_none(), 0, text.map(str::to_lowercase).unwrap_or_default())
        };
        let latest = |time: Option<Timestamp>| number(time.map(|time| -time.as_second()));
        match self {
            Self::Due => text(entity.due.map(|day| day.to_string()).as_deref()),
            Self::Priority => number(entity.priority.map(|priority| priority as i64)),
            Self::Updated => latest(entity.updated),
            Self::Created => latest(entity.created),
            Self::Title => text(Some(&entity.title)),
            Self::Assignee => text(entity.assignees.first().map(String::as_str)),
            Self::Estimate => {
                let estimate = entity.estimate.as_deref();
                let hundredths = estimate.and_then(|text| text.parse::<f64>().ok());
                #[expect(clippy::cast_possible_truncation, reason = "a cast of a float saturates")]
                match hundredths {
                    Some(value) => number(Some((value * 100.0) as i64)),
                    None => text(estimate),
                }
            }
        }
    }
}
