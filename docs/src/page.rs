//! Pages, and their order.

use crate::document::Block;
use crate::entry::Entry;

/// A page of the site.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// Its path in the site with `/`, without extension.
    pub(crate) path: String,
    /// Its name in the navigation, which is also its heading unless the blocks have one of their own.
    pub(crate) title: String,
    /// One sentence about it, or nothing.
    pub(crate) summary: String,
    /// The page above it, if it has one.
    pub(crate) parent: Option<String>,
    pub(crate) blocks: Vec<Block>,
    /// What the search finds on it.
    pub(crate) entries: Vec<Entry>,
}

impl Page {
    /// A page that the search finds by its title and summary.
    pub(crate) fn new(path: &str, title: &str, summary: &str, blocks: Vec<Block>) -> Self {
        Self {
            path: path.to_owned(),
            title: title.to_owned(),
            summary: summary.to_owned(),
            parent: None,
            blocks,
            entries: vec![Entry::from_page(title, summary)],
        }
    }

    pub(crate) fn with_parent(mut self, parent: &str) -> Self {
        self.parent = Some(parent.to_owned());
        self
    }

    pub(crate) fn with_entries(mut self, entries: Vec<Entry>) -> Self {
        self.entries = entries;
        self
    }
}

/// A group of books that one kind of reader needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Book {
    /// The book for operators.
    Use,
    /// The book for authors.
    Build,
    /// The book of what the manifest declares.
    Reference,
}

impl Book {
    pub(crate) const ALL: [Self; 3] = [Self::Use, Self::Build, Self::Reference];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Use => "Use it",
            Self::Build => "Build with it",
            Self::Reference => "Reference",
        }
    }
}

/// Pages under one heading of the navigation.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) book: Book,
    pub(crate) title: &'static str,
    pub(crate) pages: Vec<Page>,
}

/// The pages of a book in several parts, in order.
pub(crate) fn book_pages(parts: &[Part], book: Book) -> impl Iterator<Item = &Page> {
    parts.iter().filter(move |part| part.book == book).flat_map(|part| &part.pages)
}
