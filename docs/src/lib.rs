//! The documentation site of a tool-authority manifest: the guide to Toolwrit, and a reference of
//! everything that the manifest declares.
//!
//! The data flows one way. `guide` embeds the hand-written pages, `reference` writes pages from the
//! model, and `summary` puts them in order. [`build`] lets mdBook render them as HTML; [`serve`]
//! does the same for a server. Text from a manifest passes through `markdown`, which escapes it.

#![expect(
    clippy::format_push_string,
    reason = "a page is written once, so an extra allocation does not matter"
)]

mod cost;
mod guide;
mod markdown;
mod page;
mod reference;
mod served;
mod site;
mod summary;

pub use cost::SurfaceCost;
pub use reference::{JoinedOperation, address, joined_address};
pub use served::{ServedSite, serve};
pub use site::{DocsError, Site, build};
