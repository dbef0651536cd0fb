//! The answers of the operations on decisions and documents.

use toolwrit::Json;
use toolwrit_project::{Entity, EntityId, Freshness, Project};

use super::names;
use crate::operations::types;

/// Decisions. One that no longer exists is left out.
pub(super) fn decisions(project: &Project, ids: &[EntityId]) -> types::DecisionHistory {
    let decisions = ids.iter().filter_map(|id| project.entity(*id));
    let decision = |entity: &Entity| types::DecisionEntry {
        id: entity.id.to_string(),
        title: entity.title.clone(),
        status: entity.status_word.clone(),
        created: entity.created,
        workstream: project.workstream(entity.id).map(str::to_owned),
        decision: field_text(entity, "decision"),
        rationale: field_text(entity, "rationale"),
        decided_by: field_text(entity, "decided_by"),
        supersedes: entity.supersedes.map(|id| id.to_string()),
        superseded_by: entity.superseded_by.map(|id| id.to_string()),
    };
    types::DecisionHistory { decisions: decisions.map(decision).collect() }
}

/// The versions of a document. One that no longer exists is left out.
pub(super) fn versions(project: &Project, ids: &[EntityId]) -> types::DocumentHistory {
    let versions = ids.iter().filter_map(|id| project.entity(*id));
    let version = |entity: &Entity| types::DocumentVersion {
        id: entity.id.to_string(),
        title: entity.title.clone(),
        status: entity.status_word.clone(),
        path: entity.path.to_string(),
        version: field_text(entity, "version"),
        created: entity.created,
        change_summary: field_text(entity, "change_summary"),
        decisions: (!entity.decisions.is_empty()).then(|| names::ids_to_strings(&entity.decisions)),
    };
    types::DocumentHistory { versions: versions.map(version).collect() }
}

pub(super) fn freshness(project: &Project, checked: Vec<Freshness>) -> types::DocumentsFreshness {
    let document = |Freshness { id, changed }: Freshness| {
        let reason = |(id, reason): (EntityId, String)| types::FreshnessReason {
            id: id.to_string(),
            reason,
        };
        types::DocumentFreshness {
            id: id.to_string(),
            title: project.entity(id).map(|entity| entity.title.clone()).unwrap_or_default(),
            fresh: changed.is_empty(),
            changed: changed.into_iter().map(reason).collect(),
        }
    };
    types::DocumentsFreshness { documents: checked.into_iter().map(document).collect() }
}

/// A field as text. People also write versions as numbers.
fn field_text(entity: &Entity, field: &str) -> Option<String> {
    match entity.properties.get(field)? {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
