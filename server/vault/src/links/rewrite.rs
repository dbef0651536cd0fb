//! Links that would name something else once a file is renamed, written anew.

use super::canvas::{self, Canvas};
use super::form::Respelling;
use super::names::FileId;
use super::resolve::View;
use crate::document::{Document, Excess, Link, Notation, Span};
use crate::obsidian::LinkFormat;

/// The names before and after a renaming.
#[derive(Clone, Copy)]
pub(crate) struct LinkChange<'a> {
    pub(crate) before: View<'a>,
    pub(crate) after: View<'a>,
    /// How links are written, if the settings say so.
    pub(crate) format: Option<LinkFormat>,
}

/// A link that cannot be written so that it names its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unlinkable(pub(crate) String);

impl LinkChange<'_> {
    /// The file that a target names before the change, if it names another one, or none, after it.
    pub(crate) fn retargeted(self, target: &str, source: FileId) -> Option<FileId> {
        let before = self.before.resolve(target, source)?;
        (self.after.resolve(target, source) != Some(before)).then_some(before)
    }

    /// Whether a link with this target may have to be written anew, whatever its kind.
    pub(crate) fn affects(self, target: &str, source: FileId) -> bool {
        let Some(file) = self.before.resolve(target, source) else { return false };
        self.after.resolve(target, source) != Some(file)
            || self.is_path(target, source, file)
                && !self.after.is_relative_path(target, source, file)
            || self.blurs(target, source)
    }

    /// Whether a link names another file, or none, after the change.
    fn is_lost(self, link: &Link<'_>, source: FileId) -> bool {
        self.retargeted(&link.target, source).is_some()
    }

    /// Whether a link is retargeted, or names its file only for some programs or only for now.
    fn is_weakened(self, link: &Link<'_>, source: FileId) -> bool {
        let Some(file) = self.before.resolve(&link.target, source) else { return false };
        self.is_lost(link, source)
            || if self.is_path_link(link, source, file) {
                !self.after.is_relative_path(&link.target, source, file)
            } else {
                self.blurs(&link.target, source)
            }
    }

    /// Whether a link is one of Markdown whose target is a path that other programs follow.
    fn is_path_link(self, link: &Link<'_>, source: FileId, file: FileId) -> bool {
        let markdown = matches!(link.notation, Notation::Percent | Notation::Angle);
        markdown && self.is_path(&link.target, source, file)
    }

    /// What to write as the target of a link; `None` if nothing names its file.
    fn respelled(self, link: &Link<'_>, source: FileId) -> Option<String> {
        let Self { before, after, format } = self;
        let target = before.resolve(&link.target, source)?;
        let is_relative_path = self.is_path_link(link, source, target);
        Respelling { before, after, source, target, is_relative_path, format }.of(&link.target)
    }

    /// Whether a target is a path that other programs follow, and to be kept as one.
    fn is_path(self, target: &str, source: FileId, file: FileId) -> bool {
        matches!(self.format, None | Some(LinkFormat::Relative))
            && self.before.is_relative_path(target, source, file)
    }

    /// Whether a target that could name one file only could name several after the change. Where
    /// links are the shortest possible, Obsidian writes no such links.
    fn blurs(self, target: &str, source: FileId) -> bool {
        matches!(self.format, None | Some(LinkFormat::Shortest))
            && !self.after.is_unique(target, source)
            && self.before.is_unique(target, source)
    }

    /// The text of a note with the links that it needs; `None` if they are as they should be.
    ///
    /// # Errors
    /// The link that no spelling can keep.
    pub(crate) fn note(self, text: &str, source: FileId) -> Result<Option<String>, Unlinkable> {
        Ok(spliced(text, self.edits(text, source)?))
    }

    /// What to write in Markdown in place of the targets of its links. Where a link that could stay
    /// cannot be written anew, only those that cannot stay are.
    fn edits(self, text: &str, source: FileId) -> Result<Vec<SpanEdit>, Unlinkable> {
        let document = Document::parse(text).map_err(unreadable)?;
        self.edits_of(&document, source, Self::is_weakened)
            .or_else(|_| self.edits_of(&document, source, Self::is_lost))
    }

    fn edits_of(
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
            let unlinkable = || Unlinkable(link.span.of(text).to_owned());
            let new = self.respelled(link, source).ok_or_else(unlinkable)?;
            edits.push((link.target_span, link.notation.encode(&new).into_owned()));
            first.get_or_insert(link.span);
        }
        // A name may hold what ends a link where it stands. Reading the result again tells.
        if let (Some(first), Some(new)) = (first, spliced(text, edits.clone())) {
            let new = Document::parse(&new).map_err(unreadable)?;
            if !self.keeps(document, &new, source) {
                return Err(Unlinkable(first.of(text).to_owned()));
            }
        }
        Ok(edits)
    }

    /// Whether the links of the new text name what those of the old one named.
    fn keeps(self, old: &Document<'_>, new: &Document<'_>, source: FileId) -> bool {
        let same = |(old, new): (&crate::document::Link<'_>, &crate::document::Link<'_>)| {
            let before = self.before.resolve(&old.target, source);
            (old.kind, &old.subpath, old.display) == (new.kind, &new.subpath, new.display)
                && (before.is_none() || self.after.resolve(&new.target, source) == before)
        };
        old.links.len() == new.links.len() && old.links.iter().zip(&new.links).all(same)
    }

    /// The text of a canvas with the paths and links that it needs; `None` if they are as they should
    /// be.
    ///
    /// # Errors
    /// The path or link that no spelling can keep.
    pub(crate) fn canvas(self, text: &str, source: FileId) -> Result<Option<String>, Unlinkable> {
        let canvas = Canvas::parse(text);
        let mut edits = Vec::new();
        for shown in canvas.files {
            if let Some(target) = self.retargeted(&shown.target, source) {
                let path = self.after.path(target).ok_or(Unlinkable(shown.target))?;
                edits.push((shown.span, canvas::encode(path.as_str())));
            }
        }
        for card in canvas.cards {
            for (span, new) in self.edits(&card.text, source)? {
                let quoted = canvas::encode(&new);
                edits.push((card.place(span), quoted[1..quoted.len() - 1].to_owned()));
            }
        }
        Ok(spliced(text, edits))
    }
}

/// None of the links of a text that is too large can be kept.
fn unreadable(excess: Excess) -> Unlinkable {
    Unlinkable(format!("[[..]], for {excess}"))
}

/// What to write in place of a part of a text.
type SpanEdit = (Span, String);

/// The text with other text at some places, which do not overlap; `None` if there are none.
fn spliced(text: &str, mut edits: Vec<SpanEdit>) -> Option<String> {
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
