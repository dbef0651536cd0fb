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
use crate::model::{Field, Reading, format_time, read_text};
use crate::project::Project;
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
    /// Puts a text in the place of lines, counted from 1. With `to` right before `from`, adds it before line `from`.
    ReplaceLines {
        /// The first line.
        from: usize,
        /// The last line.
        to: usize,
        text: String,
    },
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
                (Ok(note), _) => self.apply_text_change(&project, note, change, if_match, now)?,
                (Err(VaultError::NotFound { .. }), Some(content)) if if_match.is_none() => {
                    let content = self.check_no_entity(&project, &path, content.to_owned())?;
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
            Self::ReplaceSection(..) | Self::AppendToSection(..) | Self::ReplaceLines { .. } => {
                None
            }
        }
    }
}

impl Workspace {
    /// The change of a note that exists.
    fn apply_text_change(
        &self,
        project: &Project,
        old: Note,
        change: &TextChange,
        if_match: Option<&Etag>,
        now: Timestamp,
    ) -> Result<NoteChange> {
        let Note { path, content: before, etag, .. } = old;
        if if_match.is_some_and(|expected| *expected != etag) {
            return Err(VaultError::Conflict { path, current: etag }.into());
        }
        let words = project.words();
        let is_entity = self.is_entity(project, &path, &before)?;
        let updated = words.properties(Field::Updated).first().map(|name| (*name).to_owned());
        let updated = updated.filter(|_| is_entity);
        let if_match = Some(etag);
        let edits = |section: &HeadingPath, action: Action| {
            let updated =
                updated.as_ref().map(|name| note::to_patch(name, Some(&format_time(now))));
            [section_patch(section.clone(), action)].into_iter().chain(updated).collect()
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
            TextChange::ReplaceLines { from, to, text } => {
                replace_lines(&before, *from, *to, text, is_entity)?
            }
        };
        let content = if !is_entity {
            self.check_still_no_entity(project, &path, &before, content)?
        } else if content == before {
            content
        } else if let Some(name) = &updated {
            let edited = frontmatter::edit(&content, name, &Edit::Set(format_time(now)));
            edited.map_err(|error| refusal(error.to_string()))?
        } else {
            content
        };
        Ok(NoteChange::Replace { path, content, if_match })
    }

    /// Whether a note is an entity.
    ///
    /// # Errors
    /// If it is one that cannot be read, because it must not be overwritten, or if another note has its id.
    fn is_entity(&self, project: &Project, path: &VaultPath, text: &str) -> Result<bool> {
        match read_text(path, text, self.folder(), project.words()) {
            Reading::Entity(entity, _) => match project.copies(entity.id) {
                [] => Ok(true),
                [copy, ..] => {
                    let original = project.require_entity(entity.id)?.path.clone();
                    let (id, copy) = (entity.id, copy.clone());
                    Err(ProjectError::Ambiguous { id, path: original, copy })
                }
            },
            Reading::Other(_) | Reading::Nameless(..) => Ok(false),
            Reading::Broken(Some(id), problem) => {
                Err(ProjectError::Unreadable { id, problem: Box::new(problem) })
            }
            Reading::Broken(None, problem) => {
                Err(refusal(format!("the note cannot be used until it is corrected: {problem}")))
            }
        }
    }

    /// The text, if the note is no entity with it: entities are created with checked fields.
    fn check_no_entity(&self, project: &Project, path: &VaultPath, text: String) -> Result<String> {
        match read_text(path, &text, self.folder(), project.words()) {
            Reading::Other(_) => Ok(text),
            _ => Err(refusal(
                "the note would be an entity; create entities with their fields".to_owned(),
            )),
        }
    }

    /// As [`check_no_entity`](Self::check_no_entity), for another text of a note, which may lack an id as before.
    fn check_still_no_entity(
        &self,
        project: &Project,
        path: &VaultPath,
        before: &str,
        text: String,
    ) -> Result<String> {
        let is_nameless = |text: &str| {
            let reading = read_text(path, text, self.folder(), project.words());
            matches!(reading, Reading::Nameless(..))
        };
        match (is_nameless(before), is_nameless(&text)) {
            (true, true) => Ok(text),
            (true, false) => {
                Err(refusal("the note would lose the fields that make it an entity".to_owned()))
            }
            (false, _) => self.check_no_entity(project, path, text),
        }
    }
}

/// A text with other lines in place of some, counted from 1; `to` before `from` inserts before a line.
fn replace_lines(
    before: &str,
    from: usize,
    to: usize,
    new: &str,
    is_entity: bool,
) -> Result<String> {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let first = FrontmatterBlock::find(before)
        .map_or(0, |block| before[..block.span.end].split_inclusive('\n').count());
    let is_inside = from >= 1 && from <= lines.len() + 1 && to <= lines.len() && to + 1 >= from;
    if !is_inside {
        return Err(refusal(format!("the note has {} lines; got {from} to {to}", lines.len())));
    }
    if is_entity && from <= first {
        return Err(refusal(format!("lines 1 to {first} are fields, which are changed by name")));
    }
    let start: String = lines[..from - 1].concat();
    let end = lines[to.max(from - 1)..].concat();
    let new =
        if new.is_empty() || new.ends_with('\n') { new.to_owned() } else { format!("{new}\n") };
    let gap = if start.is_empty() || start.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{start}{gap}{new}{end}"))
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

fn refusal(reason: String) -> ProjectError {
    ProjectError::InvalidField { field: "content".to_owned(), reason }
}
