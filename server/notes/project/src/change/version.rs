//! New versions of documents.

use jiff::Timestamp;
use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::CancelCheck;

use super::{Changed, take_one};
use crate::documents::check_document;
use crate::error::Result;
use crate::model::{Entity, EntityId, EntityKind, Field};
use crate::workspace::Workspace;

/// A new version of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion<'a> {
    /// The text of its note.
    pub content: &'a str,
    /// What has changed since the version before.
    pub change_summary: Option<&'a str>,
    /// The decision that made it necessary.
    pub decision: Option<EntityId>,
}

impl NewVersion<'_> {
    /// The fields of the new document: those of the old one, the next version, and the reason. References
    /// to what does not exist are left out.
    fn fields(&self, old: &Entity, exists: impl Fn(EntityId) -> bool) -> Properties {
        let mut data = Properties::new();
        let mut set = |field: Field, value: Json| drop(data.insert(field.name().to_owned(), value));
        set(Field::Title, old.title.as_str().into());
        if let Some(workstream) = &old.workstream {
            set(Field::Workstream, workstream.as_str().into());
        }
        if let Some(priority) = old.priority {
            set(Field::Priority, priority.name().into());
        }
        if let Some(parent) = old.parent.filter(|parent| exists(*parent)) {
            set(Field::Parent, parent.to_string().into());
        }
        let decisions = old.decisions.iter().copied().chain(self.decision);
        let lists =
            [(Field::DependsOn, old.depends_on.clone()), (Field::Decisions, decisions.collect())];
        for (field, ids) in lists {
            // A decision that the caller names must exist.
            let kept = ids.iter().filter(|id| exists(**id) || Some(**id) == self.decision);
            let kept: Json = kept.map(EntityId::to_string).collect();
            if kept != Json::Array(Vec::new()) {
                set(field, kept);
            }
        }
        if !old.tags.is_empty() {
            set(Field::Tags, old.tags.iter().map(String::as_str).collect());
        }
        set(Field::Version, next_version(old).into());
        if let Some(summary) = self.change_summary {
            set(Field::ChangeSummary, summary.into());
        }
        set(Field::Supersedes, old.id.to_string().into());
        data
    }
}

impl Workspace {
    /// Creates a new version of a document, which supersedes it. The old one stays as it is, superseded.
    ///
    /// # Errors
    /// `InvalidField` if it is no document or is superseded already; otherwise as
    /// [`create`](Self::create).
    pub fn supersede_document(
        &self,
        id: EntityId,
        new: &NewVersion<'_>,
        now: Timestamp,
        cancel: CancelCheck<'_>,
    ) -> Result<Changed> {
        check_document(id)?;
        let (id, made) = self.make_changes(now, cancel, |draft| {
            let old = draft.require_entity(id)?;
            let data = new.fields(old, |id| draft.entity(id).is_some());
            let id = draft.create(EntityKind::Document, &data, new.content)?;
            draft.keep_pending();
            Ok(id)
        })?;
        take_one(made, id)
    }
}

/// The version after that of a document: its last number plus one.
fn next_version(old: &Entity) -> String {
    let version = match old.properties.get(Field::Version.name()) {
        Some(Json::String(text)) => text.trim().to_owned(),
        Some(Json::Number(number)) => number.to_string(),
        _ => "1".to_owned(),
    };
    let digits = version.len() - version.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (start, number) = version.split_at(version.len() - digits);
    match number.parse::<u64>().ok().and_then(|number| number.checked_add(1)) {
        Some(next) => format!("{start}{next}"),
        None => format!("{version}.2"),
    }
}
