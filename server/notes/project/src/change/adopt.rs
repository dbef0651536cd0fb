//! Ids for notes that have none.

use toolwrit_vault::{CancelCheck, NoteChange, VaultPath};

use super::note;
use crate::error::{ProjectError, Result};
use crate::model::{EntityId, EntityKind, Field};
use crate::project::Project;
use crate::workspace::Workspace;

/// A note that gets an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    pub path: VaultPath,
    pub kind: EntityKind,
    pub id: EntityId,
}

impl Workspace {
    /// The notes of entities that have no id, in the order of their paths, and the ids for them. With `apply`, writes
    /// them, all or none.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn adopt(&self, apply: bool, cancel: CancelCheck<'_>) -> Result<Vec<Adopted>> {
        if !apply {
            return plan(&*self.project(cancel)?);
        }
        let plan = || {
            let adopted = plan(&*self.project(cancel)?)?;
            let change = |Adopted { path, id, .. }: &Adopted| NoteChange::Patch {
                path: path.clone(),
                patches: vec![note::to_patch(Field::Id.name(), Some(&id.to_string().into()))],
                if_match: None,
            };
            Ok::<_, ProjectError>((adopted.iter().map(change).collect(), adopted))
        };
        Ok(self.vault().transaction(plan, cancel)?.1)
    }
}

fn plan(project: &Project) -> Result<Vec<Adopted>> {
    let mut adopted: Vec<Adopted> = Vec::new();
    for (path, kind) in project.nameless() {
        let earlier = adopted.iter().filter(|adopted| adopted.kind == *kind).count();
        let number = u64::from(project.highest_number(*kind)) + earlier as u64 + 1;
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let id = project.words().ids().id(*kind, number);
        let id = id.ok_or_else(|| ProjectError::InvalidField {
            field: Field::Id.name().to_owned(),
            reason: format!("there is no free number for a {kind}"),
        })?;
        adopted.push(Adopted { path: path.clone(), kind: *kind, id });
    }
    Ok(adopted)
}
