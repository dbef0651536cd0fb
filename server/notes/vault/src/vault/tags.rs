//! The tags of the vault.

use std::collections::btree_map::{BTreeMap, Entry};

use hashbrown::HashMap;

use super::Vault;
use crate::error::Result;
use crate::path::{Folder, fold};
use crate::storage::walk::CancelCheck;

/// A tag and how much it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCount {
    /// Without `#`. Of spellings that differ in case, the first in the order of code points.
    pub tag: String,
    /// How many notes have it, in the text or in the frontmatter.
    pub notes: usize,
}

impl Vault {
    /// Counts the tags of the notes in and below `folder`, the most used first. A nested tag does
    /// not count for its parent.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Unopenable`, `Cancelled`.
    pub fn tags(&self, folder: &Folder, cancel: CancelCheck<'_>) -> Result<Vec<TagCount>> {
        let (_, folder) = self.root().open_folder(folder)?;
        let index = self.index(cancel)?;
        let is_below = |id| index.names.path(id).is_some_and(|path| path.is_below(&folder));
        // The index keeps each tag of a note in one spelling only.
        let mut spellings: HashMap<&str, usize> = HashMap::new();
        for (_, facts) in index.notes().filter(|(id, _)| is_below(*id)) {
            for tag in facts.tags.iter() {
                *spellings.entry(tag).or_default() += 1;
            }
        }
        let mut counts: BTreeMap<String, TagCount> = BTreeMap::new();
        for (tag, notes) in spellings {
            match counts.entry(fold(tag)) {
                Entry::Vacant(free) => {
                    free.insert(TagCount { tag: tag.to_owned(), notes });
                }
                Entry::Occupied(mut known) => {
                    let known = known.get_mut();
                    known.notes += notes;
                    if tag < known.tag.as_str() {
                        tag.clone_into(&mut known.tag);
                    }
                }
            }
        }
        let mut counts: Vec<TagCount> = counts.into_values().collect();
        counts.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.tag.cmp(&b.tag)));
        Ok(counts)
    }
}
