//! Kinds and ids under the names of the manifest.

use toolwrit_project::{EntityId, EntityKind};

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

pub(super) fn from_kind(kind: EntityKind) -> types::EntityType {
    match kind {
        EntityKind::Milestone => types::EntityType::Milestone,
        EntityKind::Story => types::EntityType::Story,
        EntityKind::Task => types::EntityType::Task,
        EntityKind::Decision => types::EntityType::Decision,
        EntityKind::Document => types::EntityType::Document,
    }
}

/// The ids as they are written.
pub(super) fn ids_to_strings(ids: &[EntityId]) -> Vec<String> {
    ids.iter().map(EntityId::to_string).collect()
}
