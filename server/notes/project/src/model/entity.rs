//! Entities.

use jiff::Timestamp;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::VaultPath;

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
    /// The part of the project that it belongs to.
    pub workstream: Option<String>,
    /// How urgent it is.
    pub priority: Option<Priority>,
    /// The entity that it is a part of.
    pub parent: Option<EntityId>,
    /// Entities that must be done before it.
    pub depends_on: Vec<EntityId>,
    /// Entities that can be done after it.
    pub enables: Vec<EntityId>,
    /// Whether it is put aside.
    pub archived: bool,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// When it last changed: the field `updated`, otherwise the time of the file.
    pub updated: Option<Timestamp>,
    /// Its tags, without `#`.
    pub tags: Vec<String>,
    /// The decisions behind a document.
    pub decisions: Vec<EntityId>,
    /// The decision or document that it replaces.
    pub supersedes: Option<EntityId>,
    /// The decision or document that replaces it.
    pub superseded_by: Option<EntityId>,
    /// All properties of the note, as written.
    pub properties: Properties,
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
}
