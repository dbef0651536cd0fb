//! The guide: pages that people wrote, embedded so that the binary alone can build the site.

use crate::page::{Page, Part};

macro_rules! pages {
    ($($file:literal, $title:literal;)*) => {
        /// File, title in the navigation, text.
        const PAGES: &[(&str, &str, &str)] =
            &[$(($file, $title, include_str!(concat!("guide/", $file)))),*];
    };
}

pages! {
    "introduction.md", "Introduction";
    "quick-start.md", "Quick start";
    "manifest.md", "The manifest language";
    "handlers.md", "Writing handlers";
    "policy.md", "Policy";
    "surfaces.md", "Surfaces";
    "errors.md", "Errors";
    "command-line.md", "The command line";
}

/// All pages, in reading order.
pub(crate) fn part() -> Part {
    let page = |(file, title, body): &(&str, &str, &str)| {
        Page::new(&format!("guide/{file}"), title, (*body).to_owned())
    };
    Part { title: "Guide", pages: PAGES.iter().map(page).collect() }
}
