//! `vault.write`, `vault.append` and `vault.patch`: the text of one note.

use toolwrit_vault::{Etag, IfMissing, Result, Vault, VaultError, VaultPath, WriteMode, Written};

use super::super::note::convert_patch;
use super::super::sizes::to_integer;
use crate::faults::fault;
use crate::operations::{types, vault};

/// Writes a whole note.
pub(super) fn write(vault: &Vault, p: &vault::Write) -> toolwrit::Result<types::Written> {
    write_note(vault, p).map_err(|error| {
        let exists = matches!(error, VaultError::AlreadyExists { .. });
        let fault = fault(error);
        if exists && p.mode.is_none() {
            return fault
                .hinting("To replace it, set `mode` to overwrite, or `if_match` to its etag.");
        }
        fault
    })
}

fn write_note(vault: &Vault, p: &vault::Write) -> Result<types::Written> {
    let path = VaultPath::parse(&p.path)?;
    let mode = match (&p.mode, &p.if_match) {
        (Some(vault::WriteMode::Overwrite), _) | (None, Some(_)) => WriteMode::Overwrite,
        (Some(vault::WriteMode::Create) | None, _) => WriteMode::CreateOnly,
    };
    let if_match = p.if_match.as_deref().map(Etag::from);
    Ok(convert_written(&vault.write(&path, &p.content, mode, if_match.as_ref())?))
}

/// Adds text at the end of a note.
pub(super) fn append(vault: &Vault, p: &vault::Append) -> Result<types::Written> {
    let path = VaultPath::parse(&p.path)?;
    let if_missing = if p.create { IfMissing::Create } else { IfMissing::Fail };
    let if_match = p.if_match.as_deref().map(Etag::from);
    Ok(convert_written(&vault.append(&path, &p.content, if_missing, if_match.as_ref())?))
}

/// Changes one section, block or property.
pub(super) fn patch(vault: &Vault, p: vault::Patch) -> Result<types::Written> {
    let path = VaultPath::parse(&p.path)?;
    let if_match = p.if_match.as_deref().map(Etag::from);
    let change =
        convert_patch(p).map_err(|reason| VaultError::NotPatched { path: path.clone(), reason })?;
    Ok(convert_written(&vault.patch(&path, &change, if_match.as_ref())?))
}

fn convert_written(written: &Written) -> types::Written {
    types::Written {
        path: written.path.to_string(),
        etag: written.etag.to_string(),
        size: to_integer(written.size),
        undo: None,
        created: written.created,
    }
}
