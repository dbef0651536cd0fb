//! The notes of a workspace, whether they are entities or not.

use toolwrit_vault::{CancelCheck, VaultPath};

use crate::error::{ProjectError, Result};
use crate::model::EntityId;
use crate::project::Project;
use crate::workspace::Workspace;

impl Workspace {
    /// The note of an entity, or at a path in the folder of the workspace, and the entity that it is.
    ///
    /// # Errors
    /// `NoSuchEntity`, `Unreadable`, `OutsideWorkspace`, `InvalidPath` or `NotFound` of the vault;
    /// otherwise as [`project`](Self::project).
    pub fn find_note(
        &self,
        name: &str,
        cancel: CancelCheck<'_>,
    ) -> Result<(VaultPath, Option<EntityId>)> {
        let project = self.project(cancel)?;
        let project = match self.find_id_in(&project, name) {
            Ok(id) => self.project_with(id, cancel)?,
            Err(_) => project,
        };
        let path = self.vault().locate(&self.note_path(name, &project)?)?;
        let id = find_entity_at(&project, &path);
        Ok((path, id))
    }

    /// The path that a name means: that of an entity, or itself. There may be no note.
    pub(crate) fn note_path(&self, name: &str, project: &Project) -> Result<VaultPath> {
        if let Ok(id) = self.find_id_in(project, name) {
            return Ok(project.require_entity(id)?.path.clone());
        }
        let path = VaultPath::parse(name).map_err(toolwrit_vault::VaultError::from)?;
        if path.is_below(self.folder()) {
            return Ok(path);
        }
        Err(ProjectError::OutsideWorkspace { path, folder: self.folder().clone() })
    }
}

/// The entity whose note this is.
fn find_entity_at(project: &Project, path: &VaultPath) -> Option<EntityId> {
    project.entities().find(|entity| entity.path == *path).map(|entity| entity.id)
}
