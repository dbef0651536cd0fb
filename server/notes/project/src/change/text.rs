//! Changes of the text of notes, which leave the fields of entities alone.

use jiff::Timestamp;
use toolwrit_frontmatter::{self as frontmatter, Edit, FrontmatterBlock};
use toolwrit_vault::patch::{
    Action, IfPresent, IfTargetMissing, Patch, PatchContent, PatchScope, PatchTarget,
};
use toolwrit_vault::target::HeadingPath;
use toolwrit_vault::{CancelCheck, Etag, Note, NoteChange, VaultError, VaultPath, Written};

use super::note;
use crate::error::{ProjectError, Result};
use crate::model::{Field, Reading, format_time, read};
use crate::workspace::Workspace;

/// A change of the text of a note, below the frontmatter if the note is an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextChange {
    /// Creates the note.
    Create(String),
    /// Puts a text in the place of another one. A missing note is created.
    Replace(String),
    /// Adds a text on a line of its own. A missing note is created.
    Append(String),
    /// Puts a text in the place of that of a section.
    ReplaceSection(HeadingPath, String),
    /// Adds a text at the end of a section.
    AppendToSection(HeadingPath, String),
}

impl Workspace {
    /// Changes the text of a note of the workspace, which an id or a path names. An entity keeps its
    /// fields, and gets the time as `updated`. With `if_match`, the note must still have that etag.
    ///
    /// # Errors
    /// `InvalidField` for `content` that would make or change an entity; as
    /// [`find_note`](Self::find_note); otherwise as
    /// [`Vault::transaction`](toolwrit_vault::Vault::transaction).
    pub fn change_text(
        &self,
        name: &str,
        change: &TextChange,
        if_match: Option<&Etag>,
        now: Timestamp,
        cancel: CancelCheck<'_>,
    ) -> Result<Written> {
        let plan = || {
            // Nothing may wait for the index here; it includes everything already.
            let project = self.project(cancel)?;
            let path = self.note_path(name, &project)?;
            let changed = match (self.vault().read(&path, None), change.new_note()) {
                (Ok(note), _) => apply_text_change(note, change, if_match, now)?,
                (Err(VaultError::NotFound { .. }), Some(content)) if if_match.is_none() => {
                    let content = check_no_entity(&path, content.to_owned())?;
                    NoteChange::Create { path, content }
                }
                (Err(error), _) => return Err(error.into()),
            };
            Ok::<_, ProjectError>((vec![changed], ()))
        };
        let (written, ()) = self.vault().transaction(plan, cancel)?;
        written.into_iter().next().ok_or(ProjectError::Aborted)
    }
}

impl TextChange {
    /// The text of a note that it creates; `None` if the note must exist.
    fn new_note(&self) -> Option<&str> {
        match self {
            Self::Create(text) | Self::Replace(text) | Self::Append(text) => Some(text),
            Self::ReplaceSection(..) | Self::AppendToSection(..) => None,
        }
    }
}

/// The change of a note that exists.
fn apply_text_change(
    old: Note,
    change: &TextChange,
    if_match: Option<&Etag>,
    now: Timestamp,
) -> Result<NoteChange> {
    let Note { path, content: before, etag, .. } = old;
    if if_match.is_some_and(|expected| *expected != etag) {
        return Err(VaultError::Conflict { path, current: etag }.into());
    }
    let is_entity = is_entity(&path, &before)?;
    let if_match = Some(etag);
    let edits = |section: &HeadingPath, action: Action| {
        let updated = || note::to_patch(Field::Updated.name(), Some(&format_time(now)));
        let patches = [section_patch(section.clone(), action)].into_iter();
        patches.chain(is_entity.then(updated)).collect()
    };
    let text = |text: &str| PatchContent::Text(text.to_owned());
    let content = match change {
        TextChange::Create(_) => return Err(VaultError::AlreadyExists { path }.into()),
        TextChange::ReplaceSection(section, new) => {
            let patches = edits(section, Action::Replace(text(new)));
            return Ok(NoteChange::Patch { path, patches, if_match });
        }
        TextChange::AppendToSection(section, new) => {
            let patches = edits(section, Action::Append(text(new)));
            return Ok(NoteChange::Patch { path, patches, if_match });
        }
        TextChange::Replace(text) if is_entity => with_body(&before, text)?,
        TextChange::Replace(text) => text.clone(),
        TextChange::Append(text) => append(&before, text),
    };
    let content = if !is_entity {
        check_no_entity(&path, content)?
    } else if content == before {
        content
    } else {
        let updated = Edit::Set(format_time(now));
        let edited = frontmatter::edit(&content, Field::Updated.name(), &updated);
        edited.map_err(|error| refusal(error.to_string()))?
    };
    Ok(NoteChange::Replace { path, content, if_match })
}

/// Whether a note is an entity.
///
/// # Errors
/// If it is one that cannot be read, because it must not be overwritten.
fn is_entity(path: &VaultPath, text: &str) -> Result<bool> {
    match read(path, text, None) {
        Reading::Entity(..) => Ok(true),
        Reading::Other => Ok(false),
        Reading::Broken(Some(id), problem) => {
            Err(ProjectError::Unreadable { id, problem: Box::new(problem) })
        }
        Reading::Broken(None, problem) => {
            Err(refusal(format!("the note cannot be used until it is corrected: {problem}")))
        }
    }
}

fn section_patch(section: HeadingPath, action: Action) -> Patch {
    Patch {
        target: PatchTarget::Heading(section),
        scope: PatchScope::Content,
        action,
        if_missing: IfTargetMissing::Fail,
        if_present: IfPresent::Apply,
    }
}

/// The text of an entity with another body.
fn with_body(before: &str, body: &str) -> Result<String> {
    if FrontmatterBlock::find(body).is_some() {
        return Err(refusal("the text has frontmatter; the fields are changed by name".to_owned()));
    }
    let fields = FrontmatterBlock::find(before).map_or("", |block| &before[..block.span.end]);
    let body = body.trim_start_matches('\n');
    Ok(if body.is_empty() { fields.to_owned() } else { format!("{fields}\n{body}") })
}

fn append(before: &str, text: &str) -> String {
    let separator = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{separator}{text}")
}

/// The text, if the note is no entity with it: entities are created with checked fields.
fn check_no_entity(path: &VaultPath, text: String) -> Result<String> {
    match read(path, &text, None) {
        Reading::Other => Ok(text),
        _ => Err(refusal(
            "the note would be an entity; create entities with their fields".to_owned(),
        )),
    }
}

fn refusal(reason: String) -> ProjectError {
    ProjectError::InvalidField { field: "content".to_owned(), reason }
}
