//! New versions of documents.

use jiff::Timestamp;
use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::CancelCheck;

use super::{Changed, take_one};
use crate::documents::check_document;
use crate::error::Result;
use crate::model::{Entity, EntityId, EntityKind, Field};
use crate::selection::note_body;
use crate::workspace::Workspace;

/// A new version of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion<'a> {
    /// The text of its note; that of the old one by default.
    pub content: Option<&'a str>,
    /// What has changed since the version before.
    pub change_summary: Option<&'a str>,
    /// The decision that made it necessary.
    pub decision: Option<EntityId>,
}

impl NewVersion<'_> {
    /// The fields of the new document: those of the old one with the team's own properties, the next version, and
    /// the reason. References to what does not exist are left out.
    fn fields(&self, old: &Entity, exists: impl Fn(EntityId) -> bool) -> Properties {
        let mut data = Properties::new();
        for (name, value) in &old.properties {
            let is_kept =
                |field: Field| field.why_not_settable().is_none() && !NOT_KEPT.contains(&field);
            if Field::from_name(name).is_none_or(is_kept) && !value.is_null() {
                data.insert(name.clone(), value.clone());
            }
        }
        let mut set = |field: Field, value: Json| drop(data.insert(field.name().to_owned(), value));
        set(Field::Title, old.title.as_str().into());
        let decisions: Vec<EntityId> = old.decisions.iter().copied().chain(self.decision).collect();
        let lists = [
            (Field::DependsOn, &old.depends_on, &old.depends_on),
            (Field::Enables, &old.enables, &old.enables),
            (Field::Decisions, &decisions, &old.decisions),
        ];
        for (field, ids, written) in lists {
            // A decision that the caller names must exist.
            let is_kept = |id: &&EntityId| exists(**id) || Some(**id) == self.decision;
            let kept: Vec<String> = ids.iter().filter(is_kept).map(EntityId::to_string).collect();
            // Otherwise the references stay as they are written.
            if ids != written || kept.len() < ids.len() {
                set(field, kept.into());
            }
        }
        if old.parent.is_some_and(|parent| !exists(parent)) {
            set(Field::Parent, Json::Null);
        }
        set(Field::Version, next_version(old));
        if let Some(summary) = self.change_summary {
            set(Field::ChangeSummary, summary.into());
        }
        set(Field::Supersedes, old.id.to_string().into());
        data.retain(|_, value| !value.is_null() && *value != Json::Array(Vec::new()));
        data
    }
}

/// Fields that are those of a single version.
const NOT_KEPT: [Field; 4] =
    [Field::Status, Field::Archived, Field::ChangeSummary, Field::AcceptanceCriteria];

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
            let body = match new.content {
                Some(content) => content.to_owned(),
                None => note_body(&self.vault().read(&old.path, None)?.content).to_owned(),
            };
            let id = draft.create(EntityKind::Document, &data, &body)?;
            draft.keep_pending();
            self.forget(draft)?;
            Ok(id)
        })?;
        take_one(made, id)
    }
}

/// The version after that of a document: its last number plus one. A number stays one.
fn next_version(old: &Entity) -> Json {
    let version = match old.properties.get(Field::Version.name()) {
        Some(Json::String(text)) => text.trim().to_owned(),
        Some(Json::Number(number)) => {
            match number.as_u64().and_then(|number| number.checked_add(1)) {
                Some(next) => return next.into(),
                None => number.to_string(),
            }
        }
        _ => "1".to_owned(),
    };
    let digits = version.len() - version.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (start, number) = version.split_at(version.len() - digits);
    match number.parse::<u64>().ok().and_then(|number| number.checked_add(1)) {
        Some(next) => format!("{start}{next}").into(),
        None => format!("{version}.2").into(),
    }
}
