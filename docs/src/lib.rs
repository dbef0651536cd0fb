//! The documentation site of a tool-authority manifest: the guide to Toolwrit, and a reference of everything that the
//! manifest declares.
//!
//! The data flows one way. `guide` embeds the hand-written pages, `captured` has answers of the shipped server, and
//! `reference` makes pages from the model. Both are
//! a `document`, which `html` writes for browsers and `twin` as Markdown. `frame` puts the navigation around a page,
//! and `site` collects the files: [`build`] writes them to a folder, and [`serve`] returns them for a server.
//! `theme/` has the style and the scripts of the pages.
//!
//! `reference/changes` compares the authority with an older one. A test gets the answers of `captured`. A `notice`
//! stands alone, for an address without a page. The scripts are plain scripts, because browsers load no modules and no
//! data for a page that is opened from a folder. No page has a script or a style of its own, so that the server forbids
//! both.
//!
//! The generator is our own, with maud, which escapes every text. mdBook needs inline scripts and styles, has one page for a
//! chapter however long it is, and brings more than a hundred crates.

#![expect(
    clippy::format_push_string,
    reason = "a page is written once, so an extra allocation does not matter"
)]

mod address;
mod captured;
mod chart;
mod cost;
mod document;
mod entry;
mod folder;
mod frame;
mod front;
mod guide;
mod html;
mod llms;
mod notice;
mod number;
mod page;
mod prose;
mod reference;
mod search;
mod site;
mod twin;

pub use address::{category_address, operation_address};
pub use cost::SurfaceCost;
pub use folder::DocsError;
pub use notice::Notice;
pub use reference::{JoinedOperation, ProviderOperations, WithheldOperation, joined_address};
pub use site::{Site, build, serve};

/// What callers notice of the changes of operations since an older manifest: lines of text, the removed ones first.
pub fn changes(older: &toolwrit_manifest::Model, model: &toolwrit_manifest::Model) -> Vec<String> {
    reference::changed_lines(older, model)
}
