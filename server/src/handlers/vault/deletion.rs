//! `vault.delete` and `vault.bulk_delete`.

use toolwrit::{Confirmed, Timestamp};
use toolwrit_vault::{
    BulkDeletion, BulkMode, BulkOutcome, CancelCheck, CaseSensitivity, Deletable, Deleted,
    Disposal, Etag, FileState, Result, SearchPattern, Vault, VaultError, VaultPath,
};

use super::super::sizes::to_integer;
use crate::operations::{types, vault};

/// Deletes a note as it was confirmed, or says what would be deleted.
pub(super) fn delete(
    vault: &Vault,
    p: &vault::Delete,
    confirmed: &Confirmed,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::Deleted> {
    let path = VaultPath::parse(&p.path)?;
    let if_match = p.if_match.as_deref().map(Etag::from);
    if matches!(p.attachments, vault::DeleteAttachments::Unused) {
        let path = vault.locate(&path)?;
        let agrees = |foreseen: &BulkDeletion| {
            convert_with_attachments(&path, foreseen)
                .is_ok_and(|foreseen| confirmed.covers(foreseen))
        };
        let mode = if p.dry_run { BulkMode::DryRun } else { BulkMode::DeleteIf(&agrees) };
        let deleted =
            vault.delete_with_attachments(&path, if_match.as_ref(), mode, is_cancelled)?;
        return convert_with_attachments(&path, &deleted);
    }
    if p.dry_run {
        return Ok(preview_deletion(&vault.deletable(&path, if_match.as_ref())?));
    }
    let is_confirmed = |file: &_| confirmed.covers(preview_deletion(file));
    Ok(convert_deleted(&vault.delete_if(&path, if_match.as_ref(), &is_confirmed)?))
}

/// Deletes many notes as it was confirmed, or says which would be deleted.
pub(super) fn bulk_delete(
    vault: &Vault,
    p: &vault::BulkDelete,
    confirmed: &Confirmed,
    is_cancelled: CancelCheck<'_>,
) -> Result<types::BulkDeletion> {
    let exact = CaseSensitivity::Sensitive;
    let pattern = match p.mode {
        vault::BulkDeleteMode::Glob => SearchPattern::glob(&p.r#match, exact),
        vault::BulkDeleteMode::Regex => SearchPattern::regex(&p.r#match, exact),
        vault::BulkDeleteMode::Frontmatter => SearchPattern::frontmatter(&p.r#match),
        // Not the ranked search, which also finds notes with some of the words.
        vault::BulkDeleteMode::Text => {
            SearchPattern::literal(&p.r#match, CaseSensitivity::Insensitive)
        }
    }?;
    let is_confirmed = |foreseen: &_| confirmed.covers(convert_bulk_deletion(foreseen));
    let mode = if p.dry_run { BulkMode::DryRun } else { BulkMode::DeleteIf(&is_confirmed) };
    Ok(convert_bulk_deletion(&vault.bulk_delete(&pattern, mode, is_cancelled)?))
}

/// What became of a note and of its attachments.
///
/// # Errors
/// `NotFound` if the note is gone; why it was not deleted.
fn convert_with_attachments(note: &VaultPath, deletion: &BulkDeletion) -> Result<types::Deleted> {
    let mut converted = Err(VaultError::NotFound { path: note.to_string(), similar: Vec::new() });
    let (mut attachments, mut failed) = (Vec::new(), Vec::new());
    for outcome in &deletion.outcomes {
        match outcome {
            BulkOutcome::Would(file) if file.path == *note => {
                converted = Ok(preview_deletion(file));
            }
            BulkOutcome::Deleted(deleted) if deleted.path == *note => {
                converted = Ok(convert_deleted(deleted));
            }
            BulkOutcome::Failed(path, error) if path == note => {
                // The attachments that did go are in the history, and can be restored.
                return Err(VaultError::NotDeleted {
                    path: path.clone(),
                    reason: error.to_string(),
                });
            }
            BulkOutcome::Would(Deletable { path, .. })
            | BulkOutcome::Deleted(Deleted { path, .. }) => attachments.push(path.to_string()),
            BulkOutcome::Failed(path, error) => failed.push(format!("{path} stays: {error}")),
        }
    }
    let mut converted = converted?;
    converted.attachments = (!attachments.is_empty()).then_some(attachments);
    if !failed.is_empty() {
        let warnings = converted.warning.into_iter().chain(failed);
        converted.warning = Some(warnings.collect::<Vec<_>>().join("; "));
    }
    Ok(converted)
}

fn convert_deleted(deleted: &Deleted) -> types::Deleted {
    let (disposal, trashed_as) = match &deleted.disposal {
        Disposal::SystemTrash => (types::DeletedDisposal::SystemTrash, None),
        Disposal::VaultTrash(path) => (types::DeletedDisposal::VaultTrash, Some(path.clone())),
        Disposal::Permanent => (types::DeletedDisposal::Permanent, None),
    };
    types::Deleted {
        path: deleted.path.to_string(),
        disposal,
        etag: None,
        size: None,
        modified: None,
        trashed_as,
        attachments: None,
        warning: deleted.warning.clone(),
        undo: None,
    }
}

fn preview_deletion(file: &Deletable) -> types::Deleted {
    let disposal = if file.is_permanent {
        types::DeletedDisposal::WouldDeletePermanently
    } else {
        types::DeletedDisposal::WouldTrash
    };
    let (etag, size, modified) = convert_state(&file.state);
    let path = file.path.to_string();
    types::Deleted {
        path,
        disposal,
        etag,
        size,
        modified,
        trashed_as: None,
        attachments: None,
        warning: None,
        undo: None,
    }
}

/// The etag of a file; for a file that is too large to be read, its size and modification time instead.
fn convert_state(state: &FileState) -> (Option<String>, Option<i64>, Option<Timestamp>) {
    match state {
        FileState::Read(etag) => (Some(etag.to_string()), None, None),
        FileState::Unread { size, modified } => (None, Some(to_integer(*size)), *modified),
    }
}

fn convert_bulk_deletion(deletion: &BulkDeletion) -> types::BulkDeletion {
    let items = deletion.outcomes.iter().map(convert_bulk_outcome).collect();
    types::BulkDeletion { total: to_integer(deletion.outcomes.len()), items, undo: None }
}

fn convert_bulk_outcome(outcome: &BulkOutcome) -> types::BulkItem {
    let (mut etag, mut size, mut modified) = (None, None, None);
    let (path, outcome, detail) = match outcome {
        BulkOutcome::Would(file) => {
            (etag, size, modified) = convert_state(&file.state);
            let detail = file.is_permanent.then(|| "permanently".to_owned());
            (&file.path, types::BulkItemOutcome::WouldDelete, detail)
        }
        BulkOutcome::Deleted(deleted) => {
            let to = match &deleted.disposal {
                Disposal::VaultTrash(path) => Some(path.clone()),
                Disposal::SystemTrash | Disposal::Permanent => deleted.warning.clone(),
            };
            (&deleted.path, types::BulkItemOutcome::Deleted, to)
        }
        BulkOutcome::Failed(path, error) => {
            (path, types::BulkItemOutcome::Failed, Some(error.to_string()))
        }
    };
    types::BulkItem { path: path.to_string(), outcome, etag, size, modified, detail }
}
