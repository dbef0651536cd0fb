//! The rows of an authority: everything that the engine knows of what a server offers, as data.
//!
//! `toolwrit-manifest` makes them from a manifest: when an author's crate is built, where they are embedded as bytes,
//! or when a server loads a manifest. The engine adds rows of its own for what joins while a server runs.
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.

mod access;
mod alias;
mod bytes;
mod field;
mod finding;
mod merged;
mod operation;
mod served;
mod server;
mod tables;
mod text;

pub use access::{DeclaredContext, FocusMode, Role, Sign};
pub use alias::{Alias, ArgumentPath, EachItem, Harmless, Mapping, OlderVariant};
pub use field::{Field, Pattern, Presence, Type};
pub use finding::{DeclaredVerb, Gap};
pub use merged::{MergedOperation, MergedTool, RemovedTool};
pub use operation::{Deprecation, Example, Operation, PageSizes, Returns, Served};
pub use served::{Cookbook, Prompt, PromptArgument, Resource};
pub use server::{Budget, Category, DeclaredError, DeclaredProvider, Joining, ServerInfo, Source};
pub use tables::{Name, Tables, contains};
pub use text::parse_row_text;

/// Bytes that are not the rows of an authority, or those of another release.
#[derive(Debug, thiserror::Error)]
#[error("these bytes are no rows of an authority: {0}")]
pub struct Malformed(#[source] postcard::Error);

/// Writes rows as bytes.
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "the length of each list is known, and memory grows"
)]
pub fn encode(tables: &Tables) -> Vec<u8> {
    postcard::to_allocvec(tables).expect("rows can be written")
}

/// Reads rows that [`encode`] of the same release has written.
///
/// # Errors
/// If they are something else.
pub fn decode(bytes: &[u8]) -> Result<Tables, Malformed> {
    let mut tables: Tables = postcard::from_bytes(bytes).map_err(Malformed)?;
    tables.share_patterns();
    Ok(tables)
}
