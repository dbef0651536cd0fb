//! All notes of a vault, by path, tag and links.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use indexmap::IndexSet;

use super::page::Page;
use crate::value::Name;

/// All notes at one moment.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// The notes in the order of their paths.
    pages: BTreeMap<Name, Arc<Page>>,
    /// The notes that link to each file, by its path, in the order of their paths.
    linking: OnceLock<HashMap<Name, IndexSet<Name>>>,
    /// The notes with each tag, by its lower case, in the order of their paths.
    tagged: OnceLock<HashMap<String, Vec<Arc<Page>>>>,
}

impl Notes {
    /// The note at a path.
    pub(crate) fn get(&self, path: &str) -> Option<&Arc<Page>> {
        self.pages.get(path)
    }

    /// All notes in the order of their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Page>> {
        self.pages.values()
    }

    /// The notes in and below a folder; all for the empty path.
    pub(crate) fn notes_below(&self, folder: &str) -> impl Iterator<Item = &Arc<Page>> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let from = self.pages.range(Name::from(prefix.as_str())..);
        from.take_while(move |(path, _)| path.starts_with(&prefix)).map(|(_, page)| page)
    }

    /// The notes with links to a file.
    pub(crate) fn paths_linking_to(&self, path: &str) -> &IndexSet<Name> {
        static NONE: OnceLock<IndexSet<Name>> = OnceLock::new();
        let linking = self.linking.get_or_init(|| {
            let mut linking: HashMap<Name, IndexSet<Name>> = HashMap::new();
            for page in self.pages.values() {
                for link in &page.links {
                    linking
                        .entry(Arc::clone(&link.path))
                        .or_default()
                        .insert(Arc::clone(&page.path));
                }
            }
            linking
        });
        linking.get(path).unwrap_or_else(|| NONE.get_or_init(IndexSet::new))
    }

    /// The notes with a tag or a tag below it. The tag has its `#`.
    pub(crate) fn notes_with_tag(&self, tag: &str) -> &[Arc<Page>] {
        let tagged = self.tagged.get_or_init(|| {
            let mut tagged: HashMap<String, Vec<Arc<Page>>> = HashMap::new();
            for page in self.pages.values() {
                let tags: IndexSet<String> =
                    page.all_tags().into_iter().map(str::to_lowercase).collect();
                for tag in tags {
                    tagged.entry(tag).or_default().push(Arc::clone(page));
                }
            }
            tagged
        });
        tagged.get(&tag.to_lowercase()).map_or(&[], Vec::as_slice)
    }
}

impl FromIterator<(Name, Arc<Page>)> for Notes {
    fn from_iter<I: IntoIterator<Item = (Name, Arc<Page>)>>(pages: I) -> Self {
        Self { pages: pages.into_iter().collect(), ..Self::default() }
    }
}
