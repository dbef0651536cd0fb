//! Notes as entities.

use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;
use toolwrit_frontmatter::{self as frontmatter, Properties};
use toolwrit_vault::{Folder, NoteSource, VaultPath};

use super::checklist::{InlineTask, read_items};
use super::entity::Entity;
use super::field::Field;
use super::id::EntityId;
use super::kind::EntityKind;
use super::properties::{field_lines, looks_like_entity, read_properties, to_fields};
use super::status::Status;
use super::value::{FieldValue, Interpreter, link_target};
use super::words::Words;

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
    /// An entity of this kind that has no id yet.
    Nameless(EntityKind, Problem),
    /// A note that is no entity, and its tasks.
    Other(Vec<InlineTask>),
}

/// A note of the workspace that is read.
struct Note<'a> {
    path: &'a VaultPath,
    /// Its folder below that of the workspace.
    folder: &'a str,
    words: &'a Words,
    /// The properties, those of fields under the names of the fields.
    properties: Properties,
    names: Vec<(Field, String)>,
    lines: Vec<(Field, usize)>,
    named: Option<EntityId>,
}

/// Reads a note of a workspace. Links lead to the ids that they are named after.
pub(crate) fn read(
    path: &VaultPath,
    source: &NoteSource,
    folder: &Folder,
    words: &Words,
) -> Reading {
    let text = source.text.as_str();
    let named = words.parse_id(path.stem()).ok();
    let raw = match read_properties(text) {
        Ok(raw) => raw,
        Err((line, reason)) if named.is_some() || looks_like_entity(text, words) => {
            let reason = format!("the frontmatter is invalid: {reason}");
            return broken(path, named, (line, None), reason);
        }
        Err(_) => return Reading::Other(read_items(text).1),
    };
    let (properties, own_names) = to_fields(raw, words);
    let lines = field_lines(text, words);
    let folder = below(path, folder);
    let note = Note { path, folder, words, properties, names: own_names, lines, named };
    let (id, kind) = match note.identify() {
        Ok(Some(known)) => known,
        Ok(None) => return Reading::Other(read_items(text).1),
        Err(reading) => return *reading,
    };
    debug_assert_eq!(id.kind(), kind);
    let follow = |target: &str| follow_name(words, target);
    let interpreter = Interpreter { words, follow: &follow };
    let Note { properties, names, lines, .. } = note;
    let (mut entity, problems) = build_entity(id, path.clone(), properties, lines, &interpreter);
    entity.names = names;
    entity.archived |=
        words.is_archive(folder) && !entity.properties.contains_key(Field::Archived.name());
    entity.updated = entity.updated.max(source.modified);
    entity.file_created = source.created;
    let (criteria, tasks) = read_items(text);
    if !criteria.is_empty() {
        entity.criteria = criteria;
    }
    entity.inline_tasks = tasks;
    Reading::Entity(Arc::new(entity), problems)
}

/// Reads the text of a note of a workspace.
pub(crate) fn read_text(path: &VaultPath, text: &str, folder: &Folder, words: &Words) -> Reading {
    let (text, size) = (text.to_owned(), text.len() as u64);
    read(path, &NoteSource { text, size, created: None, modified: None }, folder, words)
}

/// A note that cannot be read as text.
pub(crate) fn unreadable(path: &VaultPath, words: &Words) -> Reading {
    let named = words.parse_id(path.stem()).ok();
    let reason = "the note cannot be read: it is not UTF-8, or too large; save it as UTF-8";
    match named {
        Some(_) => broken(path, named, (1, None), reason.to_owned()),
        None => Reading::Other(Vec::new()),
    }
}

fn broken(
    path: &VaultPath,
    named: Option<EntityId>,
    (line, field): (usize, Option<Field>),
    reason: String,
) -> Reading {
    Reading::Broken(named, Problem { path: path.clone(), line, id: None, field, reason })
}

impl Note<'_> {
    /// The id and the kind; `None` if it is no entity.
    fn identify(&self) -> Result<Option<(EntityId, EntityKind)>, Box<Reading>> {
        let line =
            |field| self.lines.iter().find(|(name, _)| *name == field).map_or(1, |(_, line)| *line);
        let fail = |place: (usize, Option<Field>), reason: String| {
            Err(Box::new(broken(self.path, self.named, place, reason)))
        };
        let id = self.properties.get(Field::Id.name()).map(|id| self.parse_id(id));
        let typed = self.properties.get(Field::Type.name()).and_then(Json::as_str);
        let of_type = typed.map(|name| self.words.kind_of_type(name));
        let tags = frontmatter::tags(&self.properties);
        let placed =
            || self.words.kind_of_tags(&tags).or_else(|| self.words.kind_of_folder(self.folder));
        let kind = of_type.flatten().or_else(|| placed().filter(|_| of_type.is_none()));
        match (id, kind) {
            (Some(Ok(id)), Some(kind)) if kind == id.kind() => Ok(Some((id, kind))),
            (Some(Ok(id)), None) if of_type.is_none() && self.words.ids_tell_kinds() => {
                Ok(Some((id, id.kind())))
            }
            (Some(Ok(id)), _) => {
                let kind = id.kind();
                let reason = format!("expected `type: {kind}`, because the id is {id}");
                fail((line(Field::Type), Some(Field::Type)), reason)
            }
            (Some(Err(reason)), Some(_)) => fail((line(Field::Id), Some(Field::Id)), reason),
            (None, Some(kind)) => {
                let prefix = self.words.ids().id(kind, 1).map(|id| id.to_string());
                let prefix = prefix.as_deref().and_then(|id| id.split('-').next());
                let reason = format!(
                    "the {kind} has no id; add `id: {}-` with a free number, or give ids to all that have none",
                    prefix.unwrap_or_default()
                );
                let problem = Problem {
                    path: self.path.clone(),
                    line: line(Field::Type),
                    id: None,
                    field: Some(Field::Id),
                    reason,
                };
                Err(Box::new(Reading::Nameless(kind, problem)))
            }
            _ if self.named.is_some() => {
                let reason = "the note is named like an entity and has no `id` and `type`";
                fail((1, Some(Field::Id)), reason.to_owned())
            }
            // Ids and types of other programs.
            _ => Ok(None),
        }
    }

    fn parse_id(&self, value: &Json) -> Result<EntityId, String> {
        match value {
            Json::String(text) => self.words.parse_id(text).map_err(|error| error.to_string()),
            other => Err(format!("expected an id such as T-001, got {other}")),
        }
    }
}

/// The folder of a note below another one.
fn below<'a>(path: &'a VaultPath, folder: &Folder) -> &'a str {
    let inner = path.as_str().strip_prefix(folder.as_str()).unwrap_or(path.as_str());
    inner.trim_start_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The id that the target of a link is named after.
pub(crate) fn follow_name(words: &Words, target: &str) -> Result<EntityId, String> {
    let name = target.rsplit('/').next().unwrap_or(target);
    let name = name.strip_suffix(".md").unwrap_or(name);
    words.parse_id(name).map_err(|_| format!("`[[{target}]]` leads to no entity"))
}

/// The entity, with its links followed.
pub(crate) fn link_again(entity: &Entity, interpreter: &Interpreter<'_>) -> (Entity, Vec<Problem>) {
    rebuild(entity, entity.properties.clone(), interpreter)
}

/// The entity with other properties.
pub(crate) fn with_properties(
    entity: &Entity,
    properties: Properties,
    interpreter: &Interpreter<'_>,
) -> Entity {
    rebuild(entity, properties, interpreter).0
}

fn rebuild(
    entity: &Entity,
    properties: Properties,
    interpreter: &Interpreter<'_>,
) -> (Entity, Vec<Problem>) {
    let (id, path, lines) = (entity.id, entity.path.clone(), entity.lines.clone());
    let (mut changed, problems) = build_entity(id, path, properties, lines, interpreter);
    changed.names.clone_from(&entity.names);
    changed.updated = changed.updated.max(entity.updated);
    changed.file_created = entity.file_created;
    changed.criteria.clone_from(&entity.criteria);
    changed.inline_tasks.clone_from(&entity.inline_tasks);
    let had = entity.properties.get(Field::Archived.name()).is_some();
    changed.archived |=
        entity.archived && !had && !changed.properties.contains_key(Field::Archived.name());
    (changed, problems)
}

/// The entity with these properties and no note yet.
pub(crate) fn new_entity(
    id: EntityId,
    path: VaultPath,
    properties: Properties,
    interpreter: &Interpreter<'_>,
) -> Entity {
    build_entity(id, path, properties, Vec::new(), interpreter).0
}

/// The entity with these properties, and what is wrong with some of them.
fn build_entity(
    id: EntityId,
    path: VaultPath,
    properties: Properties,
    lines: Vec<(Field, usize)>,
    interpreter: &Interpreter<'_>,
) -> (Entity, Vec<Problem>) {
    let kind = id.kind();
    let mut problems = Vec::new();
    let mut values = Vec::new();
    let is_usual = interpreter.words.are_usual();
    for field in Field::ALL.into_iter().filter(|field| field.applies_to(kind)) {
        let value = properties.get(field.name()).filter(|value| !value.is_null());
        let parsed = match value {
            Some(value) => {
                interpreter.parse(field, kind, value).map_err(|misfit| misfit.to_string())
            }
            None if field.is_required() && is_usual => Err("the field is missing".to_owned()),
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
    let written = properties.get(Field::Status.name()).filter(|value| !value.is_null());
    let status = written.map_or(kind.statuses()[0], |_| Status::Unknown);
    let shown = written.and_then(Json::as_str).map(|word| word.trim().to_owned());
    let mut entity = Entity {
        id,
        title: path.stem().to_owned(),
        path,
        status,
        status_word: shown.unwrap_or_else(|| status.name().to_owned()),
        workstream: None,
        priority: None,
        assignees: Vec::new(),
        due: None,
        estimate: None,
        parent: None,
        depends_on: Vec::new(),
        enables: Vec::new(),
        archived: false,
        archived_with: None,
        created: None,
        updated: None,
        tags: Vec::new(),
        labels: Vec::new(),
        criteria: Vec::new(),
        inline_tasks: Vec::new(),
        decisions: Vec::new(),
        supersedes: None,
        superseded_by: None,
        properties,
        file_created: None,
        names: Vec::new(),
        lines,
    };
    for (field, value) in values {
        set_field(&mut entity, field, value);
    }
    let is_own = interpreter.words.own_status(&entity.status_word).is_some();
    if entity.status != Status::Unknown && !is_own {
        entity.status.name().clone_into(&mut entity.status_word);
    }
    (entity, problems)
}

fn set_field(entity: &mut Entity, field: Field, value: FieldValue) {
    match (field, value) {
        (Field::Title, FieldValue::Text(text)) => entity.title = text,
        (Field::Status, FieldValue::Status(status)) => entity.status = status,
        (Field::Workstream, FieldValue::Text(text)) => entity.workstream = Some(text),
        (Field::Priority, FieldValue::Priority(priority)) => entity.priority = priority,
        (Field::Assignee, FieldValue::People(names)) => {
            entity.assignees = names.iter().map(|name| person(name)).collect();
        }
        (Field::Due, FieldValue::Day(day)) => entity.due = Some(day),
        (Field::Estimate, FieldValue::Text(text)) => entity.estimate = Some(text),
        (Field::Parent, FieldValue::Id(id)) => entity.parent = Some(id),
        (Field::DependsOn, FieldValue::Ids(ids)) => entity.depends_on = ids,
        (Field::Enables, FieldValue::Ids(ids)) => entity.enables = ids,
        (Field::Archived, FieldValue::Flag(flag)) => entity.archived = flag,
        (Field::ArchivedWith, FieldValue::Id(id)) => entity.archived_with = Some(id),
        (Field::Created, FieldValue::Time(time)) => entity.created = Some(time),
        (Field::Updated, FieldValue::Time(time)) => entity.updated = Some(time),
        (Field::Tags, FieldValue::Texts(tags)) => entity.tags = tags,
        (Field::Labels, FieldValue::Texts(labels)) => entity.labels = labels,
        (Field::AcceptanceCriteria, FieldValue::Criteria(criteria)) => entity.criteria = criteria,
        (Field::Decisions, FieldValue::Ids(ids)) => entity.decisions = ids,
        (Field::Supersedes, FieldValue::Id(id)) => entity.supersedes = Some(id),
        (Field::SupersededBy, FieldValue::Id(id)) => entity.superseded_by = Some(id),
        // The other fields are only texts, which stay in the properties.
        _ => {}
    }
}

/// A person without `@` and the brackets of a link.
fn person(name: &str) -> String {
    let target = link_target(&Json::from(name));
    let name = target.as_deref().map_or(name, |path| path.rsplit('/').next().unwrap_or(path));
    name.trim().trim_start_matches('@').to_owned()
}
