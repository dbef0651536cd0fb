//! What all pages have around their content: the books, the pages of the book, the search and the page's sections.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, html};

use crate::address::{path_to_root, relative_link};
use crate::html::{SectionLink, blocks, section_links};
use crate::page::{Book, Page, Part};
use crate::{prose, search, twin};

/// The most pages below another that the navigation shows.
const MOST_BELOW: usize = 60;

/// The files that every page loads, by their paths in the site.
pub(crate) const FILES: [(&str, &str); 5] = [
    ("theme/colours.css", toolwrit_browser::COLOURS),
    ("theme/toolwrit.css", include_str!("theme/toolwrit.css")),
    ("theme/theme.js", include_str!("theme/theme.js")),
    ("theme/search.js", include_str!("theme/search.js")),
    ("theme/page.js", include_str!("theme/page.js")),
];

/// The frame of a site.
pub(crate) struct Frame<'a> {
    /// The name of the server for people.
    title: &'a str,
    /// The version of its program.
    version: &'a str,
    is_served: bool,
    parts: &'a [Part],
    below: BTreeMap<&'a str, Vec<&'a Page>>,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(
        title: &'a str,
        version: &'a str,
        is_served: bool,
        parts: &'a [Part],
    ) -> Self {
        let mut below: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
        for page in parts.iter().flat_map(|part| &part.pages) {
            if let Some(parent) = &page.parent {
                below.entry(parent).or_default().push(page);
            }
        }
        Self { title, version, is_served, parts, below }
    }

    /// A page as a file. The front page belongs to no book.
    pub(crate) fn draw(&self, page: &Page, book: Option<Book>) -> String {
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                head { (self.head(page)) }
                body data-root=(path_to_root(&page.path)) data-served=[self.is_served.then_some("")] {
                    a.skip href="#content" { "Skip to the content" }
                    (self.header(page, book))
                    div class={ "columns" @if book.is_none() { " front" } } {
                        @if let Some(book) = book { (self.navigation(page, book)) }
                        main #content tabindex="-1" { (self.content(page, book)) }
                        @if book.is_some() { (contents(&section_links(&page.blocks))) }
                    }
                }
            }
        };
        document.into_string()
    }

    fn head(&self, page: &Page) -> Markup {
        let root = path_to_root(&page.path);
        let twin = relative_link(&page.path, &page.path, twin::EXTENSION);
        html! {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (page.title) " - " (self.title) }
            @if !page.summary.is_empty() { meta name="description" content=(page.summary); }
            link rel="icon" href="data:,";
            link rel="stylesheet" href={ (root) "theme/colours.css" };
            link rel="stylesheet" href={ (root) "theme/toolwrit.css" };
            link rel="alternate" type="text/markdown" href=(twin);
            // Not deferred, so that a chosen theme is there before the page is.
            script src={ (root) "theme/theme.js" } {}
            script defer src={ (root) (search::FILE) } {}
            script defer src={ (root) "theme/search.js" } {}
            script defer src={ (root) "theme/page.js" } {}
        }
    }

    fn header(&self, page: &Page, book: Option<Book>) -> Markup {
        html! {
            header.top {
                a.brand href=(relative_link(&page.path, "index", "html")) { (self.title) }
                nav aria-label="Books" {
                    @for other in Book::ALL {
                        @if let Some(first) = self.first_page(other) {
                            a href=(relative_link(&page.path, first, "html"))
                                aria-current=[(book == Some(other)).then_some("true")] { (other.title()) }
                        }
                    }
                }
                search {
                    label for="query" { "Search" }
                    input #query type="search" placeholder="Search" autocomplete="off" spellcheck="false"
                        aria-keyshortcuts="/";
                    div #found hidden { p #told role="status" {} ul #results aria-label="Results" {} }
                }
                button #theme type="button" hidden { "Theme" }
                @if book.is_some() {
                    button #menu type="button" aria-expanded="false" aria-controls="pages" { "Pages" }
                }
            }
        }
    }

    /// The page of a book to open first.
    fn first_page(&self, book: Book) -> Option<&'a str> {
        let mut parts = self.parts.iter().filter(|part| part.book == book);
        let page = parts.find_map(|part| part.pages.first())?;
        Some(&page.path)
    }

    fn navigation(&self, page: &Page, book: Book) -> Markup {
        html! {
            nav #pages aria-label="Pages" {
                @for part in self.parts.iter().filter(|part| part.book == book && !part.pages.is_empty()) {
                    h2 { (part.title) }
                    ul { @for listed in part.pages.iter().filter(|listed| listed.parent.is_none()) { (self.navigation_item(page, listed)) } }
                }
            }
        }
    }

    /// A link to a page, and the pages below it if the reader is on one of them.
    fn navigation_item(&self, page: &Page, listed: &Page) -> Markup {
        let is_open = listed.path == page.path || page.parent.as_ref() == Some(&listed.path);
        let below = self.below.get(listed.path.as_str()).filter(|_| is_open);
        html! {
            li {
                (page_link(page, listed))
                @if let Some(below) = below.filter(|below| below.len() <= MOST_BELOW) {
                    ul { @for child in below { li { (page_link(page, child)) } } }
                } @else if below.is_some() && listed.path != page.path {
                    ul { li { (page_link(page, page)) } }
                }
            }
        }
    }

    fn content(&self, page: &Page, book: Option<Book>) -> Markup {
        let parent = page.parent.as_deref().and_then(|path| self.find_page(path));
        html! {
            @if let Some(parent) = parent {
                p.up { a href=(relative_link(&page.path, &parent.path, "html")) { (parent.title) } }
            }
            @if !prose::has_title(&page.blocks) { h1 { (page.title) } }
            (blocks(&page.path, &page.blocks))
            @if let Some(book) = book { (self.neighbour_links(page, book)) }
            footer {
                a href=(relative_link(&page.path, &page.path, twin::EXTENSION)) { "This page as Markdown" }
                " · " (self.title) " " (self.version) " · Built with Toolwrit"
            }
        }
    }

    fn find_page(&self, path: &str) -> Option<&'a Page> {
        self.parts.iter().flat_map(|part| &part.pages).find(|candidate| candidate.path == path)
    }

    /// Links to the pages of the guide before and after this one.
    fn neighbour_links(&self, page: &Page, book: Book) -> Markup {
        if book == Book::Reference {
            return html! {};
        }
        let pages: Vec<&Page> = self
            .parts
            .iter()
            .filter(|part| part.book == book)
            .flat_map(|part| &part.pages)
            .collect();
        let at = pages.iter().position(|candidate| candidate.path == page.path);
        let before = at.and_then(|at| pages.get(at.checked_sub(1)?));
        let after = at.and_then(|at| pages.get(at + 1));
        html! {
            nav.beside aria-label="Before and after" {
                @if let Some(before) = before { a rel="prev" href=(relative_link(&page.path, &before.path, "html")) { (before.title) } }
                @if let Some(after) = after { a rel="next" href=(relative_link(&page.path, &after.path, "html")) { (after.title) } }
            }
        }
    }
}

fn page_link(page: &Page, listed: &Page) -> Markup {
    let current = (listed.path == page.path).then_some("page");
    html! { a href=(relative_link(&page.path, &listed.path, "html")) aria-current=[current] { (listed.title) } }
}

fn contents(sections: &[SectionLink]) -> Markup {
    html! {
        @if sections.len() > 1 {
            nav.contents aria-label="On this page" {
                h2 { "On this page" }
                ul { @for section in sections { li { a href={ "#" (section.anchor) } { (section.title) } } } }
            }
        }
    }
}
