//! Links that would name something else once a file is renamed, written anew.

use super::canvas::{self, Canvas};
use super::form::Respelling;
use super::names::FileId;
use super::resolve::View;
use crate::document::{Document, Span};
use crate::obsidian::LinkFormat;

/// The names before and after a renaming.
#[derive(Clone, Copy)]
pub(crate) struct Change<'a> {
    pub(crate) before: View<'a>,
    pub(crate) after: View<'a>,
    /// The form of links that cannot keep theirs.
    pub(crate) format: LinkFormat,
}

/// A link that cannot be written so that it names its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unlinkable(pub(crate) String);

impl Change<'_> {
    /// The file that a target names before the change, if it names another one, or none, after it.
    pub(crate) fn lost(self, target: &str, source: FileId) -> Option<FileId> {
        let before = self.before.resolve(target, source)?;
        (self.after.resolve(target, source) != Some(before)).then_some(before)
    }

    fn respelled(self, old: &str, source: FileId, target: FileId) -> Option<String> {
        let Self { before, after, format } = self;
        Respelling { before, after, source, target, format }.of(old)
    }

    /// The text of a note with the links that it needs; `None` if they are as they should be.
    ///
    /// # Errors
    /// The link that no spelling can keep.
    pub(crate) fn note(self, text: &str, source: FileId) -> Result<Option<String>, Unlinkable> {
        Ok(spliced(text, self.edits(text, source)?))
    }

    /// What to write in Markdown in place of the targets of its links.
    fn edits(self, text: &str, source: FileId) -> Result<Vec<Edit>, Unlinkable> {
        let document = Document::parse(text);
        let internal = document.links.iter().filter(|link| !link.is_external());
        let mut edits = Vec::new();
        let mut first = None;
        for link in internal.filter(|link| !link.target.trim().is_empty()) {
            if let Some(target) = self.lost(&link.target, source) {
                let unlinkable = || Unlinkable(link.span.of(text).to_owned());
                let new = self.respelled(&link.target, source, target).ok_or_else(unlinkable)?;
                edits.push((link.target_span, link.notation.encode(&new).into_owned()));
                first.get_or_insert(link.span);
            }
        }
        // A name may hold what ends a link where it stands. Reading the result again tells.
        match (first, spliced(text, edits.clone())) {
            (Some(first), Some(new)) if !self.keeps(&document, &Document::parse(&new), source) => {
                Err(Unlinkable(first.of(text).to_owned()))
            }
            _ => Ok(edits),
        }
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
            if let Some(target) = self.lost(&shown.target, source) {
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

/// What to write in place of a part of a text.
type Edit = (Span, String);

/// The text with other text at some places, which do not overlap; `None` if there are none.
fn spliced(text: &str, mut edits: Vec<Edit>) -> Option<String> {
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
