//! Decisions and documents: their histories, and whether documents are up to date.

use std::collections::HashSet;

use serde_json::Value as Json;
use toolwrit_vault::CancelCheck;

use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityId, EntityKind, Field};
use crate::project::Project;
use crate::workspace::Workspace;

/// Which decisions a history has.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecisionFilter {
    /// Words that all occur in the decision, in any case.
    pub topic: Option<String>,
    /// The workstream, in any case.
    pub workstream: Option<String>,
    /// Whether superseded decisions are included.
    pub include_superseded: bool,
    /// Whether archived decisions are included.
    pub include_archived: bool,
}

/// Whether a document is up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freshness {
    /// The document.
    pub id: EntityId,
    /// What has changed since the document did, each with its reason; empty if it is up to date.
    pub changed: Vec<(EntityId, String)>,
}

impl Workspace {
    /// The decisions in the order in which they were made, those without a time last.
    ///
    /// # Errors
    /// As [`project`](Self::project).
    pub fn decision_history(
        &self,
        filter: &DecisionFilter,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<EntityId>> {
        let project = self.project(cancel)?;
        let decisions = project.entities().filter(|entity| entity.kind() == EntityKind::Decision);
        let mut found: Vec<&Entity> =
            decisions.filter(|decision| filter.accepts(decision, &project)).collect();
        found.sort_by_key(|decision| (decision.created.is_none(), decision.created, decision.id));
        Ok(found.into_iter().map(|decision| decision.id).collect())
    }

    /// All versions of a document, the oldest first: what it supersedes, itself, and what supersedes it. The
    /// same for a decision.
    ///
    /// # Errors
    /// `NoSuchEntity`, `Unreadable`; otherwise as [`project`](Self::project).
    pub fn document_history(&self, id: EntityId, cancel: CancelCheck<'_>) -> Result<Vec<EntityId>> {
        let project = self.project_with(id, cancel)?;
        let mut seen = HashSet::from([id]);
        let mut follow = |next: &dyn Fn(EntityId) -> Option<EntityId>| {
            let mut found = Vec::new();
            let mut at = id;
            // A cycle that was made by hand ends where it began.
            while let Some(other) = next(at).filter(|other| seen.insert(*other)) {
                found.push(other);
                at = other;
            }
            found
        };
        let before = |id| {
            let before = project.entity(id)?.supersedes?;
            project.entity(before).map(|entity| entity.id)
        };
        let after = |id| {
            let by = project.entity(id)?.superseded_by?;
            project.entity(by).map(|entity| entity.id)
        };
        let (mut versions, later) = (follow(&before), follow(&after));
        versions.reverse();
        versions.push(id);
        versions.extend(later);
        Ok(versions)
    }

    /// Whether documents are up to date: this one, or all that are neither superseded nor archived. A document
    /// is not if a decision behind it, or something that it depends on, has changed after it.
    ///
    /// # Errors
    /// `InvalidField` if it is no document, `NoSuchEntity`, `Unreadable`; otherwise as
    /// [`project`](Self::project).
    pub fn check_freshness(
        &self,
        document: Option<EntityId>,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<Freshness>> {
        if let Some(id) = document {
            check_document(id)?;
            let project = self.project_with(id, cancel)?;
            return Ok(vec![assess_freshness(project.require_entity(id)?, &project)]);
        }
        let project = self.project(cancel)?;
        let is_current = |entity: &&Entity| {
            entity.kind() == EntityKind::Document
                && !entity.archived
                && entity.superseded_by.is_none()
        };
        let current = project.entities().filter(is_current);
        Ok(current.map(|document| assess_freshness(document, &project)).collect())
    }
}

impl DecisionFilter {
    fn accepts(&self, decision: &Entity, project: &Project) -> bool {
        let is_about = |topic: &str| {
            let fields = [Field::Title, Field::Context, Field::Decision, Field::Rationale];
            let texts = fields.iter().filter_map(|field| decision.properties.get(field.name()));
            let texts: Vec<&str> = texts.filter_map(Json::as_str).collect();
            let text = format!("{} {}", decision.id, texts.join(" ")).to_lowercase();
            topic.split_whitespace().all(|word| text.contains(&word.to_lowercase()))
        };
        let is_of = |name: &str| {
            let workstream = project.workstream(decision.id).map(str::to_lowercase);
            workstream == Some(name.trim().to_lowercase())
        };
        (self.include_archived || !decision.archived)
            && (self.include_superseded || decision.superseded_by.is_none())
            && self.topic.as_deref().is_none_or(is_about)
            && self.workstream.as_deref().is_none_or(is_of)
    }
}

/// Refuses an id that is not of a document.
pub(crate) fn check_document(id: EntityId) -> Result<()> {
    if id.kind() == EntityKind::Document {
        return Ok(());
    }
    let (field, reason) = ("document_id".to_owned(), format!("{id} is no document"));
    Err(ProjectError::InvalidField { field, reason })
}

fn assess_freshness(document: &Entity, project: &Project) -> Freshness {
    let mut changed = Vec::new();
    if let Some(by) = document.superseded_by {
        changed.push((by, format!("it supersedes {}", document.id)));
    }
    let is_later = |entity: &Entity| entity.updated > document.updated;
    for decision in document.decisions.iter().filter_map(|id| project.entity(*id)) {
        match decision.superseded_by {
            Some(by) => changed.push((decision.id, format!("it is superseded by {by}"))),
            None if is_later(decision) => changed.push((decision.id, describe_later(decision))),
            None => {}
        }
    }
    let before = project.prerequisites(document.id).iter();
    let before = before.filter(|id| !document.decisions.contains(id));
    for entity in before.filter_map(|id| project.entity(*id)).filter(|entity| is_later(entity)) {
        changed.push((entity.id, describe_later(entity)));
    }
    Freshness { id: document.id, changed }
}

fn describe_later(entity: &Entity) -> String {
    match entity.updated {
        Some(time) => format!("it changed later, at {time}"),
        None => "it changed later".to_owned(),
    }
}
