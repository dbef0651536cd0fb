//! The fields of an entity that a caller asks for.

use std::sync::Arc;

use serde_json::Value as Json;
use toolwrit_frontmatter::{FrontmatterBlock, Properties};
use toolwrit_text::nearest;
use toolwrit_vault::{CancelCheck, Note, VaultError};

use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityId, Field, FieldValue, Reading, read};
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
const DERIVED: [&str; 6] = ["path", "etag", "body", "children", "dependents", "problems"];
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
    ) -> Result<()> {
        let Selected::Named(names) = &self.0 else { return Ok(()) };
        for name in names {
            let is_known = DERIVED.contains(&name.as_str())
                || Field::from_name(name).is_some()
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
                let fields = Field::ALL.iter().map(|field| field.name());
                let properties = entity.properties.keys().map(String::as_str);
                let properties = properties.filter(|name| Field::from_name(name).is_none());
                fields.chain(properties).chain(DERIVED).filter_map(has).collect()
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
    if let Some(written) = entity.properties.get(name) {
        let field = Field::from_name(name).filter(|_| !written.is_null());
        let typed = field.and_then(|field| FieldValue::parse(field, entity.kind(), written).ok());
        return Some(typed.map_or_else(|| written.clone(), |typed| typed.to_json()));
    }
    match name {
        "title" => Some(entity.title.as_str().into()),
        "status" => Some(entity.status.name().into()),
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

/// The text of a note below its frontmatter.
fn note_body(text: &str) -> &str {
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
        let entity = match read(&note.path, &note.content, note.modified) {
            Reading::Entity(entity, _) if entity.id == id => Entity::clone(&entity),
            // It is being changed; the index follows in a moment.
            _ => known.clone(),
        };
        selection.check(&[&entity].into_iter())?;
        Ok(selection.select_fields(&entity, Some(&note), &project))
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
