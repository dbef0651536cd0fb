//! Workspaces: folders of a vault that hold one project each.

use std::sync::Arc;

use jiff::SignedDuration;
use toolwrit_vault::{CancelCheck, Folder, Vault, VaultPath};

use crate::error::{ProjectError, Result};
use crate::model::{EntityId, Field, link_target};
use crate::project::Project;
use crate::scan::Scan;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSettings {
    pub name: String,
    /// The folder of its notes, also in subfolders.
    pub folder: Folder,
}

/// The workspaces of a vault.
#[derive(Debug)]
pub struct Workspaces(Vec<Workspace>);

/// One project in a vault. Its ids are its own.
#[derive(Debug)]
pub struct Workspace {
    vault: Vault,
    name: String,
    folder: Folder,
    scan: Scan,
    /// How long creations of batches are remembered.
    remember: SignedDuration,
}

/// How long creations of batches are remembered by default.
const REMEMBER: SignedDuration = SignedDuration::from_hours(24);

impl Workspaces {
    /// The workspaces of these settings, the first one being the default. The folders need not exist.
    ///
    /// # Errors
    /// [`ProjectError::Settings`] if there is none, two have the same name, or a folder contains another.
    pub fn new(vault: &Vault, settings: Vec<WorkspaceSettings>) -> Result<Self> {
        if settings.is_empty() {
            return Err(ProjectError::Settings("there is no workspace".to_owned()));
        }
        for (index, one) in settings.iter().enumerate() {
            for other in &settings[..index] {
                if one.name == other.name {
                    let reason = format!("two workspaces are named `{}`", one.name);
                    return Err(ProjectError::Settings(reason));
                }
                if contains(&one.folder, &other.folder) || contains(&other.folder, &one.folder) {
                    let reason = format!(
                        "the folders of `{}` and `{}` overlap: `{}` and `{}`",
                        other.name, one.name, other.folder, one.folder
                    );
                    return Err(ProjectError::Settings(reason));
                }
            }
        }
        let open = |WorkspaceSettings { name, folder }| Workspace {
            vault: vault.clone(),
            name,
            folder,
            scan: Scan::default(),
            remember: REMEMBER,
        };
        Ok(Self(settings.into_iter().map(open).collect()))
    }

    /// Remembers the creations of batches for another time.
    #[must_use]
    pub fn remembering(mut self, remember: SignedDuration) -> Self {
        self.0.iter_mut().for_each(|workspace| workspace.remember = remember);
        self
    }

    /// The workspace with this name, or the default.
    ///
    /// # Errors
    /// [`ProjectError::UnknownWorkspace`]
    pub fn find_by_name(&self, name: Option<&str>) -> Result<&Workspace> {
        let is_wanted = |workspace: &&Workspace| name.is_none_or(|name| name == workspace.name);
        self.0.iter().find(is_wanted).ok_or_else(|| ProjectError::UnknownWorkspace {
            name: name.unwrap_or_default().to_owned(),
            known: self.0.iter().map(|workspace| workspace.name.clone()).collect(),
        })
    }

    /// All workspaces, the default first.
    pub fn iter(&self) -> impl Iterator<Item = &Workspace> {
        self.0.iter()
    }
}

impl Workspace {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn remember(&self) -> SignedDuration {
        self.remember
    }

    /// The folder of its notes.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The vault that has its notes.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// All its entities now. Changes of other programs may take up to 200 milliseconds to appear.
    ///
    /// # Errors
    /// `Unopenable` if the vault cannot be read, `Cancelled`.
    pub fn project(&self, cancel: CancelCheck<'_>) -> Result<Arc<Project>> {
        let snapshot = self.vault.snapshot(cancel)?;
        self.scan.project(&self.vault, &snapshot, &self.folder, cancel)
    }

    /// The entity that a text names: an id, or a link to its note.
    ///
    /// # Errors
    /// `InvalidId`, `InvalidField` for a link that leads to no entity; otherwise as [`project`](Self::project).
    pub fn find_id(&self, text: &str, cancel: CancelCheck<'_>) -> Result<EntityId> {
        self.find_id_in(&*self.project(cancel)?, text)
    }

    /// As [`find_id`](Self::find_id), in this project.
    pub(crate) fn find_id_in(&self, project: &Project, text: &str) -> Result<EntityId> {
        let Some(target) = link_target(&text.into()) else { return Ok(project.parse_id(text)?) };
        self.follow_link(project, &target, None).map_err(|reason| ProjectError::InvalidField {
            field: Field::Id.name().to_owned(),
            reason,
        })
    }

    /// The entity behind the target of a link in a note, or in none.
    pub(crate) fn follow_link(
        &self,
        project: &Project,
        target: &str,
        source: Option<&VaultPath>,
    ) -> Result<EntityId, String> {
        let snapshot = self.vault.snapshot(&|| false).map_err(|error| error.to_string())?;
        let follow = |target: &str, _: &VaultPath| snapshot.resolve(target, source).cloned();
        if let Some(source) = source {
            return project.follow(target, source, &follow);
        }
        let nowhere = self.folder.child("-.md").map_err(|error| error.to_string())?;
        project.follow(target, &nowhere, &follow)
    }

    /// Waits until [`project`](Self::project) includes what other programs did before this call.
    ///
    /// # Errors
    /// As [`Vault::wait_for_index`].
    pub fn wait_for_index(&self, cancel: CancelCheck<'_>) -> Result<()> {
        Ok(self.vault.wait_for_index(cancel)?)
    }

    /// The project, which has this entity. If it is missing, looks at the folder again, because another program
    /// may just have made it.
    ///
    /// # Errors
    /// [`ProjectError::NoSuchEntity`], [`ProjectError::Unreadable`]; otherwise as
    /// [`project`](Self::project).
    pub(crate) fn project_with(
        &self,
        id: EntityId,
        cancel: CancelCheck<'_>,
    ) -> Result<Arc<Project>> {
        let mut project = self.project(cancel)?;
        if project.entity(id).is_none() {
            self.vault.rescan(&self.folder, cancel)?;
            project = self.project(cancel)?;
        }
        project.require_entity(id)?;
        Ok(project)
    }
}

/// Whether a folder is another one or contains it.
fn contains(outer: &Folder, inner: &Folder) -> bool {
    let (outer, inner) = (outer.as_str(), inner.as_str());
    let rest = inner.strip_prefix(outer);
    outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
