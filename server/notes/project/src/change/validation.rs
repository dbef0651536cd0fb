//! The checks that every change passes.

use super::draft::Draft;
use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityId, EntityKind, Field};
use crate::project::misplaced_reason;
use crate::relations::find_cycles;

impl Draft<'_> {
    /// Checks the fields of an entity that refer to others.
    ///
    /// # Errors
    /// `InvalidField`, `MissingReference`, `Cycle`.
    pub(super) fn check(&self, id: EntityId, fields: &[Field]) -> Result<()> {
        let Some(entity) = self.entity(id) else { return Ok(()) };
        for &field in fields {
            match field {
                Field::Parent => self.check_parent(entity)?,
                Field::DependsOn => self.check_order(entity, field, &entity.depends_on)?,
                Field::Enables => self.check_order(entity, field, &entity.enables)?,
                Field::Decisions => {
                    for &decision in &entity.decisions {
                        self.check_reference(field, decision)?;
                        if decision.kind() != EntityKind::Decision {
                            return Err(field_error(field, format!("{decision} is no decision")));
                        }
                    }
                }
                Field::Supersedes => self.check_superseded(entity)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn check_reference(&self, field: Field, id: EntityId) -> Result<()> {
        self.require_entity(id).map(drop).map_err(|error| match error {
            ProjectError::NoSuchEntity { id } => {
                ProjectError::MissingReference { field: field.name().to_owned(), id }
            }
            error => error,
        })
    }

    fn check_parent(&self, entity: &Entity) -> Result<()> {
        let Some(parent) = entity.parent else { return Ok(()) };
        self.check_reference(Field::Parent, parent)?;
        if !entity.kind().parents().contains(&parent.kind()) {
            return Err(field_error(Field::Parent, misplaced_reason(entity.kind(), parent.kind())));
        }
        let above = |id| self.entity(id).and_then(|entity| entity.parent).into_iter().collect();
        check_cycle(entity.id, Field::Parent, above)
    }

    fn check_order(&self, entity: &Entity, field: Field, others: &[EntityId]) -> Result<()> {
        for &other in others {
            self.check_reference(field, other)?;
        }
        check_cycle(entity.id, field, |id| self.prerequisites(id))
    }

    fn check_superseded(&self, entity: &Entity) -> Result<()> {
        let field = Field::Supersedes;
        let Some(superseded) = entity.supersedes else { return Ok(()) };
        self.check_reference(field, superseded)?;
        if superseded.kind() != entity.kind() {
            return Err(field_error(field, format!("{superseded} is no {}", entity.kind())));
        }
        let by = self.entity(superseded).and_then(|entity| entity.superseded_by);
        if let Some(other) = by.filter(|by| *by != entity.id) {
            return Err(field_error(
                field,
                format!("{superseded} is superseded by {other} already"),
            ));
        }
        let before =
            |id| self.entity(id).and_then(|entity| entity.supersedes).into_iter().collect();
        check_cycle(entity.id, field, before)
    }
}

/// Refuses a cycle through an entity. Cycles elsewhere, made by hand, are reported when reading.
fn check_cycle(id: EntityId, field: Field, next: impl Fn(EntityId) -> Vec<EntityId>) -> Result<()> {
    let through = find_cycles([id], next).into_iter().find(|cycle| cycle.contains(&id));
    let field = field.name().to_owned();
    through.map_or(Ok(()), |cycle| Err(ProjectError::Cycle { field, cycle }))
}

fn field_error(field: Field, reason: String) -> ProjectError {
    ProjectError::InvalidField { field: field.name().to_owned(), reason }
}
