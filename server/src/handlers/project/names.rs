//! Kinds, statuses and entities under the names of the manifest.

use toolwrit_project::{Entity, EntityId, EntityKind, Project, Status};

use crate::operations::types;

pub(super) fn to_kind(kind: types::EntityType) -> EntityKind {
    match kind {
        types::EntityType::Milestone => EntityKind::Milestone,
        types::EntityType::Story => EntityKind::Story,
        types::EntityType::Task => EntityKind::Task,
        types::EntityType::Decision => EntityKind::Decision,
        types::EntityType::Document => EntityKind::Document,
    }
}

pub(super) fn to_status(status: types::EntityStatus) -> Status {
    match status {
        types::EntityStatus::Todo => Status::Todo,
        types::EntityStatus::InProgress => Status::InProgress,
        types::EntityStatus::Blocked => Status::Blocked,
        types::EntityStatus::Completed => Status::Completed,
        types::EntityStatus::Pending => Status::Pending,
        types::EntityStatus::Decided => Status::Decided,
        types::EntityStatus::Draft => Status::Draft,
        types::EntityStatus::Approved => Status::Approved,
        types::EntityStatus::Superseded => Status::Superseded,
    }
}

pub(super) fn from_status(status: Status) -> types::EntityStatus {
    match status {
        Status::Todo => types::EntityStatus::Todo,
        Status::InProgress => types::EntityStatus::InProgress,
        Status::Blocked => types::EntityStatus::Blocked,
        Status::Completed => types::EntityStatus::Completed,
        Status::Pending => types::EntityStatus::Pending,
        Status::Decided => types::EntityStatus::Decided,
        Status::Draft => types::EntityStatus::Draft,
        Status::Approved => types::EntityStatus::Approved,
        Status::Superseded => types::EntityStatus::Superseded,
    }
}

/// The ids as they are written.
pub(super) fn ids_to_strings(ids: &[EntityId]) -> Vec<String> {
    ids.iter().map(EntityId::to_string).collect()
}

/// Entities by id, title and status. One that no longer exists is left out.
pub(super) fn to_references(project: &Project, ids: &[EntityId]) -> Vec<types::EntityRef> {
    ids.iter().filter_map(|id| project.entity(*id)).map(to_reference).collect()
}

fn to_reference(entity: &Entity) -> types::EntityRef {
    types::EntityRef {
        id: entity.id.to_string(),
        title: entity.title.clone(),
        status: from_status(entity.status),
    }
}
