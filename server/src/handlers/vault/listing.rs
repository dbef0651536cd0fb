//! `vault.list`: what is in a folder.

use std::num::NonZeroUsize;

use toolwrit_vault::{
    CancelCheck, Depth, EntryKind, Folder, ListOrder, Only, PathGlob, Result, SyncState, Vault,
};

use super::super::sizes::{to_integer, to_size};
use crate::operations::{types, vault};

/// Lists the entries of a folder.
pub(super) fn list(
    vault: &Vault,
    p: &vault::List,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Listing> {
    let folder = Folder::parse(&p.folder)?;
    let glob = p.glob.as_deref().map(PathGlob::parse).transpose()?;
    let levels = p.depth.and_then(|levels| NonZeroUsize::new(to_size(levels)));
    let only = p.only.map(convert_only);
    let is_everywhere = !matches!(only, None | Some(Only::Notes | Only::Attachments));
    let depth = match levels {
        Some(levels) => Depth::levels(levels),
        None if p.recursive || is_everywhere => Depth::DEEP,
        None => Depth::SHALLOW,
    };
    let mut listing = vault.list(&folder, depth, glob.as_ref(), is_cancelled)?;
    if let Some(only) = only {
        vault.keep_only(&mut listing.entries, only, is_cancelled)?;
    }
    let order = match p.sort {
        types::ListSort::Path => ListOrder::Path,
        types::ListSort::Modified => ListOrder::Modified,
        types::ListSort::Size => ListOrder::Size,
        types::ListSort::Random => ListOrder::Random,
    };
    vault.sort(&mut listing.entries, order);
    let total = listing.entries.len();
    let entries = listing.entries.into_iter().skip(to_size(p.offset));
    let entries: Vec<_> = entries.take(to_size(p.limit)).collect();
    let stats = if p.details { vault.stat(&entries) } else { vec![None; entries.len()] };
    let entries = entries.into_iter().zip(stats).map(|(entry, stat)| types::Entry {
        path: entry.path.to_string(),
        kind: match entry.kind {
            EntryKind::Note => types::EntryKind::Note,
            EntryKind::Attachment => types::EntryKind::Attachment,
            EntryKind::Folder => types::EntryKind::Folder,
        },
        state: entry.state.map(|state| match state {
            SyncState::Conflict => types::EntryState::Conflict,
            SyncState::NotDownloaded => types::EntryState::NotDownloaded,
        }),
        size: stat.map(|stat| to_integer(stat.size)),
        modified: stat.and_then(|stat| stat.modified),
    });
    Ok(types::Listing {
        entries: entries.collect(),
        total: to_integer(total),
        left_out: (listing.left_out > 0).then(|| to_integer(listing.left_out)),
    })
}

fn convert_only(only: vault::ListOnly) -> Only {
    match only {
        vault::ListOnly::Notes => Only::Notes,
        vault::ListOnly::Attachments => Only::Attachments,
        vault::ListOnly::Orphans => Only::Orphans,
        vault::ListOnly::DeadEnds => Only::DeadEnds,
        vault::ListOnly::UnusedAttachments => Only::UnusedAttachments,
        vault::ListOnly::Bookmarked => Only::Bookmarked,
    }
}
