//! A team's own words: how its notes call statuses, priorities, properties and types, and where they are.
//!
//! The file `.toolwrit/project.yaml` in the folder of a workspace has them. It is read and never written.

mod file;
mod names;

use std::collections::BTreeMap;

use super::field::Field;
use super::id::{EntityId, IdScheme, InvalidId};
use super::kind::EntityKind;
use super::status::{Priority, Status, StatusKind, normalize_name};

pub(crate) use file::{FILE, FOLDER, LIMIT};

/// How the notes of a workspace are written. The default is this engine's own layout.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Words {
    ids: IdScheme,
    /// The words for statuses, the first of a kind being the one that is written.
    statuses: Vec<(String, StatusKind)>,
    /// The words for priorities; `None` for one that says that there is none.
    priorities: Vec<(String, Option<Priority>)>,
    /// The properties of fields that have other names, the first being the one that is written. Empty for a field
    /// that is not kept.
    properties: BTreeMap<Field, Vec<String>>,
    /// What makes a note an entity of a kind.
    types: Vec<(TypeRule, EntityKind)>,
    /// Where new notes are put, below the folder of the workspace.
    folders: BTreeMap<EntityKind, String>,
    /// How new notes are named; after their ids if it is empty.
    names: String,
    /// Folders whose entities are archived.
    archive: Vec<String>,
    /// Properties of the team's own.
    own: Vec<String>,
    /// Whether the kind of an entity follows from its id.
    has_own_ids: bool,
}

/// What makes a note an entity of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TypeRule {
    /// Its type, in any case.
    Word(String),
    /// One of its tags, or one below it.
    Tag(String),
    /// Its folder, below that of the workspace.
    Folder(String),
}

impl Words {
    /// Parses an id.
    ///
    /// # Errors
    /// [`InvalidId`]
    pub(crate) fn parse_id(&self, text: &str) -> Result<EntityId, InvalidId> {
        self.ids.parse(text)
    }

    /// How ids are written.
    pub(crate) fn ids(&self) -> &IdScheme {
        &self.ids
    }

    /// Whether notes are written as this engine writes them.
    pub(crate) fn are_usual(&self) -> bool {
        *self == Self::default()
    }

    /// The status with this name, in any case and with any separator.
    pub(crate) fn status(&self, kind: EntityKind, name: &str) -> Option<Status> {
        let usual = || Status::from_name(name).filter(|status| kind.statuses().contains(status));
        match self.own_status(name) {
            Some((_, meaning)) => {
                let same = usual().filter(|status| status.kind() == meaning);
                Some(same.unwrap_or_else(|| kind.status_of(meaning)))
            }
            None => usual(),
        }
    }

    /// The team's word for a status with this name.
    pub(crate) fn own_status(&self, name: &str) -> Option<(&str, StatusKind)> {
        let name = normalize_name(name);
        let own = self.statuses.iter().find(|(word, _)| normalize_name(word) == name);
        own.map(|(word, meaning)| (word.as_str(), *meaning))
    }

    /// How a status is written.
    pub(crate) fn status_word(&self, kind: EntityKind, status: Status) -> &str {
        let same = self.statuses.iter().find(|(word, _)| Status::from_name(word) == Some(status));
        let fits = |(word, meaning): &&(String, StatusKind)| {
            *meaning == status.kind()
                && Status::from_name(word).is_none_or(|status| kind.statuses().contains(&status))
        };
        // Which words are for decisions and documents is not known.
        let first = || self.statuses.iter().filter(|_| kind.is_work()).find(fits);
        same.or_else(first).map_or(status.name(), |(word, _)| word)
    }

    /// All words for statuses of a kind of entities.
    pub(crate) fn status_names(&self, kind: EntityKind) -> Vec<&str> {
        let own = self.statuses.iter().map(|(word, _)| word.as_str());
        own.chain(kind.statuses().iter().map(|status| status.name())).collect()
    }

    /// The priority with this name, in any case; `Some(None)` for a word that says that there is none.
    #[expect(clippy::option_option, reason = "a word may say that there is no priority")]
    pub(crate) fn priority(&self, name: &str) -> Option<Option<Priority>> {
        let wanted = normalize_name(name);
        let own = self.priorities.iter().find(|(word, _)| normalize_name(word) == wanted);
        let usual = || Priority::from_name(name).map(Some);
        own.map(|(_, priority)| *priority).or_else(usual)
    }

    /// How a priority is written.
    pub(crate) fn priority_word(&self, priority: Priority) -> &str {
        let own = self.priorities.iter().find(|(_, known)| *known == Some(priority));
        own.map_or(priority.name(), |(word, _)| word)
    }

    /// The properties that may have a field, the first being the one that is written; none if it is not kept.
    pub(crate) fn properties(&self, field: Field) -> Vec<&str> {
        match self.properties.get(&field) {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => vec![field.name()],
        }
    }

    /// The field with this name, its usual one or the team's.
    pub(crate) fn field(&self, name: &str) -> Option<Field> {
        let own = self.properties.iter().find(|(_, names)| names.iter().any(|own| own == name));
        own.map(|(field, _)| *field).or_else(|| Field::from_name(name))
    }

    /// Whether it is a property of the team's own.
    pub(crate) fn is_own(&self, property: &str) -> bool {
        self.own.iter().any(|own| own == property)
    }

    /// The kind of entities with this type.
    pub(crate) fn kind_of_type(&self, name: &str) -> Option<EntityKind> {
        let name = name.trim();
        let named = |rule: &TypeRule| matches!(rule, TypeRule::Word(word) if word.eq_ignore_ascii_case(name));
        self.find_kind(named).or_else(|| EntityKind::from_name(name))
    }

    /// The kind of notes with these tags.
    pub(crate) fn kind_of_tags(&self, tags: &[String]) -> Option<EntityKind> {
        let has = |wanted: &str| {
            tags.iter().any(|tag| {
                let rest = tag.to_lowercase();
                let rest = rest.strip_prefix(&wanted.to_lowercase()).map(str::to_owned);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        self.find_kind(|rule| matches!(rule, TypeRule::Tag(tag) if has(tag)))
    }

    /// The kind of notes in this folder, below that of the workspace.
    pub(crate) fn kind_of_folder(&self, folder: &str) -> Option<EntityKind> {
        self.find_kind(|rule| matches!(rule, TypeRule::Folder(known) if is_in(folder, known)))
    }

    fn find_kind(&self, is_met: impl Fn(&TypeRule) -> bool) -> Option<EntityKind> {
        self.types.iter().find(|(rule, _)| is_met(rule)).map(|(_, kind)| *kind)
    }

    /// Whether the kind of an entity follows from its id, without its type.
    pub(crate) fn ids_tell_kinds(&self) -> bool {
        self.has_own_ids || self.properties(Field::Type).is_empty()
    }

    /// The tag that new entities of a kind need, if it makes them what they are.
    pub(crate) fn tag_of(&self, kind: EntityKind) -> Option<&str> {
        self.types.iter().find_map(|(rule, known)| match rule {
            TypeRule::Tag(tag) if *known == kind => Some(tag.as_str()),
            _ => None,
        })
    }

    /// Whether the entities in this folder, below that of the workspace, are archived.
    pub(crate) fn is_archive(&self, folder: &str) -> bool {
        self.archive.iter().any(|archive| is_in(folder, archive))
    }
}

/// Whether a folder is another one or below it.
fn is_in(folder: &str, outer: &str) -> bool {
    let rest = folder.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
