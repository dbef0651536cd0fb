//! Adding, removing and renaming the tags of a note.

use super::fate::Fate;
use super::{Edited, SkipReason, inline_tags, tags_property};
use crate::document::TagName;
use crate::path::fold;
use toolwrit_frontmatter::FrontmatterBlock;

/// A change of the tags of notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagChange {
    pub edit: TagEdit,
    /// Where tags are removed and renamed. They are always added to the frontmatter.
    pub place: TagPlace,
    /// Whether `a` also means tags that are nested in it, such as `a/b`.
    pub nested: bool,
}

/// What is done with tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagEdit {
    /// Add these to the property `tags`, unless it has them.
    Add(Vec<TagName>),
    Remove(Vec<TagName>),
    /// Give the first ones the name of the other. What is nested in them moves along.
    Rename(Vec<TagName>, TagName),
}

/// Where tags are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagPlace {
    Frontmatter,
    /// In the text.
    Inline,
    Both,
}

impl TagChange {
    /// Whether a note with this tag may change.
    pub(crate) fn concerns(&self, tag: &str) -> bool {
        !matches!(self.fate(tag), Fate::Kept)
    }

    /// What becomes of a tag that a note has.
    pub(super) fn fate(&self, tag: &str) -> Fate {
        // Of `a` and `a/b`, the longer one decides on `a/b/c`.
        let rest = |tags: &[TagName]| {
            let rests = tags.iter().filter_map(|own| own.rest_of(tag));
            let meant = rests.filter(|rest| self.nested || rest.is_empty());
            meant.min_by_key(|rest| rest.len()).map(str::to_owned)
        };
        match &self.edit {
            TagEdit::Remove(tags) if rest(tags).is_some() => Fate::Removed,
            TagEdit::Rename(tags, to) => match rest(tags) {
                Some(rest) => {
                    let new = format!("{}{rest}", to.as_str());
                    if new == tag { Fate::Kept } else { Fate::Renamed(new) }
                }
                None => Fate::Kept,
            },
            TagEdit::Add(_) | TagEdit::Remove(_) => Fate::Kept,
        }
    }

    /// The text of a note after the change; `None` if it stays as it is.
    pub(crate) fn apply(&self, text: &str) -> Result<Option<Edited>, SkipReason> {
        let edited = match &self.edit {
            TagEdit::Add(tags) => tags_property::add(text, tags)?,
            TagEdit::Remove(_) | TagEdit::Rename(..) => self.change(text)?,
        };
        Ok((edited.changes > 0).then_some(edited))
    }

    /// Changes the tags that the note has.
    fn change(&self, text: &str) -> Result<Edited, SkipReason> {
        let fate = |tag: &str| self.fate(tag);
        let mut edited = Edited { text: text.to_owned(), changes: 0 };
        if self.place != TagPlace::Frontmatter {
            edited = inline_tags::change(text, &fate)?;
        }
        if self.place != TagPlace::Inline {
            match tags_property::change(&edited.text, &fate) {
                Ok(changed) => {
                    edited.text = changed.text;
                    edited.changes += changed.changes;
                }
                // Nobody asked about a note whose broken frontmatter names none of the tags.
                Err(_) if edited.changes == 0 && !self.is_named_in_frontmatter(text) => {}
                Err(reason) => return Err(reason),
            }
        }
        Ok(edited)
    }

    fn is_named_in_frontmatter(&self, text: &str) -> bool {
        let yaml = FrontmatterBlock::find(text).map_or("", |block| block.yaml.slice(text));
        let (TagEdit::Add(tags) | TagEdit::Remove(tags) | TagEdit::Rename(tags, _)) = &self.edit;
        let yaml = fold(yaml);
        tags.iter().any(|tag| yaml.contains(&fold(tag.as_str())))
    }
}
