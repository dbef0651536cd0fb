//! The documentation site of a tool-authority manifest: the guide to Toolwrit, and a reference of
//! everything that the manifest declares.
//!
//! The data flows one way. `guide` embeds the pages that people wrote, `reference` writes pages
//! from the model, `summary` lines them up, and [`build`] has mdBook make HTML of them; [`serve`] does the
//! same for a server. Text from a manifest passes through `markdown`, which keeps it text.

#![expect(clippy::format_push_string, reason = "a page is written once; an allocation is nothing")]

mod guide;
mod markdown;
mod page;
mod reference;
mod served;
mod site;
mod summary;

pub use reference::address;
pub use served::{ServedSite, serve};
pub use site::{DocsError, Site, build};

/// What one surface costs a client under one focus mode, as the engine has measured it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceCost {
    /// `flat`, `dispatch` or `meta`.
    pub surface: String,
    /// `effect` or `none`; empty where the surface does not split.
    pub split: String,
    /// The focus mode in force.
    pub focus: String,
    /// Tools in `tools/list`.
    pub tools: usize,
    /// Bytes of the tools in `tools/list`, as JSON.
    pub bytes: usize,
    /// The same in o200k tokens.
    pub tokens: usize,
}
