//! Entities.

use jiff::Timestamp;
use jiff::civil::Date;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::VaultPath;

use super::checklist::{Criterion, InlineTask};
use super::field::Field;
use super::id::EntityId;
use super::kind::EntityKind;
use super::status::{Priority, Status};

/// An entity, as its note says. A field that the note does not have, or not in a valid form, has its
/// default.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    pub id: EntityId,
    /// Its note.
    pub path: VaultPath,
    /// What it is called; the name of the note by default.
    pub title: String,
    /// How far it is; the first status of its kind by default.
    pub status: Status,
    /// The status as it is shown: the team's word for it, or the word that is no status.
    pub status_word: String,
    /// The part of the project that it belongs to.
    pub workstream: Option<String>,
    /// How urgent it is.
    pub priority: Option<Priority>,
    /// Who does it, without `@` and brackets.
    pub assignees: Vec<String>,
    /// The day until which it must be done.
    pub due: Option<Date>,
    /// How much work it is, as written.
    pub estimate: Option<String>,
    /// The entity that it is a part of.
    pub parent: Option<EntityId>,
    /// Entities that must be done before it.
    pub depends_on: Vec<EntityId>,
    /// Entities that can be done after it.
    pub enables: Vec<EntityId>,
    /// Whether it is put aside.
    pub archived: bool,
    /// The entity with which it was archived.
    pub archived_with: Option<EntityId>,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// When it last changed: the later of the field `updated` and the time of the file.
    pub updated: Option<Timestamp>,
    /// Its tags, without `#`.
    pub tags: Vec<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// What must hold when it is done.
    pub criteria: Vec<Criterion>,
    /// Tasks in the text of its note.
    pub inline_tasks: Vec<InlineTask>,
    /// The decisions behind a document.
    pub decisions: Vec<EntityId>,
    /// The decision or document that it replaces.
    pub supersedes: Option<EntityId>,
    /// The decision or document that replaces it.
    pub superseded_by: Option<EntityId>,
    /// All properties of the note, as written, those of fields under the names of the fields.
    pub properties: Properties,
    /// When the file was created, if the file system knows.
    pub(crate) file_created: Option<Timestamp>,
    /// What the properties of fields are called in the note, where that is not the name of the field.
    pub(super) names: Vec<(Field, String)>,
    /// The lines of the fields in the note, from 1.
    pub(super) lines: Vec<(Field, usize)>,
}

impl Entity {
    pub fn kind(&self) -> EntityKind {
        self.id.kind()
    }

    /// The line of a field in the note, from 1; the first line of the frontmatter if it has none.
    pub(crate) fn line(&self, field: Field) -> usize {
        self.lines.iter().find(|(other, _)| *other == field).map_or(1, |(_, line)| *line)
    }

    /// What the property of a field is called in the note; `None` if that is the name of the field.
    pub(crate) fn own_name(&self, field: Field) -> Option<&str> {
        self.names.iter().find(|(other, _)| *other == field).map(|(_, name)| name.as_str())
    }

    /// Whether one of its fields is a link.
    pub(crate) fn has_links(&self) -> bool {
        let fields = Field::ALL.into_iter().filter(|field| field.is_reference());
        fields
            .filter_map(|field| self.properties.get(field.name()))
            .any(|value| value.to_string().contains("[["))
    }
}
