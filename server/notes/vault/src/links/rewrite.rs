//! Rewrites links that would name another file after a rename.

use super::canvas::{self, Canvas};
use super::form::Respelling;
use super::names::FileId;
use super::resolve::{NamesView, PathMatch};
use crate::document::{Document, Excess, Link, Notation, Span};
use crate::obsidian::settings::LinkFormat;

/// The names before and after a rename.
#[derive(Clone, Copy)]
pub(crate) struct LinkChange<'a> {
    pub(crate) before: NamesView<'a>,
    pub(crate) after: NamesView<'a>,
    /// How links are written, if the settings say so.
    pub(crate) format: Option<LinkFormat>,
}

/// A link that has no spelling that names its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unlinkable(pub(crate) String);

impl LinkChange<'_> {
    /// The file that a target names before the change, if it names another file, or none, after it.
    pub(crate) fn find_retargeted(self, target: &str, source: FileId) -> Option<FileId> {
        let before = self.before.resolve(target, source)?;
        (self.after.resolve(target, source) != Some(before)).then_some(before)
    }

    /// Whether a link with this target may have to be rewritten, in any notation.
    pub(crate) fn may_affect(self, target: &str, source: FileId) -> bool {
        let Some(file) = self.before.resolve(target, source) else { return false };
        let is_canvas = || self.before.path(source).is_some_and(|path| !path.is_note());
        self.after.resolve(target, source) != Some(file)
            || self.is_moved(file) && is_canvas()
            || self.breaks_path(target, source, file)
            || self.becomes_ambiguous(target, source)
    }

    /// Whether a file gets another path.
    fn is_moved(self, file: FileId) -> bool {
        self.before.path(file) != self.after.path(file)
    }

    /// Whether a link names another file, or none, after the change.
    fn is_retargeted(self, link: &Link<'_>, source: FileId) -> bool {
        self.find_retargeted(&link.target, source).is_some()
    }

    /// Whether a link is retargeted, or becomes ambiguous or unusable for other programs.
    fn is_weakened(self, link: &Link<'_>, source: FileId) -> bool {
        let Some(file) = self.before.resolve(&link.target, source) else { return false };
        self.is_retargeted(link, source)
            || if self.is_path_link(link, source, file) {
                self.breaks_path(&link.target, source, file)
            } else {
                self.becomes_ambiguous(&link.target, source)
            }
    }

    /// Whether a link is a Markdown link whose target is a path that other programs follow.
    fn is_path_link(self, link: &Link<'_>, source: FileId, file: FileId) -> bool {
        let markdown = matches!(link.notation, Notation::Percent | Notation::Angle);
        markdown && self.is_path(&link.target, source, file)
    }

    /// The new target of a link; `None` if no spelling names its file.
    fn respell(self, link: &Link<'_>, source: FileId) -> Option<String> {
        let Self { before, after, format } = self;
        let target = before.resolve(&link.target, source)?;
        let is_relative_path = self.is_path_link(link, source, target);
        Respelling { before, after, source, target, is_relative_path, format }
            .spell_like(&link.target)
    }

    /// Whether a target is a path that other programs follow, and should stay one.
    fn is_path(self, target: &str, source: FileId, file: FileId) -> bool {
        matches!(self.format, None | Some(LinkFormat::Relative))
            && self.before.relative_path(target, source, file) != PathMatch::Different
    }

    /// Whether a target is a path that other programs can no longer follow as they did.
    fn breaks_path(self, target: &str, source: FileId, file: FileId) -> bool {
        self.is_path(target, source, file)
            && self.after.relative_path(target, source, file)
                < self.before.relative_path(target, source, file)
    }

    /// Whether a target that was unambiguous becomes ambiguous by the change. With the shortest
    /// possible links, Obsidian writes no ambiguous ones.
    fn becomes_ambiguous(self, target: &str, source: FileId) -> bool {
        matches!(self.format, None | Some(LinkFormat::Shortest))
            && !self.after.is_unique(target, source)
            && self.before.is_unique(target, source)
    }

    /// The text of a note with its links rewritten; `None` if no link changes.
    ///
    /// # Errors
    /// The link that cannot be rewritten.
    pub(crate) fn rewrite_note(
        self,
        text: &str,
        source: FileId,
    ) -> Result<Option<String>, Unlinkable> {
        Ok(apply_edits(text, self.find_edits(text, source)?))
    }

    /// The replacements for the link targets in Markdown. If an optional rewrite of a link fails,
    /// only the necessary ones are made.
    fn find_edits(self, text: &str, source: FileId) -> Result<Vec<SpanEdit>, Unlinkable> {
        let document = Document::parse(text).map_err(unreadable_error)?;
        self.find_edits_where(&document, source, Self::is_weakened)
            .or_else(|_| self.find_edits_where(&document, source, Self::is_retargeted))
    }

    fn find_edits_where(
        self,
        document: &Document<'_>,
        source: FileId,
        is_needed: fn(Self, &Link<'_>, FileId) -> bool,
    ) -> Result<Vec<SpanEdit>, Unlinkable> {
        let text = document.text;
        let internal = document.links.iter().filter(|link| !link.is_external());
        let mut edits = Vec::new();
        let mut first = None;
        for link in internal.filter(|link| is_needed(self, link, source)) {
            let unlinkable = || Unlinkable(link.span.slice(text).to_owned());
            let new = self.respell(link, source).ok_or_else(unlinkable)?;
            edits.push((link.target_span, link.notation.encode(&new).into_owned()));
            first.get_or_insert(link.span);
        }
        // A name may contain characters that end a link there. Parse the result to check.
        if let (Some(first), Some(new)) = (first, apply_edits(text, edits.clone())) {
            let new = Document::parse(&new).map_err(unreadable_error)?;
            if !self.keeps_targets(document, &new, source) {
                return Err(Unlinkable(first.slice(text).to_owned()));
            }
        }
        Ok(edits)
    }

    /// Whether the links of the new text name the same files as those of the old one.
    fn keeps_targets(self, old: &Document<'_>, new: &Document<'_>, source: FileId) -> bool {
        let same = |(old, new): (&crate::document::Link<'_>, &crate::document::Link<'_>)| {
            let before = self.before.resolve(&old.target, source);
            (old.kind, &old.subpath, old.display) == (new.kind, &new.subpath, new.display)
                && (before.is_none() || self.after.resolve(&new.target, source) == before)
        };
        old.links.len() == new.links.len() && old.links.iter().zip(&new.links).all(same)
    }

    /// The text of a canvas with its paths and links rewritten; `None` if none changes.
    ///
    /// # Errors
    /// The path or link that cannot be rewritten.
    pub(crate) fn rewrite_canvas(
        self,
        text: &str,
        source: FileId,
    ) -> Result<Option<String>, Unlinkable> {
        let canvas = Canvas::parse(text);
        let mut edits = Vec::new();
        for shown in canvas.files {
            // A node has the path of its file, which Obsidian does not search as that of a link.
            let file = self.before.resolve(&shown.target, source);
            let is_moved = file.filter(|&file| self.is_moved(file));
            if let Some(file) = is_moved.or_else(|| self.find_retargeted(&shown.target, source)) {
                let path = self.after.path(file).ok_or(Unlinkable(shown.target))?;
                edits.push((shown.span, canvas::encode_json(path.as_str())));
            }
        }
        for card in canvas.cards {
            for (span, new) in self.find_edits(&card.text, source)? {
                let quoted = canvas::encode_json(&new);
                edits.push((card.span_in_canvas(span), quoted[1..quoted.len() - 1].to_owned()));
            }
        }
        Ok(apply_edits(text, edits))
    }
}

/// The error for a text that is too large to be parsed: none of its links can be rewritten.
fn unreadable_error(excess: Excess) -> Unlinkable {
    Unlinkable(format!("[[..]], for {excess}"))
}

/// A replacement for a part of a text.
type SpanEdit = (Span, String);

/// The text with replacements, which do not overlap; `None` if there are none.
fn apply_edits(text: &str, mut edits: Vec<SpanEdit>) -> Option<String> {
    edits.sort_unstable_by_key(|(span, _)| *span);
    edits.first()?;
    let mut new = String::with_capacity(text.len() + 64);
    let mut end = 0;
    for (span, replacement) in edits {
        new.push_str(&text[end..span.start]);
        new.push_str(&replacement);
        end = span.end;
    }
    new.push_str(&text[end..]);
    Some(new)
}
