//! Creating and changing entities.

mod adopt;
mod archive;
mod batch;
mod canvases;
mod data;
mod draft;
mod files;
mod items;
mod note;
mod operation;
mod remembered;
mod text;
mod validation;
mod version;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use toolwrit_frontmatter::Properties;
use toolwrit_vault::{CancelCheck, Etag, PathFault, VaultError, VaultPath, Written};

use crate::canvas::CanvasPlan;
use crate::error::{ProjectError, Result};
use crate::model::{EntityId, EntityKind};
use crate::workspace::Workspace;
use draft::Draft;

pub use adopt::Adopted;
pub use operation::{
    BatchAction, BatchOperation, BatchOptions, BatchOutcome, BatchResult, BatchSummary,
};
pub use text::TextChange;
pub use version::NewVersion;

/// How often a change is planned anew because another program took a file or changed it meanwhile.
const MOST_ATTEMPTS: usize = 20;

/// An entity that was created or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub id: EntityId,
    /// Its note.
    pub path: VaultPath,
    /// The etag of its note now.
    pub etag: Etag,
}

impl Workspace {
    /// Creates an entity with these fields; `body` is the text of its note. The id is one more than the
    /// highest on disk. `title` is required. A canvas on which the note is placed is created if it does
    /// not exist.
    ///
    /// # Errors
    /// `UnknownField`, `InvalidField`, `MissingReference`, `Cycle`, or those of
    /// [`Vault::transaction`](toolwrit_vault::Vault::transaction).
    pub fn create(
        &self,
        kind: EntityKind,
        data: &Properties,
        body: &str,
        canvas: &CanvasPlan,
        now: Timestamp,
        cancel: CancelCheck<'_>,
    ) -> Result<Changed> {
        let (id, made) = self.make_changes(now, cancel, |draft| {
            let id = draft.create(kind, data, body)?;
            draft.keep_pending();
            draft.plan_canvas(canvas);
            self.forget(draft)?;
            Ok(id)
        })?;
        take_one(made, id)
    }

    /// Changes fields of an entity; null removes a field. `archived` puts it aside, and brings it back.
    ///
    /// With `if_match`, the note must still have that etag.
    ///
    /// # Errors
    /// `NoSuchEntity`, `Unreadable`, `Conflict`; otherwise as [`create`](Self::create).
    pub fn update(
        &self,
        id: EntityId,
        data: &Properties,
        if_match: Option<&Etag>,
        canvas: &CanvasPlan,
        now: Timestamp,
        cancel: CancelCheck<'_>,
    ) -> Result<Changed> {
        let ((), made) = self.make_changes(now, cancel, |draft| {
            draft.update(id, data, if_match)?;
            draft.keep_pending();
            draft.plan_canvas(canvas);
            Ok(())
        })?;
        take_one(made, id)
    }

    /// Archives an entity, and with `cascade` everything below it. Returns all that were archived.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub fn archive(
        &self,
        id: EntityId,
        cascade: bool,
        if_match: Option<&Etag>,
        now: Timestamp,
        cancel: CancelCheck<'_>,
    ) -> Result<Vec<Changed>> {
        let (ids, made) = self.make_changes(now, cancel, |draft| {
            let ids = draft.archive(id, cascade, if_match)?;
            draft.keep_pending();
            Ok(ids)
        })?;
        Ok(ids.into_iter().filter_map(|id| made.get(&id).cloned()).collect())
    }

    /// Makes the changes that `plan` puts into a draft, all or none. They are planned while no other
    /// program changes the vault through the engine, and planned anew if a program takes the name of a new
    /// note or changes a note meanwhile.
    fn make_changes<T>(
        &self,
        now: Timestamp,
        cancel: CancelCheck<'_>,
        mut plan: impl FnMut(&mut Draft<'_>) -> Result<T>,
    ) -> Result<(T, BTreeMap<EntityId, Changed>)> {
        let mut taken = BTreeSet::new();
        let mut attempts = 1;
        loop {
            let made = self.vault().transaction(
                || {
                    let project = self.project(cancel)?;
                    let mut draft = Draft::new(self, &project, &taken, now);
                    let planned = plan(&mut draft)?;
                    let (ids, changes): (Vec<_>, Vec<_>) =
                        draft.into_changes()?.into_iter().unzip();
                    Ok::<_, ProjectError>((changes, (planned, ids)))
                },
                cancel,
            );
            match made {
                Ok((written, (planned, ids))) => {
                    let changed = ids.into_iter().zip(written).filter_map(|(id, written)| {
                        let (id, Written { path, etag, .. }) = (id?, written);
                        Some((id, Changed { id, path, etag }))
                    });
                    return Ok((planned, changed.collect()));
                }
                Err(error) if attempts == MOST_ATTEMPTS => return Err(error),
                Err(ProjectError::Vault(VaultError::Conflict { .. })) => {}
                Err(ProjectError::Vault(error)) => match find_taken_path(&error) {
                    Some(path) => drop(taken.insert(path)),
                    None => return Err(error.into()),
                },
                Err(error) => return Err(error),
            }
            attempts += 1;
        }
    }
}

fn take_one(mut made: BTreeMap<EntityId, Changed>, id: EntityId) -> Result<Changed> {
    made.remove(&id).ok_or(ProjectError::NoSuchEntity { id })
}

/// The path that another program has taken, if that is why a change failed.
fn find_taken_path(error: &VaultError) -> Option<VaultPath> {
    match error {
        VaultError::AlreadyExists { path } if path.is_note() => Some(path.clone()),
        VaultError::InvalidPath(error) => match &error.fault {
            PathFault::IsFolder(name)
            | PathFault::NotAFile(name)
            | PathFault::SymbolicLink(name) => {
                VaultPath::parse(name).ok().filter(VaultPath::is_note)
            }
            _ => None,
        },
        _ => None,
    }
}
