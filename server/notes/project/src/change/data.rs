//! What callers give for the fields of an entity.

use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;
use toolwrit_text::{nearest, shorten};

use crate::error::{ProjectError, Result};
use crate::model::{
    Criterion, Entity, EntityId, Field, FieldValue, Interpreter, Misfit, link_target,
};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct PropertyChange {
    pub(super) name: String,
    /// The field; `None` for a property of the note's own.
    pub(super) field: Option<Field>,
    /// The value as it is written; `None` to remove it.
    pub(super) value: Option<Json>,
}

impl PropertyChange {
    /// The change of a field.
    pub(super) fn of(field: Field, value: Option<Json>) -> Self {
        Self { name: field.name().to_owned(), field: Some(field), value }
    }
}

/// What callers give, parsed.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) changes: Vec<PropertyChange>,
    /// The criteria in the text of the note.
    pub(super) criteria: Option<Vec<Criterion>>,
}

/// Parses fields for a new entity, or for an existing one. `is_own` says whether the team has a property.
pub(super) fn parse(
    id: EntityId,
    data: &Properties,
    existing: Option<&Entity>,
    interpreter: &Interpreter<'_>,
    is_own: impl Fn(&str) -> bool,
) -> Result<Given> {
    let mut given = Given::default();
    for (name, value) in data {
        let has = existing.is_some_and(|entity| entity.properties.contains_key(name));
        match interpreter.words.field(name).filter(|field| field.applies_to(id.kind())) {
            Some(Field::AcceptanceCriteria)
                if !existing.is_some_and(|entity| {
                    entity.properties.contains_key(Field::AcceptanceCriteria.name())
                }) =>
            {
                given.criteria = Some(parse_criteria(id, value, interpreter)?);
            }
            Some(field) => {
                given.changes.extend(change_of_field(id, field, value, existing, interpreter)?);
            }
            // Properties that people add to notes are theirs, and can be changed and removed.
            None if has || is_own(name) => {
                let value = (!value.is_null()).then(|| value.clone());
                given.changes.push(PropertyChange { name: name.clone(), field: None, value });
            }
            None => return Err(unknown_field_error(id, name)),
        }
    }
    Ok(given)
}

fn parse_criteria(
    id: EntityId,
    value: &Json,
    interpreter: &Interpreter<'_>,
) -> Result<Vec<Criterion>> {
    let field = Field::AcceptanceCriteria;
    if value.is_null() {
        return Ok(Vec::new());
    }
    match interpreter.parse(field, id.kind(), value) {
        Ok(FieldValue::Criteria(criteria)) => Ok(criteria),
        Ok(_) => Ok(Vec::new()),
        Err(misfit) => Err(misfit_error(field, misfit)),
    }
}

fn change_of_field(
    id: EntityId,
    field: Field,
    value: &Json,
    existing: Option<&Entity>,
    interpreter: &Interpreter<'_>,
) -> Result<Option<PropertyChange>> {
    let kind = id.kind();
    let invalid = |reason: &str| {
        let (field, reason) = (field.name().to_owned(), reason.to_owned());
        ProjectError::InvalidField { field, reason }
    };
    let written = existing.and_then(|entity| entity.properties.get(field.name()));
    let before = written.and_then(|value| interpreter.parse(field, kind, value).ok());
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
    let new =
        interpreter.parse(field, kind, value).map_err(|misfit| misfit_error(field, misfit))?;
    let own = own_word(field, value, interpreter);
    let is_same = match field {
        Field::Type => new == FieldValue::Kind(kind),
        // Two of the team's words may mean the same.
        Field::Status if own.is_some() => own.as_ref() == written,
        _ => before.as_ref() == Some(&new),
    };
    if is_same {
        return Ok(None);
    }
    if let Some(reason) = field.why_not_settable() {
        return Err(invalid(reason));
    }
    let value = if field.is_reference() {
        write_references(value, written, kind_of(interpreter, field, id))
    } else {
        let parse = |item: &Json| interpreter.parse(field, kind, item).ok();
        own.unwrap_or_else(|| keep_items(new.to_json(kind, interpreter.words), written, parse))
    };
    let value = Some(value).filter(|value| !value.is_null());
    Ok(Some(PropertyChange { name: field.name().to_owned(), field: Some(field), value }))
}

/// A value that is written as it was given: the team's own word, or a number.
fn own_word(field: Field, value: &Json, interpreter: &Interpreter<'_>) -> Option<Json> {
    // People write versions and estimates as numbers.
    if value.is_number() {
        return matches!(field, Field::Version | Field::Estimate).then(|| value.clone());
    }
    let name = value.as_str()?;
    match field {
        Field::Status => interpreter.words.own_status(name).map(|(word, _)| word.into()),
        _ => None,
    }
}

/// Parses a single reference.
fn kind_of<'a>(
    interpreter: &'a Interpreter<'a>,
    field: Field,
    id: EntityId,
) -> impl Fn(&Json) -> Option<EntityId> + 'a {
    move |value| match interpreter.parse(field, id.kind(), value).ok()? {
        FieldValue::Id(id) => Some(id),
        FieldValue::Ids(ids) => ids.first().copied(),
        _ => None,
    }
}

/// The items of a list, or a single one.
pub(super) fn split_items(value: &Json) -> Vec<Json> {
    match value {
        Json::Array(items) if link_target(value).is_none() => items.clone(),
        value => vec![value.clone()],
    }
}

/// A list whose items stay as they are written where they mean the same.
fn keep_items(
    new: Json,
    written: Option<&Json>,
    parse: impl Fn(&Json) -> Option<FieldValue>,
) -> Json {
    let Json::Array(items) = new else { return new };
    let known = written.map(split_items).unwrap_or_default();
    let known: Vec<(Option<FieldValue>, Json)> =
        known.into_iter().map(|item| (parse(&item), item)).collect();
    let keep = |item: Json| {
        let value = parse(&item);
        let same = known.iter().find(|(known, _)| known.is_some() && *known == value);
        same.map_or(item, |(_, written)| written.clone())
    };
    items.into_iter().map(keep).collect()
}

/// References as they are written: what was there stays as it was, and a link stays a link.
fn write_references(
    given: &Json,
    written: Option<&Json>,
    parse: impl Fn(&Json) -> Option<EntityId>,
) -> Json {
    let known: Vec<(Option<EntityId>, Json)> = written
        .map(split_items)
        .unwrap_or_default()
        .into_iter()
        .map(|item| (parse(&item), item))
        .collect();
    let mut done = Vec::new();
    let mut write = |item: &Json| {
        let id = parse(item)?;
        if done.contains(&id) {
            return None;
        }
        done.push(id);
        let same = known.iter().find(|(known, _)| *known == Some(id)).map(|(_, item)| item);
        Some(as_text(same.unwrap_or(item), id))
    };
    match given {
        Json::Array(_) if link_target(given).is_none() => {
            split_items(given).iter().filter_map(write).collect()
        }
        item => write(item).unwrap_or_default(),
    }
}

/// A reference as it is written: a link as it is, otherwise the id.
fn as_text(item: &Json, id: EntityId) -> Json {
    match (item, link_target(item)) {
        (Json::Array(_), Some(target)) => format!("[[{target}]]").into(),
        (Json::String(_) | Json::Object(_), Some(_)) | (Json::Object(_), None) => item.clone(),
        _ => id.to_string().into(),
    }
}

fn misfit_error(field: Field, misfit: Misfit) -> ProjectError {
    let field = field.name().to_owned();
    match misfit {
        Misfit::Choice { expected, got } => ProjectError::InvalidChoice {
            similar: nearest::closest(&got, expected.iter().map(String::as_str)),
            field,
            expected,
            got,
        },
        Misfit::Form(reason) => ProjectError::InvalidField { field, reason },
    }
}

fn unknown_field_error(id: EntityId, name: &str) -> ProjectError {
    let known = Field::settable_names(id.kind());
    let name = shorten::name(name);
    let similar = nearest::closest(&name, known.iter().copied());
    let known = known.into_iter().map(str::to_owned).collect();
    ProjectError::UnknownField { name, similar, known }
}
