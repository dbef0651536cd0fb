//! Which notes link to a file.

use super::Vault;
use crate::document::Document;
use crate::error::{Result, VaultError};
use crate::links::canvas::Canvas;
use crate::path::{Folder, VaultPath};
use crate::search::{Excerpt, Hit, read_text};
use crate::storage::walk::{CancelCheck, LastFolder};

/// The links to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backlinks {
    /// The file, under its own name.
    pub path: VaultPath,
    /// The first links, in the order of paths and lines, up to the limit. Links in canvases have no
    /// lines.
    pub links: Vec<Hit>,
    /// How many files link to it.
    pub files: usize,
    /// Whether there are more links.
    pub truncated: bool,
    /// How many entries of the vault's folders are not part of it, as in [`FolderListing::left_out`](crate::FolderListing::left_out).
    pub left_out: usize,
}

impl Vault {
    /// Finds the links and embeds that name a file, in notes, their frontmatter and canvases. Links
    /// of the file to itself are left out.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Unopenable`, `Cancelled`, `Io`.
    pub fn backlinks(
        &self,
        path: &VaultPath,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<Backlinks> {
        let path = self.root().find_existing(path)?.path;
        let index = self.index(cancel)?;
        let linking = index.files_linking(&path);
        let files = linking.len();
        // One link beyond the limit shows that there are more.
        let enough = limit.saturating_add(1);
        let mut links = Vec::new();
        let mut folder = LastFolder::new(self.root());
        for (source, source_path) in linking {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            if links.len() >= enough {
                break;
            }
            let text = folder.open(source_path).and_then(|dir| read_text(dir, source_path.name()));
            let Some(text) = text else { continue };
            let names = |target: &str| {
                let found = index.names.current().resolve(target, source);
                found.and_then(|id| index.names.path(id)) == Some(&path)
            };
            let excerpts = if source_path.is_note() {
                find_link_lines(&text, names, enough - links.len())
            } else {
                let targets = Canvas::parse(&text).targets().into_iter();
                targets.filter(|target| names(target)).map(|_| None).collect()
            };
            let hit = |excerpt| Hit { path: source_path.clone(), excerpt };
            links.extend(excerpts.into_iter().map(hit));
        }
        let truncated = links.len() > limit;
        links.truncate(limit);
        let left_out = index.left_out_below(&Folder::ROOT);
        Ok(Backlinks { path, links, files, truncated, left_out })
    }
}

/// The first lines of a note with links to the file.
fn find_link_lines(text: &str, names: impl Fn(&str) -> bool, limit: usize) -> Vec<Option<Excerpt>> {
    // A note that is too large to be parsed has no links.
    let links = Document::parse(text).map_or_else(|_| Vec::new(), |document| document.links);
    let links = links.into_iter().filter(|link| !link.is_external() && names(&link.target));
    links.take(limit).map(|link| Some(Excerpt::line_at(text, link.span.start))).collect()
}
