//! `vault.move` and `vault.rename`.

use toolwrit_vault::{CancelCheck, Etag, Moved, Result, Vault, VaultPath};

use crate::operations::{types, vault};

/// Moves a note to another path.
pub(super) fn move_note(
    vault: &Vault,
    p: &vault::Move,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Moved> {
    let (from, to) = (VaultPath::parse(&p.path)?, VaultPath::parse(&p.to)?);
    let if_match = p.if_match.as_deref().map(Etag::from);
    Ok(convert_moved(vault, &vault.move_note(&from, &to, if_match.as_ref(), is_cancelled)?))
}

/// Gives a note another name in its folder.
pub(super) fn rename(
    vault: &Vault,
    p: &vault::Rename,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Moved> {
    let path = VaultPath::parse(&p.path)?;
    let if_match = p.if_match.as_deref().map(Etag::from);
    Ok(convert_moved(vault, &vault.rename(&path, &p.name, if_match.as_ref(), is_cancelled)?))
}

fn convert_moved(vault: &Vault, moved: &Moved) -> types::Moved {
    let is_stale = moved.from != moved.to && vault.is_bookmarked(&moved.from);
    let rewritten: Vec<String> = moved.rewritten.iter().map(ToString::to_string).collect();
    types::Moved {
        from: moved.from.to_string(),
        to: moved.to.to_string(),
        warning: is_stale.then(|| "a bookmark in Obsidian has the old path".to_owned()),
        undo: None,
        rewritten: (!rewritten.is_empty()).then_some(rewritten),
    }
}
