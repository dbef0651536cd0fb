//! Changing one task of a note.

use super::syntax::check_markdown;
use super::write::{check_content, rewrite_and_tell};
use super::{ChangeMode, Vault, decode};
use crate::document::{Document, ListItem, TaskItem};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::note::Newline;
use crate::patch::PatchError;
use crate::path::VaultPath;
use crate::target::TaskTarget;

/// The line of a task: `indent`, `marker`, `[`, `status`, `]`, `body`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskLine<'a> {
    /// What is before the marker of its item: white space, quote marks, and the markers of items that begin on the same line.
    pub indent: &'a str,
    /// The marker of its item, with the white space behind it.
    pub marker: &'a str,
    /// The character in the box.
    pub status: char,
    /// The rest of the line, without the line ending.
    pub body: &'a str,
}

/// What becomes of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskEdit {
    pub status: char,
    /// The rest of its line.
    pub body: String,
    /// Another task beside it.
    pub added: Option<AddedTask>,
}

/// A task that is added beside another one, with the same indent and marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedTask {
    pub status: char,
    pub body: String,
    pub place: AddedPlace,
}

/// Where a task is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddedPlace {
    /// On the line above.
    Above,
    /// On the line below the task's own text.
    Below,
}

/// A rule by which tasks are changed.
pub trait TaskChange: Send + 'static {
    /// Whether it changes tasks with this status. Others are not meant if several have the text that a caller gives.
    fn applies(&self, status: char) -> bool;

    /// The task after the change.
    ///
    /// # Errors
    /// Why this task cannot be changed so.
    fn edit(&self, task: &TaskLine<'_>) -> Result<TaskEdit, String>;
}

/// A task after a change, or in a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedTask {
    /// The note, under its own name.
    pub path: VaultPath,
    /// The number of its line after the change, from 1.
    pub line: usize,
    /// Its line before the change.
    pub before: String,
    /// Its line after the change.
    pub after: String,
    /// The line of the task that was added.
    pub added: Option<String>,
    /// The version of the note; of a preview, that of the unchanged note.
    pub etag: Etag,
}

impl Vault {
    /// Changes one task of a note. Every byte outside its line stays.
    ///
    /// # Errors
    /// `NotPatched` if the task is missing or ambiguous, or the rule refuses it; otherwise as [`patch`](Self::patch).
    pub fn change_task(
        &self,
        path: &VaultPath,
        target: &TaskTarget,
        change: impl TaskChange,
        mode: ChangeMode,
        if_match: Option<&Etag>,
    ) -> Result<ChangedTask> {
        let (_awaited, writer) = self.lock_writer_for(path)?;
        let entry = self.root().find_existing(path)?;
        check_markdown(&entry.path)?;
        let target = target.clone();
        let (written, edited) = rewrite_and_tell(&writer, entry, if_match, move |entry, bytes| {
            let old = decode(entry, bytes)?;
            let edited = edit(&old.text, old.format.newline, &target, &change)
                .map_err(|reason| VaultError::NotPatched { path: entry.path.clone(), reason })?;
            check_content(&entry.path, &edited.text)?;
            let is_written = mode == ChangeMode::Change && edited.text != old.text;
            let bytes = is_written.then(|| old.format.encoding.encode(&edited.text));
            Ok((bytes, edited))
        })?;
        let EditedTask { line, before, after, added, .. } = edited;
        Ok(ChangedTask { path: written.path, line, before, after, added, etag: written.etag })
    }
}

/// A text in which a task has been changed.
struct EditedTask {
    text: String,
    line: usize,
    before: String,
    after: String,
    added: Option<String>,
}

fn edit(
    text: &str,
    newline: Newline,
    target: &TaskTarget,
    change: &impl TaskChange,
) -> Result<EditedTask, PatchError> {
    let document = Document::parse(text)?;
    let (item, task) = target.find(&document, |status| change.applies(status))?;
    let start = text[..item.span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = line_end(text, task.status_span.end);
    let line = split_line(text, &item, task);
    let TaskEdit { status, body, added } = change.edit(&line).map_err(PatchError::Refused)?;
    let TaskLine { indent, marker, .. } = line;
    let is_alone = indent.chars().all(|c| c.is_whitespace() || c == '>');
    if added.is_some() && !is_alone {
        let reason = "its item begins on the line of another item, and the next task needs a line of its own";
        return Err(PatchError::Refused(reason.to_owned()));
    }
    let compose = |status: char, body: &str| format!("{indent}{marker}[{status}]{body}");
    let after = compose(status, &body);
    let newline = newline.as_str();
    let own_end = line_end(text, item.span.end.max(end));
    let mut number = text[..start].matches('\n').count() + 1;
    let rest = &text[end..own_end];
    let (written, added) = match added {
        None => ([&after, rest].concat(), None),
        Some(AddedTask { status, body, place }) => {
            let added = compose(status, &body);
            let written = match place {
                AddedPlace::Above => {
                    number += 1;
                    [&added, newline, &after, rest].concat()
                }
                AddedPlace::Below => [&after, rest, newline, &added].concat(),
            };
            (written, Some(added))
        }
    };
    let edited = [&text[..start], &written, &text[own_end..]].concat();
    Ok(EditedTask { text: edited, line: number, before: text[start..end].to_owned(), after, added })
}

/// The line on which a task begins.
pub(super) fn split_line<'a>(text: &'a str, item: &ListItem, task: TaskItem) -> TaskLine<'a> {
    let start = text[..item.span.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = line_end(text, task.status_span.end);
    let bracket = task.status_span.start - 1;
    TaskLine {
        indent: &text[start..item.span.start],
        marker: &text[item.span.start..bracket],
        status: task.status,
        body: &text[task.status_span.end + 1..end],
    }
}

/// The end of the line that a place is in, before its line ending.
fn line_end(text: &str, place: usize) -> usize {
    let end = text[place..].find('\n').map_or(text.len(), |length| place + length);
    if text[..end].ends_with('\r') && end > place { end - 1 } else { end }
}
