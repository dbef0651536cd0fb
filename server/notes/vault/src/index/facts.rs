//! What the index stores of a file, besides its words.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::words::{EntryId, WeightedText, Words};
use crate::document::Document;
use crate::links::FileId;
use crate::links::canvas::Canvas;
use crate::path::{VaultPath, fold};
use crate::query::PropertyValues;
use toolwrit_frontmatter as frontmatter;

/// Additional weights of words in titles and headings.
const TITLE: u32 = 5;
const HEADING: u32 = 2;

/// The links, tags and properties of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// The targets of its links, decoded, without subpaths; each once.
    pub(crate) targets: TextList,
    /// Without `#`, as written; one spelling if several differ only in case.
    pub(crate) tags: TextList,
    /// Its frontmatter; `tags` has all tags of the note. `None` if the frontmatter is invalid.
    pub(crate) values: Option<PropertyValues>,
}

/// Texts without line breaks, in one allocation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TextList(Box<str>);

impl TextList {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.lines()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> FromIterator<&'a str> for TextList {
    /// Keeps each text once.
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let texts: BTreeSet<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        Self(texts.into_iter().collect::<Vec<_>>().join("\n").into())
    }
}

impl Facts {
    /// Reads a note and enters its words.
    pub(crate) fn from_note(
        file: FileId,
        path: &VaultPath,
        text: &str,
        words: &mut Words,
    ) -> (Self, EntryId) {
        // A note with too much structure is indexed by its words only.
        let (headings, links, tags) = match Document::parse(text) {
            Ok(Document { headings, links, tags, .. }) => (headings, links, tags),
            Err(_) => (Vec::new(), Vec::new(), Vec::new()),
        };
        let read = frontmatter::read(text).ok();
        let is_valid = read.is_some();
        let properties = read.unwrap_or_default();
        let declared = frontmatter::tags(&properties);
        let aliases = frontmatter::aliases(&properties);
        let title = [(path.stem(), TITLE)].into_iter();
        let aliases = aliases.iter().map(|alias| (alias.as_str(), TITLE));
        let headings = headings.iter().map(|heading| (heading.text, HEADING));
        let fields: Vec<WeightedText<'_>> = title.chain(aliases).chain(headings).collect();
        let entry = words.add(file, text, &fields);
        let internal = links.iter().filter(|link| !link.is_external());
        let tags = tags.iter().map(|tag| tag.name);
        let tags = dedup_ignoring_case(tags.chain(declared.iter().map(String::as_str)));
        let mut values = PropertyValues::new(&properties);
        if !tags.is_empty() {
            values.set("tags", tags.iter());
        }
        let targets = internal.map(|link| link.target.trim()).collect();
        (Self { targets, tags, values: is_valid.then_some(values) }, entry)
    }

    /// Reads a canvas.
    pub(crate) fn from_canvas(text: &str) -> Self {
        let targets = Canvas::parse(text).targets();
        let targets = targets.iter().map(String::as_str).collect();
        Self { targets, ..Self::default() }
    }
}

/// Of texts that differ only in case, the first in the order of code points.
fn dedup_ignoring_case<'a>(texts: impl Iterator<Item = &'a str>) -> TextList {
    let mut texts: Vec<_> = texts.map(|text| (fold(text), text)).collect();
    texts.sort_unstable();
    texts.dedup_by(|(a, _), (b, _)| a == b);
    texts.into_iter().map(|(_, text)| text).collect()
}
