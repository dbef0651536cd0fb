//! The fields of an entity that a caller asks for.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use toolwrit_frontmatter::{FrontmatterBlock, Properties};
use toolwrit_text::nearest;
use toolwrit_vault::{CancelCheck, Note, VaultError, VaultPath};

use crate::error::{ProjectError, Result};
use crate::model::{
    Criterion, Entity, EntityId, EntityKind, Field, FieldValue, InlineTask, Interpreter, Reading,
    Status, Words, read_text,
};
use crate::project::Project;
use crate::workspace::Workspace;

/// Fields to return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection(Selected);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Selected {
    /// Those of the default that the entity has.
    Default,
    /// All that the entity has.
    All,
    /// Exactly these; one that the entity does not have is null.
    Named(Vec<String>),
}

/// What an entity has beside the properties of its note.
const DERIVED: [&str; 9] = [
    "path",
    "etag",
    "body",
    "children",
    "dependents",
    "problems",
    "status_kind",
    "progress",
    "inline_tasks",
];
/// What is returned by default.
const DEFAULT: [&str; 6] = ["id", "type", "title", "status", "workstream", "etag"];

impl Selection {
    /// The fields of the default: `id`, `type`, `title`, `status`, `workstream` and `etag`.
    pub const DEFAULT: Self = Self(Selected::Default);

    /// The selection of these fields; `*` for all. None at all is the default.
    pub fn from_names(fields: &[&str]) -> Self {
        Self(match fields {
            [] => Selected::Default,
            fields if fields.contains(&"*") => Selected::All,
            fields => Selected::Named(fields.iter().map(|name| (*name).to_owned()).collect()),
        })
    }

    /// Refuses names that are neither fields nor properties of one of the entities.
    ///
    /// # Errors
    /// `UnknownField`
    pub(crate) fn check<'e>(
        &self,
        entities: &(impl Iterator<Item = &'e Entity> + Clone),
        words: &Words,
    ) -> Result<()> {
        let Selected::Named(names) = &self.0 else { return Ok(()) };
        for name in names {
            let is_known = DERIVED.contains(&name.as_str())
                || words.field(name).is_some()
                || words.is_own(name)
                || entities.clone().any(|entity| entity.properties.contains_key(name));
            if !is_known {
                let properties = entities
                    .clone()
                    .flat_map(|entity| entity.properties.keys().map(String::as_str));
                let fields = Field::ALL.iter().map(|field| field.name()).chain(DERIVED);
                let similar = nearest::closest(name, fields.clone().chain(properties));
                let known = fields.map(str::to_owned).collect();
                return Err(ProjectError::UnknownField { name: name.clone(), similar, known });
            }
        }
        Ok(())
    }

    /// Whether the note must be read for it.
    pub(crate) fn needs_note(&self) -> bool {
        match &self.0 {
            Selected::Default | Selected::All => true,
            Selected::Named(names) => names.iter().any(|name| name == "etag" || name == "body"),
        }
    }

    /// The selected fields of an entity. `note` is its note, if it is needed.
    pub(crate) fn select_fields(
        &self,
        entity: &Entity,
        note: Option<&Note>,
        project: &Project,
    ) -> Properties {
        let value = |name: &str| select_value(entity, note, project, name);
        let has = |name: &str| Some((name.to_owned(), value(name)?));
        match &self.0 {
            Selected::Default => DEFAULT.into_iter().filter_map(has).collect(),
            Selected::All => {
                let fields = Field::ALL.into_iter().filter(|field| !is_empty_list(entity, *field));
                let fields = fields.map(|field| -> &str { field.name() });
                let properties = entity.properties.keys().map(String::as_str);
                let properties = properties.filter(|name| Field::from_name(name).is_none());
                let is_usual = Status::from_name(&entity.status_word).is_some();
                let derived =
                    DERIVED.into_iter().filter(|name| *name != "status_kind" || !is_usual);
                fields.chain(properties).chain(derived).filter_map(has).collect()
            }
            Selected::Named(names) => {
                names.iter().map(|name| (name.clone(), value(name).unwrap_or_default())).collect()
            }
        }
    }
}

/// The value of a field, a property or a derived field; `None` if the entity has none.
fn select_value(
    entity: &Entity,
    note: Option<&Note>,
    project: &Project,
    name: &str,
) -> Option<Json> {
    let ids = |ids: &[EntityId]| {
        let ids: Json = ids.iter().map(EntityId::to_string).collect();
        Some(ids).filter(|ids| ids.as_array().is_some_and(|ids| !ids.is_empty()))
    };
    let field = project.words().field(name);
    if let Some(value) = field.and_then(|field| select_field(entity, field, project)) {
        return Some(value);
    }
    if field.is_none()
        && let Some(written) = entity.properties.get(name)
    {
        return Some(written.clone());
    }
    match name {
        "status_kind" => Some(entity.status.kind().name().into()),
        "progress" => {
            let done = entity.criteria.iter().filter(|criterion| criterion.done).count();
            let all = entity.criteria.len();
            (all > 0).then(|| format!("{done}/{all}").into())
        }
        "inline_tasks" => {
            let tasks = entity.inline_tasks.iter().map(describe_task).collect();
            Some(Json::Array(tasks)).filter(|tasks| *tasks != Json::Array(Vec::new()))
        }
        "path" => Some(entity.path.as_str().into()),
        "etag" => Some(note?.etag.as_str().into()),
        "body" => Some(note_body(&note?.content).into()),
        "children" => ids(project.children(entity.id)),
        "dependents" => ids(project.dependents(entity.id)),
        "problems" => {
            let problems =
                project.problems().iter().filter(|problem| problem.id == Some(entity.id));
            let problems: Vec<Json> = problems.map(|problem| problem.to_string().into()).collect();
            (!problems.is_empty()).then(|| problems.into())
        }
        _ => None,
    }
}

/// The value of a field; `None` if the entity does not have it. Lists are never missing.
fn select_field(entity: &Entity, field: Field, project: &Project) -> Option<Json> {
    let id = |id: Option<EntityId>| id.map(|id| Json::from(id.to_string()));
    let ids = |ids: &[EntityId]| Some(ids.iter().map(EntityId::to_string).collect());
    let written = entity.properties.get(field.name()).filter(|value| !value.is_null());
    let known = match field {
        Field::Id => Some(entity.id.to_string().into()),
        Field::Type => Some(entity.kind().name().into()),
        Field::Title => Some(entity.title.as_str().into()),
        Field::Status => Some(entity.status_word.as_str().into()),
        Field::Parent => id(entity.parent),
        Field::Supersedes => id(entity.supersedes),
        Field::SupersededBy => id(entity.superseded_by),
        Field::ArchivedWith => id(entity.archived_with),
        Field::DependsOn => ids(&entity.depends_on).filter(|ids| *ids != Json::Array(Vec::new())),
        Field::Enables => ids(&entity.enables).filter(|ids| *ids != Json::Array(Vec::new())),
        Field::Decisions => ids(&entity.decisions).filter(|ids| *ids != Json::Array(Vec::new())),
        Field::Archived => entity.archived.then_some(Json::Bool(true)),
        Field::AcceptanceCriteria => {
            let item = |Criterion { text, done }: &Criterion| json!({ "text": text, "done": done });
            Some(entity.criteria.iter().map(item).collect())
        }
        _ => None,
    };
    let follow = |_: &str| Err(String::new());
    let interpreter = Interpreter { words: project.words(), follow: &follow };
    let typed = || {
        let written = written?;
        let typed = interpreter.parse(field, entity.kind(), written).ok();
        let is_kept = field.is_reference() || matches!(field, Field::Assignee | Field::Estimate);
        let typed = typed.filter(|_| !is_kept);
        Some(typed.map_or_else(|| written.clone(), |typed| usual_json(&typed, entity.kind())))
    };
    let empty = || {
        let is_list = field.is_list() && field.applies_to(entity.kind());
        is_list.then(|| Json::Array(Vec::new()))
    };
    known.or_else(typed).or_else(empty)
}

/// A value in the usual words.
fn usual_json(value: &FieldValue, kind: EntityKind) -> Json {
    value.to_json(kind, &Words::default())
}

/// Whether a field is a list without items.
fn is_empty_list(entity: &Entity, field: Field) -> bool {
    let has_none = !entity.properties.contains_key(field.name());
    field.is_list()
        && has_none
        && (field != Field::AcceptanceCriteria || entity.criteria.is_empty())
}

fn describe_task(task: &InlineTask) -> Json {
    let mut described = json!({ "line": task.line, "text": task.text, "status": task.status });
    if let Some(due) = task.due {
        described["due"] = due.to_string().into();
    }
    if let Some(priority) = task.priority {
        described["priority"] = priority.to_string().into();
    }
    if let Some(id) = &task.id {
        described["id"] = id.as_str().into();
    }
    if !task.depends_on.is_empty() {
        described["depends_on"] = task.depends_on.as_slice().into();
    }
    described
}

/// The text of a note below its frontmatter.
pub(crate) fn note_body(text: &str) -> &str {
    let rest = FrontmatterBlock::find(text).map_or(text, |block| &text[block.span.end..]);
    rest.trim_start_matches('\n')
}

impl Workspace {
    /// The selected fields of an entity, read from its note now.
    ///
    /// # Errors
    /// `NoSuchEntity`, `Unreadable`, `UnknownField`, `Cancelled`, or those of
    /// [`Vault::read`](toolwrit_vault::Vault::read).
    pub fn get(
        &self,
        id: EntityId,
        selection: &Selection,
        cancel: CancelCheck<'_>,
    ) -> Result<Properties> {
        let (project, note) = self.read_note(id, cancel)?;
        let known = project.require_entity(id)?;
        let words = project.words();
        let entity = match read_text(&note.path, &note.content, self.folder(), words) {
            Reading::Entity(entity, _) if entity.id == id => self.link(&project, &entity)?,
            // It is being changed; the index follows in a moment.
            _ => known.clone(),
        };
        selection.check(&project.entities().chain([&entity]), words)?;
        Ok(selection.select_fields(&entity, Some(&note), &project))
    }

    /// An entity with its links followed.
    fn link(&self, project: &Project, entity: &Entity) -> Result<Entity> {
        if !entity.has_links() {
            return Ok(entity.clone());
        }
        let snapshot = self.vault().snapshot(&|| false)?;
        let follow =
            |target: &str, source: &VaultPath| snapshot.resolve(target, Some(source)).cloned();
        Ok(project.link(entity, &follow).0)
    }

    /// The note of an entity, and a project that has the entity.
    fn read_note(&self, id: EntityId, cancel: CancelCheck<'_>) -> Result<(Arc<Project>, Note)> {
        let project = self.project_with(id, cancel)?;
        match self.vault().read(&project.require_entity(id)?.path, None) {
            // It was moved or removed a moment ago.
            Err(VaultError::NotFound { .. }) => self.vault().rescan(self.folder(), cancel)?,
            note => return Ok((project, note?)),
        }
        let project = self.project(cancel)?;
        let note = self.vault().read(&project.require_entity(id)?.path, None)?;
        Ok((project, note))
    }
}
