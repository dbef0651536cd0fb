//! Patches of a section.

use super::join::{Passage, ends_with_blank_line, separator, splice};
use super::{Action, IfPresent, Patch, PatchContent, PatchError, PatchScope};
use crate::document::{Document, Heading, Span};
use crate::note::Newline;
use crate::target::{HeadingPath, NewHeadings, TargetError};

/// The deepest level of a heading.
const DEEPEST: usize = 6;

pub(super) fn apply(
    text: &str,
    newline: Newline,
    headings: &HeadingPath,
    patch: &Patch,
) -> Result<String, PatchError> {
    let document = Document::parse(text)?;
    let given = match patch.action.content() {
        Some(PatchContent::Text(given)) => newline.apply(given),
        Some(PatchContent::Value(_)) => {
            return Err(PatchError::Unsupported(
                "a section takes text, in quotes if it looks like a number; add rows to the block of a table",
            ));
        }
        None => String::new(),
    };
    let found =
        if patch.may_create() { headings.find_whole(&document) } else { headings.find(&document) };
    let heading = match found {
        Ok(heading) => heading,
        Err(TargetError::Missing { .. }) if patch.may_create() => {
            return create(&document, newline, headings, &given);
        }
        Err(error) => return Err(error.into()),
    };
    let place = match patch.scope {
        PatchScope::Content => heading.content,
        PatchScope::MarkerAndContent => heading.section(),
        PatchScope::Marker => {
            return replace_heading(&document, heading, &patch.action, given.trim());
        }
    };
    let new = given.trim();
    if patch.if_present == IfPresent::Reject && !new.is_empty() && place.slice(text).contains(new) {
        return Err(PatchError::AlreadyPresent);
    }
    let section = Section { text, newline, place };
    let set_off = patch.scope == PatchScope::MarkerAndContent;
    let patched = match patch.action {
        Action::Append(_) => section.append(&given, set_off),
        Action::Prepend(_) => section.prepend(&given, set_off),
        Action::Replace(_) => section.replace_body(Passage::new(&given).body),
        Action::Delete => section.replace_body(""),
    };
    check_headings(&document, place, patched)
}

/// The patched note, if the headings after the changed place are still there.
pub(super) fn check_headings(
    old: &Document<'_>,
    place: Span,
    patched: String,
) -> Result<String, PatchError> {
    if place.end == old.text.len() {
        return Ok(patched);
    }
    let after = |document: &Document<'_>, start: usize| {
        document.headings.iter().filter(|heading| heading.span.start >= start).count()
    };
    let rest = patched.len() - (old.text.len() - place.end);
    if after(old, place.end) == after(&Document::parse(&patched)?, rest) {
        Ok(patched)
    } else {
        Err(PatchError::Unsupported(
            "the text leaves code or HTML open, which would hide the rest of the note; close it",
        ))
    }
}

/// What follows the text of a section at the end of a note.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NoteEnd {
    /// The blank lines that were there.
    AsItWas,
    /// One line ending, or none if there was none.
    OneLineEnding,
}

/// Whole lines of a note, up to a heading or the end.
pub(super) struct Section<'a> {
    pub(super) text: &'a str,
    pub(super) newline: Newline,
    pub(super) place: Span,
}

impl Section<'_> {
    /// Adds a text at the end. A blank line separates it if it starts with one, if that is
    /// required, or if it does not continue the existing text.
    pub(super) fn append(&self, given: &str, set_off: bool) -> String {
        let added = Passage::new(given);
        let body = Passage::new(self.place.slice(self.text)).body;
        self.join(body, added.body, set_off || !added.before.is_empty(), added.body)
    }

    /// Adds a text at the start, in the same way.
    fn prepend(&self, given: &str, set_off: bool) -> String {
        let added = Passage::new(given);
        let body = Passage::new(self.place.slice(self.text)).body;
        let ends_blank = added.after.matches('\n').count() > 1;
        self.join(added.body, body, set_off || ends_blank, added.body)
    }

    /// Replaces the section's text with two texts, one of which is `added`.
    fn join(&self, first: &str, second: &str, set_off: bool, added: &str) -> String {
        if added.is_empty() {
            return self.text.to_owned();
        }
        let between = match (first.is_empty() || second.is_empty(), set_off) {
            (true, _) => "",
            (false, true) => "\n\n",
            (false, false) => separator(first, second),
        };
        self.set_body(
            &[first, &self.newline.apply(between), second].concat(),
            NoteEnd::OneLineEnding,
        )
    }

    /// Replaces the section's text with `new`, between its blank lines.
    fn replace_body(&self, new: &str) -> String {
        self.set_body(new, NoteEnd::AsItWas)
    }

    fn set_body(&self, new: &str, end: NoteEnd) -> String {
        let Passage { before, body, after } = Passage::new(self.place.slice(self.text));
        let is_last = self.place.end == self.text.len();
        let newline = self.newline.as_str();
        if new.is_empty() {
            return self.clear(body, after, is_last);
        }
        let is_reset = is_last && (body.is_empty() || end == NoteEnd::OneLineEnding);
        let after = match (is_reset, body.is_empty()) {
            (true, _) if self.text.ends_with('\n') => newline.to_owned(),
            (true, _) => String::new(),
            // Keep the blank lines before the next heading.
            (false, true) => [newline, after].concat(),
            (_, false) => after.to_owned(),
        };
        let starts_line = self.place.start == 0 || self.text[..self.place.start].ends_with('\n');
        let ending = if starts_line { "" } else { newline };
        splice(self.text, self.place, &[ending, before, new, &after].concat())
    }

    /// Removes the section's text and the blank lines that no longer separate anything.
    fn clear(&self, body: &str, after: &str, is_last: bool) -> String {
        if is_last {
            let before = self.text[..self.place.start].trim_end_matches(['\r', '\n']);
            let ended = self.text.ends_with('\n') && !before.is_empty();
            return [before, if ended { self.newline.as_str() } else { "" }].concat();
        }
        let kept = match (body.is_empty(), ends_with_blank_line(&self.text[..self.place.start])) {
            (true, _) => after,
            (false, true) => "",
            (false, false) => &after[after.find('\n').map_or(0, |newline| newline + 1)..],
        };
        splice(self.text, self.place, kept)
    }
}

/// Adds the missing headings of a path, with a text under the last.
fn create(
    document: &Document<'_>,
    newline: Newline,
    path: &HeadingPath,
    given: &str,
) -> Result<String, PatchError> {
    let NewHeadings { parent, missing, level: last_level } = path.plan(document)?;
    let level = parent.map_or(0, |heading| usize::from(heading.level));
    let deepest = level + missing.len();
    if deepest > DEEPEST {
        return Err(PatchError::Unsupported("headings have at most six levels"));
    }
    let last_level = last_level.map_or(deepest, |level| deepest.max(usize::from(level)));
    let mut added = String::new();
    for (depth, heading) in missing.iter().enumerate() {
        let is_last = depth + 1 == missing.len();
        let marks = "#".repeat(if is_last { last_level } else { level + depth + 1 });
        added = [&added, &marks, " ", heading, newline.as_str()].concat();
    }
    added.push_str(Passage::new(given).body);
    let place = parent.map_or(document.body, |heading| heading.content);
    let created = Section { text: document.text, newline, place }.append(&added, true);
    // The new heading can be named as it was given.
    match path.find(&Document::parse(&created)?) {
        Ok(_) => Ok(created),
        Err(_) => Err(PatchError::Unsupported("the target cannot be written as a heading")),
    }
}

/// Changes only the heading.
fn replace_heading(
    document: &Document<'_>,
    heading: &Heading<'_>,
    action: &Action,
    given: &str,
) -> Result<String, PatchError> {
    let text = document.text;
    let renamed = match action {
        Action::Append(_) | Action::Prepend(_) => {
            return Err(PatchError::Unsupported(
                "a heading can only be replaced or deleted; add text to its content",
            ));
        }
        Action::Delete => {
            let blank = Passage::new(heading.content.slice(text)).before.len();
            let line = Span::new(heading.span.start, heading.span.end + blank);
            return Ok(splice(text, line, ""));
        }
        Action::Replace(_) if given.is_empty() || given.contains('\n') => {
            return Err(PatchError::Unsupported("a heading must be one line of text"));
        }
        Action::Replace(_) if given.starts_with('#') => {
            let line = heading.span.slice(text).trim_end_matches(['\r', '\n']).len();
            splice(text, Span::new(heading.span.start, heading.span.start + line), given)
        }
        Action::Replace(_) if heading.text.is_empty() => {
            splice(text, heading.text_span, &format!(" {given}"))
        }
        Action::Replace(_) => splice(text, heading.text_span, given),
    };
    let is_heading = Document::parse(&renamed)?.headings.len() == document.headings.len();
    if is_heading {
        Ok(renamed)
    } else {
        Err(PatchError::Unsupported("the text cannot be written as a heading"))
    }
}
