//! Notes as entities.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value as Json;
use toolwrit_frontmatter::{self as frontmatter, FrontmatterBlock, Properties};
use toolwrit_vault::VaultPath;

use super::entity::Entity;
use super::field::Field;
use super::id::EntityId;
use super::kind::EntityKind;
use super::value::FieldValue;

/// Something in a note that is not as it should be. The note is not changed because of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The note.
    pub path: VaultPath,
    /// The line in the note, from 1.
    pub line: usize,
    /// The entity, if the note is one.
    pub id: Option<EntityId>,
    /// The field, if it is about one.
    pub field: Option<Field>,
    /// What is wrong, and what was expected.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.reason)
    }
}

/// What a note in the folder of a workspace is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    /// An entity, and what is wrong with some of its fields.
    Entity(Arc<Entity>, Vec<Problem>),
    /// An entity that cannot be read. The id is that of its name, if its name is one.
    Broken(Option<EntityId>, Problem),
    /// A note that is no entity.
    Other,
}

/// Reads a note of a workspace.
pub(crate) fn read(path: &VaultPath, text: &str, modified: Option<Timestamp>) -> Reading {
    let named = path.stem().parse::<EntityId>().ok();
    let broken = |line, field, reason| {
        let problem = Problem { path: path.clone(), line, id: None, field, reason };
        Reading::Broken(named, problem)
    };
    let properties = match frontmatter::read(text) {
        Ok(properties) => properties,
        Err(error) => {
            let reason = format!("the frontmatter is invalid: {}", error.reason);
            return broken(error.line, None, reason);
        }
    };
    let lines = field_lines(text);
    let line = |field| lines.iter().find(|(name, _)| *name == field).map_or(1, |(_, line)| *line);
    let id = properties.get(Field::Id.name());
    let kind = properties.get(Field::Type.name());
    let (id, kind) =
        match (id.map(parse_id), kind.and_then(Json::as_str).map(EntityKind::from_name)) {
            (Some(Ok(id)), kind) => (id, kind),
            (Some(Err(reason)), Some(Some(_))) => {
                return broken(line(Field::Id), Some(Field::Id), reason);
            }
            (None, Some(Some(kind))) => {
                let prefix = kind.prefix();
                let reason =
                    format!("the {kind} has no id; add `id: {prefix}-` with a free number");
                return broken(line(Field::Type), Some(Field::Id), reason);
            }
            _ if named.is_some() => {
                let reason =
                    "the note is named like an entity and has no `id` and `type`".to_owned();
                return broken(1, Some(Field::Id), reason);
            }
            // Ids and types of other programs.
            _ => return Reading::Other,
        };
    if kind != Some(Some(id.kind())) {
        let reason = format!("expected `type: {}`, because the id is {id}", id.kind());
        return broken(line(Field::Type), Some(Field::Type), reason);
    }
    let (mut entity, problems) = build_entity(id, path.clone(), properties, lines);
    entity.updated = entity.updated.or(modified);
    Reading::Entity(Arc::new(entity), problems)
}

fn parse_id(value: &Json) -> Result<EntityId, String> {
    match value {
        Json::String(text) => text.parse::<EntityId>().map_err(|error| error.to_string()),
        other => Err(format!("expected an id such as T-001, got {other}")),
    }
}

/// The entity with other properties.
pub(crate) fn with_properties(entity: &Entity, properties: Properties) -> Entity {
    let (id, path, lines) = (entity.id, entity.path.clone(), entity.lines.clone());
    let (mut changed, _) = build_entity(id, path, properties, lines);
    changed.updated = changed.updated.or(entity.updated);
    changed
}

/// The entity with these properties and no note yet.
pub(crate) fn new_entity(id: EntityId, path: VaultPath, properties: Properties) -> Entity {
    build_entity(id, path, properties, Vec::new()).0
}

/// The entity with these properties, and what is wrong with some of them.
fn build_entity(
    id: EntityId,
    path: VaultPath,
    properties: Properties,
    lines: Vec<(Field, usize)>,
) -> (Entity, Vec<Problem>) {
    let kind = id.kind();
    let mut problems = Vec::new();
    let mut values = Vec::new();
    for field in Field::ALL.into_iter().filter(|field| field.applies_to(kind)) {
        let value = properties.get(field.name()).filter(|value| !value.is_null());
        let parsed = match value {
            Some(value) => {
                FieldValue::parse(field, kind, value).map_err(|misfit| misfit.to_string())
            }
            None if field.is_required() => Err("the field is missing".to_owned()),
            None => continue,
        };
        match parsed {
            Ok(value) => values.push((field, value)),
            Err(reason) => {
                let line =
                    lines.iter().find(|(name, _)| *name == field).map_or(1, |(_, line)| *line);
                let reason = format!("`{field}`: {reason}");
                let (path, field) = (path.clone(), Some(field));
                problems.push(Problem { path, line, id: Some(id), field, reason });
            }
        }
    }
    let mut entity = Entity {
        id,
        title: path.stem().to_owned(),
        path,
        status: kind.statuses()[0],
        workstream: None,
        priority: None,
        parent: None,
        depends_on: Vec::new(),
        enables: Vec::new(),
        archived: false,
        created: None,
        updated: None,
        tags: Vec::new(),
        decisions: Vec::new(),
        supersedes: None,
        superseded_by: None,
        properties,
        lines,
    };
    for (field, value) in values {
        set_field(&mut entity, field, value);
    }
    (entity, problems)
}

fn set_field(entity: &mut Entity, field: Field, value: FieldValue) {
    match (field, value) {
        (Field::Title, FieldValue::Text(text)) => entity.title = text,
        (Field::Status, FieldValue::Status(status)) => entity.status = status,
        (Field::Workstream, FieldValue::Text(text)) => entity.workstream = Some(text),
        (Field::Priority, FieldValue::Priority(priority)) => entity.priority = Some(priority),
        (Field::Parent, FieldValue::Id(id)) => entity.parent = Some(id),
        (Field::DependsOn, FieldValue::Ids(ids)) => entity.depends_on = ids,
        (Field::Enables, FieldValue::Ids(ids)) => entity.enables = ids,
        (Field::Archived, FieldValue::Flag(flag)) => entity.archived = flag,
        (Field::Created, FieldValue::Time(time)) => entity.created = Some(time),
        (Field::Updated, FieldValue::Time(time)) => entity.updated = Some(time),
        (Field::Tags, FieldValue::Texts(tags)) => entity.tags = tags,
        (Field::Decisions, FieldValue::Ids(ids)) => entity.decisions = ids,
        (Field::Supersedes, FieldValue::Id(id)) => entity.supersedes = Some(id),
        (Field::SupersededBy, FieldValue::Id(id)) => entity.superseded_by = Some(id),
        // The other fields are only texts, which stay in the properties.
        _ => {}
    }
}

/// The lines of the fields in the frontmatter, from 1.
fn field_lines(text: &str) -> Vec<(Field, usize)> {
    let Some(block) = FrontmatterBlock::find(text) else { return Vec::new() };
    let first = text[..block.yaml.start].matches('\n').count() + 1;
    let field = |line: &str| {
        let (key, _) = line.split_once(':')?;
        Field::from_name(key.trim_end().trim_matches(['"', '\'']))
    };
    let lines = block.yaml.slice(text).lines().zip(first..);
    lines.filter_map(|(line, number)| Some((field(line)?, number))).collect()
}
