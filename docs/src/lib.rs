//! The documentation site of a tool-authority manifest: the guide to Toolwrit, and a reference of
//! everything that the manifest declares.
//!
//! The data flows one way. `guide` embeds the pages that people wrote, `reference` writes pages
//! from the model, `summary` lines them up, and [`build`] has mdBook make HTML of them; [`serve`] does the
//! same for a server. Text from a manifest passes through `markdown`, which keeps it text.

#![expect(clippy::format_push_string, reason = "a page is written once; an allocation is nothing")]

mod cost;
mod guide;
mod markdown;
mod page;
mod reference;
mod served;
mod site;
mod summary;

pub use cost::SurfaceCost;
pub use reference::address;
pub use served::{ServedSite, serve};
pub use site::{DocsError, Site, build};
