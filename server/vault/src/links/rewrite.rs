//! Links that would name something else once a file is renamed, written anew.

use super::canvas;
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
        let document = Document::parse(text);
        let internal = document.links.iter().filter(|link| !link.is_external());
        let mut edits = Vec::new();
        for link in internal.filter(|link| !link.target.trim().is_empty()) {
            if let Some(target) = self.lost(&link.target, source) {
                let unlinkable = || Unlinkable(link.span.of(text).to_owned());
                let new = self.respelled(&link.target, source, target).ok_or_else(unlinkable)?;
                let new = link.notation.encode(&new).into_owned();
                edits.push((link.target_span, new, link.span));
            }
        }
        let Some(new) = spliced(text, edits.iter().map(|(span, new, _)| (*span, new))) else {
            return Ok(None);
        };
        // A name may hold what ends a link where it stands. Reading the result again tells.
        if self.keeps(&document, &Document::parse(&new), source) {
            return Ok(Some(new));
        }
        let first = edits.first().map_or("", |(_, _, link)| link.of(text));
        Err(Unlinkable(first.to_owned()))
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

    /// The text of a canvas with the paths that it needs; `None` if they are as they should be.
    ///
    /// # Errors
    /// The path that no spelling can keep.
    pub(crate) fn canvas(self, text: &str, source: FileId) -> Result<Option<String>, Unlinkable> {
        let mut edits = Vec::new();
        for shown in canvas::references(text) {
            if let Some(target) = self.lost(&shown.target, source) {
                let path = self
                    .after
                    .path(target)
                    .ok_or_else(|| Unlinkable(shown.target.clone().into_owned()))?;
                edits.push((shown.span, canvas::encode(path.as_str())));
            }
        }
        Ok(spliced(text, edits.iter().map(|(span, new)| (*span, new))))
    }
}

/// The text with other text at some places, which do not overlap; `None` if there are none.
fn spliced<'a>(text: &str, edits: impl IntoIterator<Item = (Span, &'a String)>) -> Option<String> {
    let mut edits: Vec<_> = edits.into_iter().collect();
    edits.sort_unstable_by_key(|(span, _)| *span);
    edits.first()?;
    let mut new = String::with_capacity(text.len() + 64);
    let mut end = 0;
    for (span, replacement) in edits {
        new.push_str(&text[end..span.start]);
        new.push_str(replacement);
        end = span.end;
    }
    new.push_str(&text[end..]);
    Some(new)
}
