//! Which entries of a listing are kept.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{EntryKind, FolderEntry, Vault};
use crate::error::{Result, VaultError};
use crate::path::{VaultPath, fold};
use crate::storage::walk::CancelCheck;

/// Deepest nesting of groups of bookmarks.
const DEPTH: usize = 32;

/// What is kept of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    Notes,
    Attachments,
    /// Notes that no other file links to.
    Orphans,
    /// Notes without links.
    DeadEnds,
    /// Attachments that no file links to. Canvases and bases are never among them, because they are opened by themselves.
    UnusedAttachments,
    /// Files and folders that are bookmarked in Obsidian.
    Bookmarked,
}

impl Vault {
    /// Keeps some of the entries of a listing.
    ///
    /// # Errors
    /// `Unopenable` if the vault cannot be read, `Settings` if the bookmarks cannot, `Cancelled`.
    pub fn keep_only(
        &self,
        entries: &mut Vec<FolderEntry>,
        only: Only,
        cancel: CancelCheck<'_>,
    ) -> Result<()> {
        match only {
            Only::Notes => entries.retain(|entry| entry.kind == EntryKind::Note),
            Only::Attachments => entries.retain(|entry| entry.kind == EntryKind::Attachment),
            Only::Bookmarked => {
                let bookmarked = self.bookmarks()?;
                entries.retain(|entry| bookmarked.contains(&fold(entry.path.as_str())));
            }
            Only::Orphans | Only::DeadEnds | Only::UnusedAttachments => {
                let index = self.index(cancel)?;
                let is_linked = |path: &VaultPath| !index.files_linking(path).is_empty();
                // Of a note that cannot be read, nobody knows whether it has links.
                let dead_ends =
                    index.notes().filter(|(_, facts)| facts.targets.iter().next().is_none());
                let dead_ends: BTreeSet<&VaultPath> =
                    dead_ends.filter_map(|(id, _)| index.names.path(id)).collect();
                entries.retain(|FolderEntry { path, kind, .. }| match only {
                    Only::Orphans => *kind == EntryKind::Note && !is_linked(path),
                    Only::DeadEnds => dead_ends.contains(path),
                    _ => *kind == EntryKind::Attachment && is_embeddable(path) && !is_linked(path),
                });
            }
        }
        Ok(())
    }

    /// Whether a file is bookmarked in Obsidian. Bookmarks that cannot be read are none.
    pub fn is_bookmarked(&self, path: &VaultPath) -> bool {
        self.bookmarks().is_ok_and(|bookmarks| bookmarks.contains(&fold(path.as_str())))
    }

    /// The folded paths of the bookmarks.
    fn bookmarks(&self) -> Result<BTreeSet<String>> {
        let saved = self.obsidian_json("bookmarks.json");
        let saved = saved.map_err(|problem| VaultError::Settings { problem })?;
        let mut paths = BTreeSet::new();
        collect_bookmarks(
            saved.as_ref().map_or(&Json::Null, |saved| &saved["items"]),
            DEPTH,
            &mut paths,
        );
        Ok(paths)
    }
}

/// Whether a file is part of notes, and not opened by itself.
pub(super) fn is_embeddable(path: &VaultPath) -> bool {
    let end = path.name().rsplit_once('.').map_or("", |(_, end)| end);
    !["md", "canvas", "base"].iter().any(|own| end.eq_ignore_ascii_case(own))
}

fn collect_bookmarks(items: &Json, depth: usize, paths: &mut BTreeSet<String>) {
    for item in items.as_array().into_iter().flatten() {
        if let Some(path) = item["path"].as_str() {
            paths.insert(fold(path));
        }
        if depth > 0 {
            collect_bookmarks(&item["items"], depth - 1, paths);
        }
    }
}
