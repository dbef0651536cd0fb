//! The tags of the vault.

use std::collections::btree_map::{BTreeMap, Entry};

use crate::error::Result;
use crate::path::{Folder, folded};
use crate::vault::Vault;
use crate::walk::CancelCheck;

/// A tag and how much it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCount {
    /// Without `#`. Of several spellings that differ in case, the first in the order of code points.
    pub tag: String,
    /// How many notes bear it, in the text or in the frontmatter.
    pub notes: usize,
}

impl Vault {
    /// Counts the tags of the notes in and below `folder`, the most used first. A nested tag counts
    /// for itself only.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Unopenable`, `Cancelled`.
    pub fn tags(&self, folder: &Folder, cancel: CancelCheck<'_>) -> Result<Vec<TagCount>> {
        let (_, folder) = self.root().folder(folder)?;
        let index = self.index(cancel)?;
        let mut counts: BTreeMap<String, TagCount> = BTreeMap::new();
        for (_, facts) in index.notes().filter(|(path, _)| path.is_below(&folder)) {
            // The spellings of a note stand in order, those of one tag need not be neighbours.
            let mut tags: Vec<_> = facts.tags.iter().map(|tag| (folded(tag), tag)).collect();
            tags.sort_unstable();
            tags.dedup_by(|(a, _), (b, _)| a == b);
            for (key, tag) in tags {
                match counts.entry(key) {
                    Entry::Vacant(free) => {
                        free.insert(TagCount { tag: tag.to_owned(), notes: 1 });
                    }
                    Entry::Occupied(mut known) => {
                        let known = known.get_mut();
                        known.notes += 1;
                        if tag < known.tag.as_str() {
                            tag.clone_into(&mut known.tag);
                        }
                    }
                }
            }
        }
        let mut counts: Vec<TagCount> = counts.into_values().collect();
        counts.sort_by(|a, b| b.notes.cmp(&a.notes).then_with(|| a.tag.cmp(&b.tag)));
        Ok(counts)
    }
}
