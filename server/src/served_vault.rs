//! A vault that is served, and what the operator says about it.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::SignedDuration;
use serde::Deserialize;
use toolwrit::Instance;
use toolwrit::cli::{NamedPath, NamedTable};
use toolwrit_dataview::Dataview;
use toolwrit_plugins::smart_connections::SmartConnections;
use toolwrit_project::{WorkspaceSettings, Workspaces};
use toolwrit_vault::{Access, HistoryLimits, OpenOptions, Vault};

use crate::rest_api::RestApi;
use crate::sample;

/// A vault that is served.
#[derive(Clone)]
pub(crate) struct ServedVault {
    settings: VaultSettings,
    pub(crate) vault: Vault,
    pub(crate) dataview: Arc<Dataview>,
    pub(crate) smart_connections: SmartConnections,
    pub(crate) workspaces: Arc<Workspaces>,
    /// The running Obsidian that has it open.
    pub(crate) rest_api: Option<RestApi>,
    pub(crate) is_sample: bool,
    /// Its folder, which identifies it among the vaults of the user.
    pub(crate) location: PathBuf,
}

/// What holds for all vaults that are opened.
pub(crate) struct Opening {
    pub(crate) read_only: bool,
    /// The folder for data of all servers.
    pub(crate) data: Option<PathBuf>,
    /// How many calls can be undone.
    pub(crate) undo: usize,
    pub(crate) project: Vec<WorkspaceSettings>,
    /// How many hours creations are remembered.
    pub(crate) project_remember: u16,
}

/// What the operator says about a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VaultSettings {
    /// `None` for the name of its folder.
    name: Option<String>,
    path: PathBuf,
    read_only: bool,
    focus: Option<String>,
    roles: Option<Vec<String>>,
}

/// The members of `[vaults.NAME]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultTable {
    path: Option<PathBuf>,
    #[serde(default)]
    read_only: bool,
    focus: Option<String>,
    roles: Option<Vec<String>>,
}

impl VaultSettings {
    /// A vault without a name.
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { name: None, path, read_only: false, focus: None, roles: None }
    }

    /// Combines flags and tables. If folders are given as flags, only these are served, each with what the table of its name
    /// says besides.
    ///
    /// # Errors
    /// A table without a path, and roles of the first vault, which is that of all.
    pub(crate) fn read(paths: &[NamedPath], tables: &[NamedTable]) -> Result<Vec<Self>, String> {
        let mut named = Vec::with_capacity(tables.len());
        for table in tables {
            let members =
                table.read().map_err(|error| format!("vaults.{}: {error}", table.name))?;
            named.push((table.name.as_str(), members));
        }
        let vaults: Vec<Self> = if paths.is_empty() {
            let new = |(name, table): (&str, VaultTable)| {
                let path = table.path.clone();
                let path = path.ok_or_else(|| format!("vaults.{name}: `path` is missing"))?;
                Ok(Self::new(Some(name.to_owned()), path, table))
            };
            named.into_iter().map(new).collect::<Result<_, String>>()?
        } else {
            let new = |NamedPath { name, path }: &NamedPath| {
                let table = named.iter().position(|(known, _)| Some(*known) == name.as_deref());
                let table = table.map(|at| named.swap_remove(at).1).unwrap_or_default();
                Self::new(name.clone(), path.clone(), table)
            };
            paths.iter().map(new).collect()
        };
        match vaults.first() {
            Some(Self { roles: Some(_), name, .. }) => Err(format!(
                "vaults.{}: the first vault is the default of every role and cannot have `roles`; put another one first",
                name.as_deref().unwrap_or_default()
            )),
            _ => Ok(vaults),
        }
    }

    fn new(name: Option<String>, path: PathBuf, table: VaultTable) -> Self {
        let VaultTable { read_only, focus, roles, path: _ } = table;
        Self { name, path, read_only, focus, roles }
    }
}

impl ServedVault {
    /// Opens a vault.
    ///
    /// # Errors
    /// If its folder cannot be used, or two workspaces of projects have one folder.
    pub(crate) fn open(settings: VaultSettings, with: &Opening) -> Result<Self, Box<dyn Error>> {
        let folder = &settings.path;
        let is_read_only = with.read_only || settings.read_only;
        let options = OpenOptions {
            name: settings.name.clone(),
            access: if is_read_only { Access::ReadOnly } else { Access::ReadWrite },
            state: with.data.as_ref().map(|data| data.join("toolwrit/vaults")),
            cache: toolwrit::folders::cache().map(|cache| cache.join("toolwrit/indexes")),
            history: HistoryLimits { calls: with.undo },
            file_system: None,
        };
        let vault = Vault::open_with(folder, options);
        let vault = vault.map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self {
            dataview: Arc::new(Dataview::new(vault.clone())),
            smart_connections: SmartConnections::new(vault.clone()),
            workspaces: Arc::new(
                Workspaces::new(&vault, with.project.clone())?
                    .remembering(SignedDuration::from_hours(with.project_remember.into())),
            ),
            rest_api: None,
            is_sample: sample::is_sample(folder),
            location: folder.canonicalize().unwrap_or_else(|_| folder.clone()),
            settings: VaultSettings { read_only: is_read_only, ..settings },
            vault,
        })
    }

    /// Returns what the engine must know of it.
    pub(crate) fn instance(&self) -> Instance {
        let VaultSettings { read_only, focus, roles, .. } = self.settings.clone();
        Instance { name: self.vault.name(), read_only, focus, roles }
    }

    /// Whether only reads may run on it.
    pub(crate) fn is_read_only(&self) -> bool {
        self.settings.read_only
    }
}

/// Checks that vaults have names and folders of their own: two with one folder would undo and index each other's changes, and a
/// note of a vault inside another one would have two names.
///
/// # Errors
/// Two that do not.
pub(crate) fn check_apart(vaults: &[ServedVault]) -> Result<(), String> {
    for (at, vault) in vaults.iter().enumerate() {
        for other in &vaults[..at] {
            let (name, other_name) = (vault.vault.name(), other.vault.name());
            if name.to_lowercase() == other_name.to_lowercase() {
                return Err(format!(
                    "two vaults are named `{name}`; give them names with --vault NAME=DIR"
                ));
            }
            let (location, other) = (&vault.location, &other.location);
            if location.starts_with(other) || other.starts_with(location) {
                return Err(format!(
                    "the folders of the vaults `{other_name}` and `{name}` are in one another; serve one of them"
                ));
            }
        }
    }
    Ok(())
}
