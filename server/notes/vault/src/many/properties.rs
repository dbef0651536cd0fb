//! Setting, removing and renaming the properties of a note.

use std::collections::BTreeSet;

use super::{Edited, SkipReason};
use crate::path::fold;
use toolwrit_frontmatter::{self as frontmatter, Edit, EditError, FrontmatterBlock, Properties};

/// Most properties of one change.
const LIMIT: usize = 50;

/// A change of the properties of notes. A name means the property that is spelled so, or else the only one that differs
/// from it in case.
#[derive(Debug, Clone, PartialEq)]
pub struct PropertyChange {
    rename: Vec<(String, String)>,
    remove: Vec<String>,
    set: Properties,
}

/// Why a change of properties makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPropertyChange {
    #[error("no property is named")]
    Empty,
    #[error("more than {LIMIT} properties are named")]
    TooMany,
    #[error("a property has no name")]
    NoName,
    /// The order of its changes would decide.
    #[error("the property `{key}` is named twice")]
    Twice { key: String },
}

impl PropertyChange {
    /// Renames properties, removes others, and sets others. No property may be named twice.
    ///
    /// # Errors
    /// See [`InvalidPropertyChange`].
    pub fn new(
        rename: Vec<(String, String)>,
        remove: Vec<String>,
        set: Properties,
    ) -> Result<Self, InvalidPropertyChange> {
        let renamed = rename.iter().filter(|(from, to)| fold(from) != fold(to));
        let renamed = renamed.map(|(_, to)| to);
        let named =
            rename.iter().map(|(from, _)| from).chain(renamed).chain(&remove).chain(set.keys());
        let mut known = BTreeSet::new();
        for (count, key) in named.enumerate() {
            if count == LIMIT {
                return Err(InvalidPropertyChange::TooMany);
            }
            if key.trim().is_empty() {
                return Err(InvalidPropertyChange::NoName);
            }
            if !known.insert(fold(key)) {
                return Err(InvalidPropertyChange::Twice { key: key.clone() });
            }
        }
        if known.is_empty() {
            return Err(InvalidPropertyChange::Empty);
        }
        Ok(Self { rename, remove, set })
    }

    /// The text of a note after the change; `None` if it stays as it is.
    pub(crate) fn apply(&self, text: &str) -> Result<Option<Edited>, SkipReason> {
        if FrontmatterBlock::is_unclosed(text) {
            return Err(SkipReason::Unclosed);
        }
        let properties = frontmatter::read(text)?;
        let find = |key: &str| find_key(&properties, key);
        let mut edits = Vec::new();
        for (from, to) in &self.rename {
            let Some(from) = find(from) else { continue };
            if let Some(taken) = find(to).filter(|taken| *taken != from) {
                return Err(EditError::Taken { key: taken.to_owned() }.into());
            }
            edits.push((from, Edit::Rename(to.clone())));
        }
        edits.extend(self.remove.iter().filter_map(|key| Some((find(key)?, Edit::Delete))));
        let set = self.set.iter();
        edits.extend(set.map(|(key, value)| (find(key).unwrap_or(key), Edit::Set(value.clone()))));
        let mut edited = Edited { text: text.to_owned(), changes: 0 };
        for (key, edit) in edits {
            let new = frontmatter::edit(&edited.text, key, &edit)?;
            edited.changes += usize::from(new != edited.text);
            edited.text = new;
        }
        Ok((edited.changes > 0).then_some(edited))
    }
}

/// The property that a name means.
fn find_key<'a>(properties: &'a Properties, name: &str) -> Option<&'a str> {
    if let Some((key, _)) = properties.get_key_value(name) {
        return Some(key);
    }
    let folded = fold(name);
    let mut same = properties.keys().filter(|key| fold(key) == folded);
    same.next().filter(|_| same.next().is_none()).map(String::as_str)
}
