//! A page as input for mdBook.

/// One chapter of the site.
#[derive(Debug, Clone)]
pub(crate) struct Chapter {
    /// Its path in the book, with `/` and `.md`.
    pub(crate) path: String,
    /// Its name in the navigation. Plain text.
    pub(crate) title: String,
    /// Markdown.
    pub(crate) body: String,
}

impl Chapter {
    pub(crate) fn new(path: &str, title: &str, body: String) -> Self {
        Self { path: path.to_owned(), title: title.to_owned(), body }
    }
}

/// Pages under one heading of the navigation.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) title: &'static str,
    pub(crate) pages: Vec<Chapter>,
}
