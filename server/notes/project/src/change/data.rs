//! What callers give for the fields of an entity.

use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;
use toolwrit_text::{nearest, shorten};

use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityId, Field, FieldValue, Misfit};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PropertyChange {
    pub(super) name: String,
    /// The field; `None` for a property of the note's own.
    pub(super) field: Option<Field>,
    /// The value as it is written; `None` to remove it.
    pub(super) value: Option<Json>,
}

/// Parses fields for a new entity, or for an existing one.
pub(super) fn parse(
    id: EntityId,
    data: &Properties,
    existing: Option<&Entity>,
) -> Result<Vec<PropertyChange>> {
    let mut changes = Vec::with_capacity(data.len());
    for (name, value) in data {
        match Field::from_name(name).filter(|field| field.applies_to(id.kind())) {
            Some(field) => changes.extend(change_of_field(id, field, value, existing)?),
            // Properties that people add to a note are theirs, and can be changed and removed.
            None if existing.is_some_and(|entity| entity.properties.contains_key(name)) => {
                let value = (!value.is_null()).then(|| value.clone());
                changes.push(PropertyChange { name: name.clone(), field: None, value });
            }
            None => return Err(unknown_field_error(id, name)),
        }
    }
    Ok(changes)
}

fn change_of_field(
    id: EntityId,
    field: Field,
    value: &Json,
    existing: Option<&Entity>,
) -> Result<Option<PropertyChange>> {
    let kind = id.kind();
    let invalid = |reason: &str| {
        let (field, reason) = (field.name().to_owned(), reason.to_owned());
        ProjectError::InvalidField { field, reason }
    };
    let written = existing.and_then(|entity| entity.properties.get(field.name()));
    let before = written.and_then(|value| FieldValue::parse(field, kind, value).ok());
    if value.is_null() {
        if field.is_required() {
            return Err(invalid("it cannot be removed"));
        }
        if let (Some(reason), Some(_)) = (field.why_not_settable(), written) {
            return Err(invalid(reason));
        }
        let name = field.name().to_owned();
        return Ok(Some(PropertyChange { name, field: Some(field), value: None }));
    }
    let new = FieldValue::parse(field, kind, value).map_err(|misfit| match misfit {
        Misfit::Choice { expected, got } => ProjectError::InvalidChoice {
            field: field.name().to_owned(),
            similar: nearest::closest(&got, expected.iter().copied()),
            expected,
            got,
        },
        Misfit::Form(reason) => invalid(&reason),
    })?;
    let is_same = match field {
        Field::Type => new == FieldValue::Kind(kind),
        _ => before.as_ref() == Some(&new),
    };
    if is_same {
        return Ok(None);
    }
    if let Some(reason) = field.why_not_settable() {
        return Err(invalid(reason));
    }
    let (name, value) = (field.name().to_owned(), Some(new.to_json()));
    Ok(Some(PropertyChange { name, field: Some(field), value }))
}

fn unknown_field_error(id: EntityId, name: &str) -> ProjectError {
    let known = Field::settable_names(id.kind());
    let name = shorten::name(name);
    let similar = nearest::closest(&name, known.iter().copied());
    let known = known.into_iter().map(str::to_owned).collect();
    ProjectError::UnknownField { name, similar, known }
}
